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

    /// A request with a key, from its arrival until its upload occupies nothing more.
    final class Arrival: Sendable {
        fileprivate let key: IdempotencyKey
        /// What it must have in common with another request that has the key.
        fileprivate let head: String
        /// Of two requests with one key the newer one has the higher number.
        fileprivate let number: Int
        private let state = Mutex((hasLeft: false, waiting: [CheckedContinuation<Void, Never>]()))

        fileprivate init(_ key: IdempotencyKey, _ head: String, _ number: Int) {
            (self.key, self.head, self.number) = (key, head, number)
        }

        /// Its upload has ended, and its slot and memory are free.
        func leave() {
            let waiting = self.state.withLock { state in
                defer { state = (true, []) }
                return state.waiting
            }
            for one in waiting { one.resume() }
        }

        fileprivate func waitUntilLeft() async {
            await withCheckedContinuation { continuation in
                let hasLeft = self.state.withLock { state in
                    if !state.hasLeft { state.waiting.append(continuation) }
                    return state.hasLeft
                }
                if hasLeft { continuation.resume() }
            }
        }
    }

    /// An upload that is under way.
    final class Run: Sendable {
        private enum State {
            /// → publishing, left, replaced
            case taking
            /// The files are becoming visible. Nothing ends it then: an object store may make a file after its request was
            /// given up.
            case publishing
            /// Its client has gone.
            case left
            /// The same upload began again.
            case replaced
        }

        fileprivate let arrival: Arrival
        private let state = Mutex(State.taking)

        fileprivate init(_ arrival: Arrival) { self.arrival = arrival }

        /// Whether the same upload began again, and this one is to end.
        var isReplaced: Bool { self.state.withLock { $0 == .replaced } }

        /// Whether the files may become visible. From then on it isn't ended.
        func beginPublishing() -> Bool {
            self.state.withLock { state in
                if state == .taking { state = .publishing }
                return state == .publishing
            }
        }

        /// - Returns: Whether it ends; `false` while its files are being published.
        fileprivate func replace() -> Bool { self.end(.replaced) }

        /// - Returns: As ``replace()``.
        fileprivate func leave() -> Bool { self.end(.left) }

        private func end(_ reason: State) -> Bool {
            self.state.withLock { state in
                if state == .taking { state = reason }
                return state != .publishing
            }
        }
    }

    private enum Entry {
        case running(head: String, Run, Task<ServiceResponse, Never>)
        case stored(head: String, Stored)
    }

    private enum Step {
        case begin(Run, Task<ServiceResponse, Never>)
        case replace(Run, Task<ServiceResponse, Never>)
        case repeated(Stored)
        case refused
        /// A newer request is under way.
        case overtaken
    }

    /// What is stored of one client.
    private struct Kept {
        /// The oldest first, with the number of all that were stored before it.
        var keys: [(key: IdempotencyKey, number: Int)] = []
        var bytes = 0

        /// Whether it has less, or as much and its oldest is newer.
        func isBefore(_ other: Kept, _ size: KeyPath<Kept, Int>) -> Bool {
            let (mine, others) = (self[keyPath: size], other[keyPath: size])
            guard mine == others else { return mine < others }
            return self.keys.first?.number ?? .max > other.keys.first?.number ?? .max
        }
    }

    private struct State {
        var entries: [IdempotencyKey: Entry] = [:]
        /// What is stored, by owner.
        var kept: [String: Kept] = [:]
        var (count, bytes) = (0, 0)
        /// Uploads that were ever stored.
        var stored = 0
        /// The number of the newest request.
        var last = 0
    }

    /// The most uploads that are kept, and the bytes of their keys and names together.
    private let (countLimit, byteLimit): (Int, Int)
    private let state = Mutex(State())

    init(countLimit: Int = 1_000, byteLimit: Int = 8 << 20) {
        (self.countLimit, self.byteLimit) = (countLimit, byteLimit)
    }

    /// Notes a request with a key. ``Arrival/leave()`` must follow.
    func arrived(_ key: IdempotencyKey, _ head: HTTPRequest) -> Arrival {
        let number = self.state.withLock { state in
            state.last += 1
            return state.last
        }
        return Arrival(key, Self.description(of: head), number)
    }

    /// Ends an older upload with this key, because its client has given it up, and waits until its slot and its memory are
    /// free. If its files are being published already, that is waited for.
    func endOlder(_ arrival: Arrival) async {
        while let run = self.older(arrival) {
            if run.run.replace() { run.task.cancel() }
            // It may hang in a call to the storage. The client of this one may leave meanwhile, or the receiver stop.
            let over = Task {
                _ = await run.task.value
                await run.run.arrival.waitUntilLeft()
            }
            if await TimeLimit.result(of: over, within: nil) == nil || Task.isCancelled { return }
        }
    }

    private func older(_ arrival: Arrival) -> (run: Run, task: Task<ServiceResponse, Never>)? {
        self.state.withLock { state in
            guard case .running(let head, let run, let task) = state.entries[arrival.key], head == arrival.head,
                run.arrival.number < arrival.number
            else { return nil }
            return (run, task)
        }
    }

    /// Takes an upload, unless one with the same key was stored.
    ///
    /// An older upload with this key that is still under way is ended first.
    /// - Parameters:
    ///   - repeated: Answers an upload whose key was used by one that is stored.
    ///   - take: Takes the upload.
    /// - Throws: 422 if the key was used for another upload, 409 if a newer request has it.
    func once(
        _ arrival: Arrival, repeated: (Stored) async -> ServiceResponse,
        _ take: @escaping @Sendable (Run) async -> ServiceResponse
    ) async throws(ProblemDetails) -> ServiceResponse {
        while true {
            // Its client has gone, and may have begun again already.
            if Task.isCancelled { throw .replaced }
            switch self.step(arrival, take) {
            case .begin(let run, let task):
                return await withTaskCancellationHandler {
                    await task.value
                } onCancel: {
                    if run.leave() { task.cancel() }
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

    private func step(_ arrival: Arrival, _ take: @escaping @Sendable (Run) async -> ServiceResponse) -> Step {
        self.state.withLock { state in
            let key = arrival.key
            switch state.entries[key] {
            case .running(let other, let run, let task) where other == arrival.head:
                return run.arrival.number < arrival.number ? .replace(run, task) : .overtaken
            case .stored(let other, let stored) where other == arrival.head: return .repeated(stored)
            case .running, .stored: return .refused
            case nil:
                let run = Run(arrival)
                let task = Task {
                    let answer = await take(run)
                    self.ended(key, arrival.head, answer.receipt.flatMap { Stored($0) })
                    return answer
                }
                state.entries[key] = .running(head: arrival.head, run, task)
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
        state.stored += 1
        state.kept[key.owner, default: Kept()].keys.append((key, state.stored))
        state.kept[key.owner]?.bytes += Self.bytes(key, head, stored)
        (state.count, state.bytes) = (state.count + 1, state.bytes + Self.bytes(key, head, stored))
        while state.count > self.countLimit || state.bytes > self.byteLimit {
            // The oldest of the client that has most: no client can push out those of all others.
            let size = state.count > self.countLimit ? \Kept.keys.count : \Kept.bytes
            let most = state.kept.max { $0.value.isBefore($1.value, size) }
            guard let owner = most?.key, let oldest = state.kept[owner]?.keys.removeFirst().key else { return }
            if state.kept[owner]?.keys.isEmpty == true { state.kept[owner] = nil }
            state.count -= 1
            guard case .stored(let head, let stored) = state.entries.removeValue(forKey: oldest) else { continue }
            let bytes = Self.bytes(oldest, head, stored)
            state.bytes -= bytes
            state.kept[owner]?.bytes -= bytes
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

/// The key that a client gives an upload which it may repeat (draft-ietf-httpapi-idempotency-key-header-07).
struct IdempotencyKey: Hashable, Sendable {
    /// Who sent it: no client gets another one's answer.
    let owner: String
    /// The field's value, unchanged: with its quotes.
    let text: String

    /// - Returns: `nil` for a request without the field.
    /// - Throws: 400 for a field that is repeated, empty, or longer than 255 bytes.
    init?(_ fields: HTTPFields, owner: String) throws(ProblemDetails) {
        let values = fields[values: .idempotencyKey]
        guard let text = values.first else { return nil }
        guard values.count == 1, (1...255).contains(text.utf8.count) else {
            throw .badRequest("Idempotency-Key: give one key of 1 to 255 bytes.")
        }
        (self.owner, self.text) = (owner, text)
    }
}

extension HTTPField.Name {
    static let idempotencyKey = Self("Idempotency-Key")!  // a token
}
