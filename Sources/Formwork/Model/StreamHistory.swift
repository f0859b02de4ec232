import Synchronization

/// What the readers of a stream of unknown length have seen, shared by the copies of its source.
///
/// A closure that returns a sequence which was read already would otherwise send nothing more, as if that were all.
final class StreamHistory: Sendable {
    /// The first bytes of a stream.
    struct Beginning {
        var count: Int64 = 0
        var checksum: UInt32 = 0
        /// Whether there are no more.
        var isWhole = false
    }

    let longest = Mutex(Beginning())
}
