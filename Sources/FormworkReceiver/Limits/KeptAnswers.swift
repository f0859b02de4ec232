#if Transfer
import NIOCore
import Synchronization

/// Caches lists and pages until something changes. Clients that ask again share the bytes.
final class KeptAnswers: Sendable {
    private struct State {
        var revision = -1
        var answers: [String: Kept] = [:]
        var bytes = 0
    }

    /// The bytes, and their share of the memory for answers.
    struct Kept: Sendable {
        var body: ByteBuffer
        var share: AnswerMemory.Share?
    }

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

/// The memory of all answers that haven't been sent yet, except shared and small ones.
package final class AnswerMemory: Sendable {
    /// Answers up to this size aren't counted: each request holds this many bytes anyway.
    static let smallBytes = 4 << 10

    private let limit: Int
    private let taken = Mutex(0)

    /// - Parameter limit: Bytes. Default 64 MiB.
    package init(limit: Int = 64 << 20) { self.limit = limit }

    /// The memory of one answer, released with the last reference to it.
    package final class Share: Sendable {
        private let memory: AnswerMemory
        private let count: Int

        fileprivate init(_ memory: AnswerMemory, _ count: Int) { (self.memory, self.count) = (memory, count) }

        deinit { self.memory.taken.withLock { $0 -= self.count } }
    }

    /// Reserves memory for an answer.
    /// - Throws: 503 if all answers together would use too much.
    func share(of count: Int) throws(ProblemDetails) -> Share? {
        guard count > Self.smallBytes else { return nil }
        try self.taken.withLock { taken throws(ProblemDetails) in
            guard count <= self.limit - taken else {
                throw .unavailable("Too many answers are waiting to be read: try again.")
            }
            taken += count
        }
        return Share(self, count)
    }
}
#endif
