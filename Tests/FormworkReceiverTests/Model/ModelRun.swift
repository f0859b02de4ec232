#if os(Linux)
import AsyncHTTPClient
import FormworkHTTP
@testable import FormworkReceiver
@testable import FormworkResumable
import Foundation
import Logging
import NIOHTTP1
import Synchronization

/// One order of steps: receivers with their own memory, a bucket that they share, and clients.
///
/// A receiver is the code itself, from ``ResumableHandler`` down to ``S3Client``. Only its requests to the store wait here
/// until they are chosen. Everything happens on one thread, in ``ModelLoop``.
final class ModelRun: @unchecked Sendable {
    /// What a client or a sweep does at its receiver.
    typealias Script = @Sendable (ModelClient) async -> Void

    struct Scenario: Sendable {
        var name: String
        /// Bytes of the upload.
        var length: Int
        /// Bytes that the upload has when the receivers begin. If it has all, it wasn't processed.
        var begun = 0
        /// One for each receiver.
        var scripts: [Script]
        /// How many requests are made whose answer is lost.
        var lost = 0
        /// The operation of these requests; `nil` for all of which it isn't clear that making them twice does no harm.
        var losing: String?
        /// How many receivers are killed.
        var kills = 0
        /// Whether an upload may be removed before it is complete.
        var expires = false
        /// How many names for the file are tried in an order that is followed to its end.
        var names = 1
    }

    /// A step.
    enum Choice: Hashable {
        /// The store answers a receiver's oldest request.
        case answer(Int)
        /// The store does what the request asks for, and its answer is lost: it will be made again.
        case lose(Int)
        /// The receiver is killed.
        case kill(Int)
    }

    private struct Pending {
        var request: S3Request
        var continuation: UnsafeContinuation<Result<(answer: S3Response, attempts: Int), any Error>, Never>
    }

    private struct Player {
        var pending: [Pending] = []
        var isDone = true
    }

    /// All that decides what can happen next: a receiver does what follows from what it has seen.
    private struct World {
        var store: ModelStore
        /// Identifies what each receiver has seen.
        var histories: [Int]
        /// How often each receiver's oldest request has been made.
        var attempts: [Int]
        var killed: Set<Int> = []
        var lost: Int
        var kills: Int

        /// Equal for two orders after which the same can happen.
        var identity: Int {
            var hasher = Hasher()
            hasher.combine(self.histories)
            hasher.combine(self.attempts)
            hasher.combine(self.killed)
            hasher.combine(self.store.identity)
            hasher.combine(self.lost)
            hasher.combine(self.kills)
            return hasher.finalize()
        }

        /// Takes a step.
        /// - Returns: What the store did.
        mutating func take(_ choice: Choice, _ request: S3Request?) -> ModelStore.Outcome? {
            switch choice {
            case .kill(let receiver):
                self.kills -= 1
                self.killed.insert(receiver)
                return nil
            case .lose(let receiver):
                self.lost -= 1
                defer { self.attempts[receiver] += 1 }
                return self.perform(request, receiver)
            case .answer(let receiver):
                let outcome = self.perform(request, receiver)
                if let outcome, let request { self.remember(outcome, request, receiver) }
                self.attempts[receiver] = 1
                return outcome
            }
        }

        private mutating func perform(_ request: S3Request?, _ receiver: Int) -> ModelStore.Outcome? {
            var hasher = Hasher()
            hasher.combine(receiver)
            hasher.combine(self.histories[receiver])
            return request.map { self.store.perform($0, by: receiver, id: hasher.finalize()) }
        }

        private mutating func remember(_ outcome: ModelStore.Outcome, _ request: S3Request, _ receiver: Int) {
            var hasher = Hasher()
            // Pieces are deleted in any order.
            if request.operation != "DeleteObject" { hasher.combine(self.histories[receiver]) }
            hasher.combine(request.operation)
            hasher.combine(outcome.identity)
            hasher.combine(self.attempts[receiver])
            self.histories[receiver] =
                request.operation == "DeleteObject"
                ? self.histories[receiver] &+ hasher.finalize() : hasher.finalize()
        }
    }

    static let partSize = 4
    private let scenario: Scenario
    private let rig: ModelRig
    private let lock = NSRecursiveLock()
    private var players: [Player]
    private var isDead = false
    private var world: World
    private(set) var path = ""
    private(set) var log: [String] = []
    /// Whether the next steps have been taken, and checked, before.
    var isRepeating = false
    /// What a step has broken; `nil` for nothing.
    private(set) var violation: String?
    /// The most bytes that a client was told are kept.
    private(set) var told: Int64 = 0
    /// Bytes that a client was told are kept, and which client sent them.
    private var kept: [(client: UInt8, range: Range<Int>)] = []
    /// From where each client has added bytes.
    private var starts: [UInt8: Set<Int>] = [:]

    init(_ scenario: Scenario, _ rig: ModelRig, _ broken: ModelBreak?) {
        (self.scenario, self.rig) = (scenario, rig)
        let count = rig.exchanges.count
        self.players = Array(repeating: Player(), count: count)
        self.world = World(
            store: ModelStore(broken), histories: Array(repeating: 0, count: count),
            attempts: Array(repeating: 1, count: count), lost: scenario.lost, kills: scenario.kills)
        for receiver in rig.exchanges.indices { rig.boxes[receiver].run = self }
    }

    private var store: ModelStore { self.world.store }

    // MARK: Steps

    /// Begins the upload, and lets each receiver come to its first request.
    func begin() {
        let last = self.rig.exchanges.count - 1
        let begun = self.scenario.begun
        self.alone(last) {
            await $0.create()
            if begun > 0 { await $0.fill(begun) }
        }
        for (receiver, script) in self.scenario.scripts.enumerated() { self.start(receiver, script) }
        self.settle()
    }

    private func start(_ receiver: Int, _ script: @escaping Script) {
        self.players[receiver].isDone = false
        let client = ModelClient(self, receiver, length: self.scenario.length, self.rig)
        Task {
            await script(client)
            self.lock.withLock { self.players[receiver].isDone = true }
        }
    }

    /// Runs one receiver to its end, in the only order that there is.
    private func alone(_ receiver: Int, _ script: @escaping Script) {
        self.start(receiver, script)
        self.settle()
        while !self.players[receiver].isDone, self.violation == nil {
            guard !self.players[receiver].pending.isEmpty else { return self.fail("receiver \(receiver) is stuck") }
            self.take(.answer(receiver))
        }
    }

    /// Runs everything until each receiver waits for the store.
    private func settle() {
        while true {
            ModelLoop.shared.drain()
            let isWaiting = self.lock.withLock {
                self.players.enumerated().allSatisfy {
                    $1.isDone || self.world.killed.contains($0) || !$1.pending.isEmpty
                }
            }
            if isWaiting { return }
            // A file that isn't copied is read on a thread.
            guard ModelLoop.shared.wait() else { return self.fail("a receiver waits for nothing") }
        }
    }

    /// Whether a receiver tries another name than those that are followed: both can give way to each other often.
    var isCut: Bool {
        let name = "(\(self.scenario.names))"
        return self.players.flatMap(\.pending).contains {
            $0.request.key?.contains(name) ?? false || $0.request.query.contains { $0.value.contains(name) }
        }
    }

    /// All steps that are possible now.
    var choices: [Choice] {
        guard self.violation == nil else { return [] }
        var choices: [Choice] = []
        for (receiver, player) in self.players.enumerated() where !self.world.killed.contains(receiver) {
            guard let first = player.pending.first else { continue }
            choices.append(.answer(receiver))
            if self.world.lost > 0, self.world.attempts[receiver] == 1, first.request.isLosable,
                self.scenario.losing ?? first.request.operation == first.request.operation
            {
                choices.append(.lose(receiver))
            }
            // One that is killed earlier does no more than one that waits until the others have ended.
            if self.world.kills > 0, self.players.enumerated().allSatisfy({ $0 == receiver || $1.isDone }) {
                choices.append(.kill(receiver))
            }
        }
        return choices
    }

    var identity: Int { self.world.identity }

    /// The identity that a step would lead to.
    func identity(after choice: Choice) -> Int {
        var world = self.world
        _ = world.take(choice, self.request(of: choice))
        return world.identity
    }

    private func request(of choice: Choice) -> S3Request? {
        switch choice {
        case .answer(let receiver), .lose(let receiver): self.players[receiver].pending.first?.request
        case .kill: nil
        }
    }

    func take(_ choice: Choice) {
        let request = self.request(of: choice)
        var attempts = 1
        if case .answer(let receiver) = choice { attempts = self.world.attempts[receiver] }
        let outcome = self.world.take(choice, request)
        if !self.isRepeating { self.note(choice, request, outcome) }
        guard case .answer(let receiver) = choice, let outcome else { return }
        let pending = self.lock.withLock { self.players[receiver].pending.removeFirst() }
        pending.continuation.resume(
            returning: outcome.result.map { ($0, attempts) }.mapError {
                var error = $0
                error.attempts = attempts
                return error
            })
        self.settle()
    }

    private func note(_ choice: Choice, _ request: S3Request?, _ outcome: ModelStore.Outcome?) {
        guard let request, let outcome else { return self.log.append("\(choice)") }
        let status = if case .failure(let error) = outcome.result { error.status } else { 200 as UInt }
        self.log.append("\(choice) \(request.operation) \(request.key ?? "") \(status)")
        if status == 200, request.changesState { self.check(request) }
    }

    // MARK: A receiver's requests

    func send(_ request: S3Request, from receiver: Int) async throws -> (answer: S3Response, attempts: Int) {
        try Task.checkCancellation()
        let result = await withUnsafeContinuation { continuation in
            let isDead = self.lock.withLock {
                if !self.isDead {
                    self.players[receiver].pending.append(Pending(request: request, continuation: continuation))
                }
                return self.isDead
            }
            if isDead { continuation.resume(returning: .failure(CancellationError())) }
        }
        try Task.checkCancellation()
        return try result.get()
    }

    /// Ends all tasks.
    func end() {
        let left = self.lock.withLock {
            self.isDead = true
            defer { for index in self.players.indices { self.players[index].pending = [] } }
            return self.players.flatMap(\.pending)
        }
        for pending in left { pending.continuation.resume(returning: .failure(CancellationError())) }
        ModelLoop.shared.drain()
    }

    // MARK: Invariants

    private func fail(_ what: String) { if self.violation == nil { self.violation = what } }

    /// What must hold after each change of the bucket.
    private func check(_ request: S3Request) {
        if self.store.files.count > 1 { return self.fail("two objects are placed") }
        guard let state = self.store.state else { return }
        if request.operation == "CompleteMultipartUpload", state.place == .kept {
            let id = request.query.first { $0.name == "uploadId" }?.value
            if !(state.placings ?? []).contains(where: { $0.upload == id }) {
                self.fail("a receiver that lost the fence placed an object")
            }
        }
        for piece in state.bytes.pieces + [state.mark?.tail].compactMap({ $0 }) where state.place == .kept {
            // `self.store` may rename keys.
            let found = self.store.objects[piece.key]
            if self.store.broken != .sharesKeys, found?.bytes.count != Int(piece.count) {
                self.fail("a piece that the state names is gone")
            }
        }
        if state.place == .kept, state.bytes.count < self.told { self.fail("acknowledged bytes are lost") }
    }

    /// Bytes that the upload has for sure: those of its state, or all of them if it was processed.
    var saved: Int64 {
        guard let state = self.store.state else { return self.told }
        return max(self.told, state.place == .kept ? state.bytes.count : Int64(self.scenario.length))
    }

    /// A client was told how many bytes are kept.
    func told(_ offset: Int64, least: Int64) {
        if offset < least { self.fail("a client was told \(offset) after \(least)") }
        self.told = max(self.told, offset)
        if offset == self.scenario.length, self.store.files.count != 1 {
            self.fail("an upload is said to be complete, and has \(self.store.files.count) objects")
        }
    }

    func adds(_ client: UInt8, from offset: Int64) { self.starts[client, default: []].insert(Int(offset)) }

    func kept(_ client: UInt8, _ range: Range<Int>) { self.kept.append((client, range)) }

    /// Whether a client may find nothing.
    func missed() {
        if !self.scenario.expires { self.fail("the upload is missing") }
    }

    /// A client that is alone doesn't get on.
    func stuck() { self.fail("the upload can't be completed, or its answer is gone") }

    /// A client's upload was refused for good.
    func refused(_ status: Int) { self.fail("a complete upload was refused: \(status)") }

    func created(_ path: String) { self.path = path }

    /// What must hold at the end of each order: the upload can be completed, its answer can be asked for again, and after
    /// the sweep nothing else is left.
    func finish() {
        // What new receivers do follows from the bucket alone.
        guard self.violation == nil, self.rig.ends.insert(self.ending).inserted else { return }
        let (third, fourth) = (self.players.count - 2, self.players.count - 1)
        let exists = self.store.state.map { $0.place != .removed } ?? false
        if exists {
            self.alone(third) { await $0.complete(as: 0x80, tries: 3) }
            self.alone(fourth) { await $0.expectAnswer() }
            guard self.violation == nil else { return }
            self.checkFile()
        } else if !self.scenario.expires {
            return self.fail("the upload is gone")
        } else if !self.store.files.isEmpty {
            self.checkFile()
        }
        self.world.store.hours = 5
        self.alone(fourth) { await $0.sweep() }
        guard self.violation == nil else { return }
        if self.store.objects.count != self.store.files.count || !self.store.uploads.isEmpty {
            self.fail("after the sweep the bucket has \(self.store.objects.keys.sorted()), \(self.store.uploads)")
        }
    }

    /// Equal for two ends from which new receivers do the same, and which must satisfy the same.
    private var ending: Int {
        var hasher = Hasher()
        for file in self.store.files.sorted(by: { $0.key < $1.key }) {
            hasher.combine(file.key)
            hasher.combine(file.object.bytes)
        }
        if let state = self.store.state {
            let record = UploadRecord(Array(state.record))
            hasher.combine(state.place)
            hasher.combine(state.bytes.pieces.map { self.store.objects[$0.key]?.bytes })
            hasher.combine(state.mark?.parts)
            hasher.combine(state.mark?.tail.map { self.store.objects[$0.key]?.bytes })
            hasher.combine(state.placings?.map(\.upload))
            hasher.combine(record?.answer != nil)
            hasher.combine(record?.isWhole)
        }
        hasher.combine(Set(self.store.uploads.keys))
        hasher.combine(self.store.objects.count)
        hasher.combine(self.told)
        for (client, range) in self.kept {
            hasher.combine(client)
            hasher.combine(range)
        }
        hasher.combine(self.starts)
        hasher.combine(self.scenario.expires)
        return hasher.finalize()
    }

    private func checkFile() {
        guard self.store.files.count == 1, let file = self.store.files.first else {
            return self.fail("\(self.store.files.count) objects are placed")
        }
        let bytes = file.object.bytes
        guard bytes.count == self.scenario.length, bytes.enumerated().allSatisfy({ Int($1 & 0xF) == $0 }) else {
            return self.fail("the file has other bytes: \(bytes)")
        }
        for index in bytes.indices.dropFirst() where bytes[index] & 0xF0 != bytes[index - 1] & 0xF0 {
            guard self.starts[bytes[index] & 0xF0]?.contains(index) == true else {
                return self.fail("two clients' bytes are mixed: \(bytes)")
            }
        }
        for (client, range) in self.kept where !bytes[range].allSatisfy({ $0 & 0xF0 == client }) {
            return self.fail("acknowledged bytes are others: \(bytes)")
        }
    }
}

extension S3Request {
    /// Whether it changes something that another receiver sees.
    fileprivate var changesState: Bool { self.method != .GET && self.method != .HEAD }

    /// Whether it isn't clear that making it twice does no harm.
    fileprivate var isLosable: Bool {
        switch self.operation {
        case "PutObject": self.headers.contains { $0.name.hasPrefix("If-") }
        case "CreateMultipartUpload", "CompleteMultipartUpload", "AbortMultipartUpload": true
        default: false
        }
    }
}

/// What lasts for all runs: connections, which are never used.
final class ModelRig {
    /// Where a receiver's requests go.
    final class Box: @unchecked Sendable { weak var run: ModelRun? }

    let exchanges: [S3Exchange]
    let boxes: [Box]
    /// The ends of orders that have been followed to their conclusion.
    var ends: Set<Int> = []

    init(receivers: Int) throws {
        let settings = try AWSSettings.test("http://127.0.0.1:1")
        let boxes = (0..<receivers).map { _ in Box() }
        self.boxes = boxes
        let address = try S3Address(endpoint: settings.endpoint, region: settings.region, bucket: "bucket")
        self.exchanges = boxes.enumerated().map { index, box in
            S3Exchange(
                address: address, signer: SigV4(credentials: settings.credentials, region: settings.region),
                patience: S3Patience(), logger: Self.logger,
                standIn: { request in
                    guard let run = box.run else { throw CancellationError() }
                    return try await run.send(request, from: index)
                })
        }
    }

    static let logger = Logger(label: "model", factory: { _ in SwiftLogNoOpLogHandler() })

    func close() async { for exchange in self.exchanges { try? await exchange.http.shutdown() } }
}
#endif
