import FormworkCore
import Synchronization

/// What the readers of a stream of unknown length have seen, shared by the copies of its source.
///
/// A closure that returns a sequence which was read already would otherwise send nothing more, as if that were all.
final class StreamHistory: Sendable {
    /// The first bytes of a stream.
    fileprivate struct Beginning {
        var count: Int64 = 0
        var checksum: UInt32 = 0
        /// Whether there are no more.
        var isWhole = false
    }

    fileprivate let longest = Mutex(Beginning())
}

/// Compares what one reader sees with what others saw before.
struct StreamComparison {
    private let history: StreamHistory
    private let before: StreamHistory.Beginning
    private var position: Int64
    /// Of all bytes; `nil` for a reader that began at an offset, of which only the end is compared.
    private var checksum: CRC32C?

    /// `nil` for a stream that is read once, or whose declared length is compared.
    init?(_ source: StreamSource, at offset: Int64) {
        guard source.isReplayable, source.length == nil else { return nil }
        self.history = source.history
        self.before = source.history.longest.withLock { $0 }
        self.position = offset
        self.checksum = offset == 0 ? CRC32C() : nil
    }

    /// - Returns: Whether these bytes are those that came here before, as far as that is known.
    mutating func take(_ bytes: RawSpan) -> Bool {
        let rest = self.before.count - self.position
        self.position += Int64(bytes.byteCount)
        guard var checksum = self.checksum else { return true }
        defer { self.checksum = checksum }
        guard rest > 0, rest <= bytes.byteCount else {
            checksum.update(bytes)
            return !self.before.isWhole || self.position <= self.before.count
        }
        checksum.update(bytes.extracting(0..<Int(rest)))
        guard checksum.value == self.before.checksum else { return false }
        checksum.update(bytes.extracting(Int(rest)..<bytes.byteCount))
        return !self.before.isWhole || self.position == self.before.count
    }

    /// - Returns: Whether the stream ended here before, as far as that is known.
    func end() -> Bool {
        self.history.longest.withLock { longest in
            guard self.position >= longest.count, !longest.isWhole || self.position == longest.count else { return false }
            guard let checksum = self.checksum?.value else { return true }
            guard self.position > longest.count || checksum == longest.checksum else { return false }
            longest = StreamHistory.Beginning(count: self.position, checksum: checksum, isWhole: true)
            return true
        }
    }

    /// Keeps what was seen, for a reader that leaves before the end.
    func leave() {
        guard let checksum = self.checksum?.value else { return }
        self.history.longest.withLock { longest in
            guard self.position > longest.count, !longest.isWhole else { return }
            longest = StreamHistory.Beginning(count: self.position, checksum: checksum)
        }
    }
}
