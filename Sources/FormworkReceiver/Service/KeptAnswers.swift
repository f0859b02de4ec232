#if Transfer
import NIOCore
import Synchronization

/// Lists and pages as they were made last, for as long as nothing has changed: whoever asks again shares their bytes.
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

    /// Bytes kept. Ours: a list of a thousand files has 0.6 MB, and the page of them 1.5 MB.
    private static let limit = 8 << 20

    private let state = Mutex(State())

    /// What is kept for a key, or else made. It isn't made under the lock: two who ask at once may each make it.
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

/// The memory of all answers that aren't sent yet, but for those that all share and those that are small.
package final class AnswerMemory: Sendable {
    /// Answers up to this aren't counted: so many bytes are held of each request anyway.
    static let smallBytes = 4 << 10

    private let limit: Int
    private let taken = Mutex(0)

    /// - Parameter limit: Bytes. Default 64 MiB: ours.
    package init(limit: Int = 64 << 20) { self.limit = limit }

    /// What one answer takes; given back when nobody refers to it any more.
    package final class Share: Sendable {
        private let memory: AnswerMemory
        private let count: Int

        fileprivate init(_ memory: AnswerMemory, _ count: Int) { (self.memory, self.count) = (memory, count) }

        deinit { self.memory.taken.withLock { $0 -= self.count } }
    }

    /// Takes memory for an answer.
    /// - Throws: 503 when all have too much.
    func share(of count: Int) throws(ProblemDetails) -> Share? {
        guard count > Self.smallBytes else { return nil }
        try self.taken.withLock { taken throws(ProblemDetails) in
            guard count <= self.limit - taken else {
                throw .unavailable("Too many answers wait to be read: try again.")
            }
            taken += count
        }
        return Share(self, count)
    }
}
#endif
