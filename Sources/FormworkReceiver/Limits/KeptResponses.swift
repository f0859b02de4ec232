import NIOCore
import Synchronization

/// Caches lists and pages until something changes. Clients that ask again share the bytes.
final class KeptResponses: Sendable {
    private struct State {
        var revision = -1
        var answers: [String: Kept] = [:]
        var bytes = 0
    }

    /// The bytes, and what holds their memory.
    typealias Kept = (body: ByteBuffer, lease: ReceiverMemory.Lease?)

    /// The most bytes cached. A list of a thousand files has 0.6 MB, its page 1.5 MB.
    private static let limit = 8 << 20

    private let state = Mutex(State())

    /// The cached answer for a key, made if there is none. It isn't made under the lock, so two requests at once may
    /// each make it.
    func body(_ key: String, revision: Int, make: () throws(ProblemDetails) -> Kept) throws(ProblemDetails) -> Kept {
        let kept = self.state.withLock { $0.revision == revision ? $0.answers[key] : nil }
        if let kept { return kept }
        let made = try make()
        self.state.withLock { state in
            if state.revision != revision || state.bytes + made.body.readableBytes > Self.limit {
                guard revision >= state.revision else { return }
                (state.revision, state.answers, state.bytes) = (revision, [:], 0)
            }
            guard made.body.readableBytes <= Self.limit else { return }
            state.answers[key] = made
            state.bytes += made.body.readableBytes
        }
        return made
    }
}
