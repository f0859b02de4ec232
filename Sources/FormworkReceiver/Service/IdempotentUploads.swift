#if Transfer
import FormworkHTTP
import HTTPTypes
import Synchronization

/// The uploads with an ``IdempotencyKey``, so that one is stored once, however often its client repeats it.
///
/// What was stored is kept in memory: of the newest uploads, up to a limit. A restart forgets it.
final class IdempotentUploads: Sendable {
    /// An upload that was stored. Sizes, digests and fields of its answer come from the upload that repeats it.
    struct Stored: Sendable {
        /// The names under which its files were stored.
        var names: [String]
        var fieldKeeping: UploadReceipt.FieldKeeping
        /// What an upload with the same key must have.
        var fingerprint: String

        init?(_ receipt: UploadReceipt) {
            guard let fingerprint = receipt.fingerprint else { return nil }
            (self.names, self.fieldKeeping) = (receipt.files.map(\.name), receipt.fieldKeeping)
            self.fingerprint = fingerprint
        }

        /// The receipt of an upload that repeats this one; `nil` if it is another upload.
        func receipt(for repeated: UploadReceipt) -> UploadReceipt? {
            guard repeated.fingerprint == self.fingerprint, repeated.files.count == self.names.count else { return nil }
            var receipt = repeated
            for (index, name) in self.names.enumerated() { receipt.files[index].name = name }
            receipt.fieldKeeping = self.fieldKeeping
            return receipt
        }
    }

    /// An upload that is under way.
    final class Run: Sendable {
        /// That of this task; `nil` for an upload without a key.
        @TaskLocal static var current: Run?

        private enum State { case taking, publishing, replaced }

        /// Of two requests with one key the newer one has the higher number.
        fileprivate let number: Int
        private let state = Mutex(State.taking)

        fileprivate init(_ number: Int) { self.number = number }

        /// Whether the same upload began again, and this one is to end.
        var isReplaced: Bool { self.state.withLock { $0 == .replaced } }

        /// Whether the files are becoming visible. Then nothing ends it: an object store may make a file after its request
        /// was given up.
        var isPublishing: Bool { self.state.withLock { $0 == .publishing } }

        /// Whether the files may become visible: not if the same upload began again. From then on it isn't ended.
        func beginPublishing() -> Bool {
            self.state.withLock { state in
                if state == .taking { state = .publishing }
                return state == .publishing
            }
        }

        /// - Returns: Whether it ends; `false` while its files are being published.
        fileprivate func replace() -> Bool {
            self.state.withLock { state in
                if state == .taking { state = .replaced }
                return state == .replaced
            }
        }
    }

    private enum Entry {
        case running(head: String, Run, Task<Answer, Never>)
        case stored(head: String, Stored)
    }

    private enum Step {
        case begin(Run, Task<Answer, Never>)
        case replace(Run, Task<Answer, Never>)
        case repeated(Stored)
        case refused
        /// A newer request is under way.
        case overtaken
    }

    private struct State {
        var entries: [IdempotencyKey: Entry] = [:]
        /// The keys of what is stored, the oldest first.
        var stored: [IdempotencyKey] = []
        var bytes = 0
        /// The number of the newest request.
        var last = 0
    }

    /// The most uploads that are kept, and the bytes of their keys and names together.
    private let (countLimit, byteLimit): (Int, Int)
    private let state = Mutex(State())

    init(countLimit: Int = 1_000, byteLimit: Int = 8 << 20) {
        (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
    }

    /// Takes an upload, unless one with the same key was stored.
    ///
    /// An older upload with this key that is still under way is ended first, because its client has given it up. If its
    /// files are being published already, their names are waited for.
    /// - Parameters:
    ///   - repeated: Answers an upload whose key was used by one that is stored.
    ///   - take: Takes the upload.
    /// - Throws: 422 if the key was used for another upload, 409 if a newer request has it.
    func once(
        _ key: IdempotencyKey, _ head: HTTPRequest, repeated: (Stored) async -> Answer,
        _ take: @escaping @Sendable () async -> Answer
    ) async throws(ProblemDetails) -> Answer {
        let head = Self.description(of: head)
        let number = self.state.withLock { state in
            state.last += 1
            return state.last
        }
        while true {
            // Its client has gone, and may have begun again already.
            if Task.isCancelled { throw .replaced }
            switch self.step(key, head, number, take) {
            case .begin(let run, let task):
                return await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    if !run.isPublishing { task.cancel() }
                }
            case .replace(let run, let task):
                if run.replace() { task.cancel() }
                _ = await task.value
            case .repeated(let stored): return await repeated(stored)
            case .refused: throw .keyIsTaken
            case .overtaken: throw .replaced
            }
        }
    }

    private func step(
        _ key: IdempotencyKey, _ head: String, _ number: Int, _ take: @escaping @Sendable () async -> Answer
    ) -> Step {
        self.state.withLock { state in
            switch state.entries[key] {
            case .running(let other, let run, let task) where other == head:
                return run.number < number ? .replace(run, task) : .overtaken
            case .stored(let other, let stored) where other == head: return .repeated(stored)
            case .running, .stored: return .refused
            case nil:
                let run = Run(number)
                let task = Task {
                    let answer = await Run.$current.withValue(run) { await take() }
                    self.ended(key, head, answer.receipt.flatMap { Stored($0) })
                    return answer
                }
                state.entries[key] = .running(head: head, run, task)
                return .begin(run, task)
            }
        }
    }

    private func ended(_ key: IdempotencyKey, _ head: String, _ stored: Stored?) {
        self.state.withLock { state in
            state.entries[key] = nil
            if let stored { self.keep(stored, key, head, &state) }
        }
    }

    private func keep(_ stored: Stored, _ key: IdempotencyKey, _ head: String, _ state: inout State) {
        state.entries[key] = .stored(head: head, stored)
        state.stored.append(key)
        state.bytes += Self.bytes(key, head, stored)
        while state.stored.count > self.countLimit || state.bytes > self.byteLimit {
            let oldest = state.stored.removeFirst()
            guard case .stored(let head, let stored) = state.entries.removeValue(forKey: oldest) else { continue }
            state.bytes -= Self.bytes(oldest, head, stored)
        }
    }

    private static func bytes(_ key: IdempotencyKey, _ head: String, _ stored: Stored) -> Int {
        stored.names.reduce(key.owner.utf8.count + key.text.utf8.count + head.utf8.count) { $0 + $1.utf8.count }
    }

    /// What the heads of two requests with one key must have in common. Their lengths and a form's boundary may differ.
    private static func description(of head: HTTPRequest) -> String {
        let type = (head.headerFields[.contentType] ?? "").prefix { $0 != ";" }.lowercased()
        let name = head.headerFields[.contentDisposition]
        return [head.method.rawValue, head.path, type, name].map { $0 ?? "" }.joined(separator: "\n")
    }
}

extension ProblemDetails {
    static let keyIsTaken = Self(
        title: "Unprocessable Content", status: 422,
        detail: "This Idempotency-Key was used for another upload: make a new key for each upload.")
    static let replaced = Self.conflict(
        "The same upload, with the same Idempotency-Key, began again on another connection.")
}
#endif
