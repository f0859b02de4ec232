import FormworkResumable
import Synchronization

/// The uploads with an ``IdempotencyKey``, so that one is stored once, however often its client repeats it.
///
/// What was stored is kept in memory: of the newest uploads, up to a limit. A restart forgets it.
final class IdempotentUploads: Sendable {
    /// An upload that was stored. Sizes, digests and fields of its answer come from the upload that repeats it.
    struct Stored: Sendable {
        /// The names under which its files were stored.
        var names: [String]
        var fieldsIn: String?
        /// What an upload with the same key must have.
        var fingerprint: String

        init?(_ receipt: UploadReceipt) {
            guard let fingerprint = receipt.fingerprint else { return nil }
            (self.names, self.fieldsIn) = (receipt.files.map(\.name), receipt.fieldsIn)
            self.fingerprint = fingerprint
        }

        /// The receipt of an upload that repeats this one; `nil` if it is another upload.
        func receipt(for repeated: UploadReceipt) -> UploadReceipt? {
            guard repeated.fingerprint == self.fingerprint, repeated.files.count == self.names.count else { return nil }
            var receipt = repeated
            for (index, name) in self.names.enumerated() { receipt.files[index].name = name }
            receipt.fieldsIn = self.fieldsIn
            return receipt
        }
    }

    /// A request with a key, from its arrival until its upload occupies nothing more.
    final class Arrival: Sendable {
        fileprivate enum State {
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

        fileprivate let key: IdempotencyKey
        /// What it must have in common with another request that has the key.
        fileprivate let head: String
        /// Of two requests with one key the newer one has the higher number.
        fileprivate let number: Int
        private let state = Mutex(State.taking)
        /// Open once its slot and memory are free.
        private let occupied = Gate(limit: 0)

        fileprivate init(_ key: IdempotencyKey, _ head: String, _ number: Int) {
            (self.key, self.head, self.number) = (key, head, number)
        }

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
        fileprivate func end(_ reason: State) -> Bool {
            self.state.withLock { state in
                if state == .taking { state = reason }
                return state != .publishing
            }
        }

        /// Its upload has ended, and its slot and memory are free.
        func leave() { self.occupied.leave() }

        fileprivate func waitUntilLeft() async {
            await self.occupied.enter()
            self.occupied.leave()
        }
    }

    /// An upload that is under way.
    private typealias Running = (arrival: Arrival, task: Task<ServiceResponse, Never>)

    private enum Step {
        case begun(Running)
        /// An older request must end first.
        case waiting(for: Running)
        case repeated(Stored)
    }

    private struct Kept {
        var key: IdempotencyKey
        var head: String
        var upload: Stored
        /// Bytes of its key and names.
        var bytes: Int
    }

    private struct State {
        var running: [IdempotencyKey: Running] = [:]
        /// The oldest first.
        var kept: [Kept] = []
        /// The number of the newest request.
        var last = 0

        /// Forgets the oldest upload of the client that has most, so that no client can push out those of all others.
        mutating func forget(_ size: (Kept) -> Int) {
            var sizes: [String: Int] = [:]
            for one in self.kept { sizes[one.key.owner, default: 0] += size(one) }
            let most = sizes.values.max()
            if let index = self.kept.firstIndex(where: { sizes[$0.key.owner] == most }) { self.kept.remove(at: index) }
        }
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
        while let older = self.state.withLock({ $0.running[arrival.key] }), older.arrival.head == arrival.head,
            older.arrival.number < arrival.number
        {
            if older.arrival.end(.replaced) { older.task.cancel() }
            // It may hang in a call to the storage. The client of this one may leave meanwhile, or the receiver stop.
            let over = Task {
                _ = await older.task.value
                await older.arrival.waitUntilLeft()
            }
            if await TimeLimit.result(of: over, within: nil) == nil || Task.isCancelled { return }
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
        _ take: @escaping @Sendable (Arrival) async -> ServiceResponse
    ) async throws(ProblemDetails) -> ServiceResponse {
        while true {
            // Its client has gone, and may have begun again already.
            if Task.isCancelled { throw .replaced }
            switch try self.step(arrival, take) {
            case .begun(let running):
                return await withTaskCancellationHandler {
                    await running.task.value
                } onCancel: {
                    if running.arrival.end(.left) { running.task.cancel() }
                }
            case .waiting(let older):
                if older.arrival.end(.replaced) { older.task.cancel() }
                _ = await older.task.value
            case .repeated(let stored): return await repeated(stored)
            }
        }
    }

    private func step(
        _ arrival: Arrival, _ take: @escaping @Sendable (Arrival) async -> ServiceResponse
    ) throws(ProblemDetails) -> Step {
        try self.state.withLock { state throws(ProblemDetails) in
            if let other = state.running[arrival.key] {
                guard other.arrival.head == arrival.head else { throw .keyIsTaken }
                guard other.arrival.number < arrival.number else { throw .replaced }
                return .waiting(for: other)
            }
            if let kept = state.kept.first(where: { $0.key == arrival.key }) {
                guard kept.head == arrival.head else { throw .keyIsTaken }
                return .repeated(kept.upload)
            }
            let task = Task {
                let answer = await take(arrival)
                self.ended(arrival, answer.receipt.flatMap { Stored($0) })
                return answer
            }
            state.running[arrival.key] = (arrival, task)
            return .begun((arrival, task))
        }
    }

    private func ended(_ arrival: Arrival, _ stored: Stored?) {
        let key = arrival.key
        self.state.withLock { state in
            state.running[key] = nil
            guard let stored else { return }
            let texts = stored.names + [key.owner, key.text, arrival.head]
            let bytes = texts.reduce(0) { $0 + $1.utf8.count }
            state.kept.append(Kept(key: key, head: arrival.head, upload: stored, bytes: bytes))
            while state.kept.count > self.countLimit { state.forget { _ in 1 } }
            while state.kept.reduce(0, { $0 + $1.bytes }) > self.byteLimit { state.forget(\.bytes) }
        }
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
    static let idempotencyKey = Self(known: "Idempotency-Key")
}
