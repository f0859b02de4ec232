import FormworkResumable
import Logging
import ServiceLifecycle
import Synchronization
import FormworkEssentials

/// Asks a program of the operator's before an upload is accepted, and reports when it was stored or has failed.
///
/// A report is delivered at least once: it is kept in a ``RecordBox`` until an answer 2xx to it, by whichever receiver sends
/// it. It has the same id each time.
final class Hooks: Service, Sendable {
    struct Options: Sendable {
        var url: String
        var secret: HookSecret
        /// How long a request may take.
        var limit: Duration = .seconds(10)
        /// Whether uploads are accepted if the hook can't be asked.
        var acceptsWithoutAnswer = false
        /// How often messages of others are looked for.
        var sweepPause: Duration = .seconds(60)
        /// The wait before the second try of a report. It grows fourfold each time.
        var firstDelay: Duration = .seconds(5)
        var longestDelay: Duration = .seconds(3_600)
        /// How long a report is tried.
        var keepTime: Duration = .seconds(3 * 86_400)
        /// How old the message of an upload that is being stored must be before it counts as left by a killed receiver, in
        /// seconds.
        var intentAge = 900.0

        init(_ url: String, _ secret: HookSecret) { (self.url, self.secret) = (url, secret) }
    }

    private struct Try {
        var count = 0
        var next: ContinuousClock.Instant = .now
        var isUnderWay = false
    }

    private struct State {
        var tries: [String: Try] = [:]
        /// Uploads of this process that are being stored.
        var storing: Set<String> = []
        var underWay = 0
        /// Messages that can't be read, which is logged once.
        var damaged: Set<String> = []
    }

    private let options: Options
    /// Reports have connections of their own, so that slow answers to them don't keep uploads from being asked about.
    private let (asking, reporting): (HookClient, HookClient)
    let box: any RecordBox
    private let metrics: MemoryMetrics?
    let logger: Logger
    private let state = Mutex(State())
    /// Where unfinished uploads are.
    let unfinished = Mutex<UploadStore?>(nil)
    /// Reports that are sent at once.
    private static let atOnce = 16
    /// The most bytes of a form's fields in a report; beyond, its file has them.
    private static let fieldBytes = 64 << 10

    init(_ options: Options, box: any RecordBox, metrics: MemoryMetrics? = nil, logger: Logger) {
        (self.options, self.box, self.metrics, self.logger) = (options, box, metrics, logger)
        self.asking = HookClient(options.url, options.secret, limit: options.limit, connections: 256)
        self.reporting = HookClient(options.url, options.secret, limit: options.limit, connections: Self.atOnce)
    }

    // MARK: Asking

    /// Asks whether to accept an upload.
    /// - Parameter isForm: Whether it is a form, whose files have their own names.
    /// - Returns: The terms, with what the answer sets.
    /// - Throws: The refusal; 503 if the hook doesn't answer, or with something that can't be used. `CancellationError` if
    ///   the upload was dropped, or its client is gone.
    func ask(_ upload: HookEvent.Upload, isForm: Bool, _ terms: UploadTerms) async throws -> UploadTerms {
        var terms = terms
        terms.asked = upload
        let event = HookEvent(.asked, upload)
        do {
            let answer = try await self.post(event)
            switch answer.status {
            case 200..<300:
                try HookResponse(answer.body).apply(to: &terms, isForm: isForm)
                terms.asked?.metadata = terms.metadata
                return terms
            case 400..<500:
                throw HookResponse.refusal(status: answer.status, contentType: answer.contentType, body: answer.body)
            default: return try self.unasked(terms, "its answer has the status \(answer.status)", mayAccept: true)
            }
        } catch let refusal as ProblemDetails {
            throw refusal
        } catch let error as HookResponse.Unusable {
            return try self.unasked(terms, "its answer \(error)", mayAccept: false)
        } catch {
            try Task.checkCancellation()
            return try self.unasked(terms, "\(error)", mayAccept: true)
        }
    }

    /// The terms without an answer that can be used.
    /// - Throws: 503, unless such uploads are accepted.
    private func unasked(
        _ terms: UploadTerms, _ reason: String, mayAccept: Bool
    ) throws(ProblemDetails) -> UploadTerms {
        let accepts = mayAccept && self.options.acceptsWithoutAnswer
        self.logger.error(
            "an upload was \(accepts ? "accepted" : "refused") without a usable answer from the hook",
            metadata: ["reason": "\(reason.withControlCharactersEscaped)", "upload": "\(terms.asked?.upload ?? "")"])
        guard accepts else { throw .unavailable("The upload can't be checked at the moment: try again later.") }
        return terms
    }

    private func post(_ event: HookEvent) async throws -> HookClient.Reply {
        let start = ContinuousClock.now
        var code = "error"
        defer {
            self.metrics?.record(ContinuousClock.now - start, .hookSeconds, event.type.rawValue)
            self.metrics?.count(.hookRequests, event.type.rawValue, code)
        }
        let answer = try await (event.type == .asked ? self.asking : self.reporting).post(event)
        code = "\(answer.status)"
        return answer
    }

    // MARK: Reporting

    /// The message that an upload was stored, to be kept with its files; `nil` for an upload that wasn't asked about.
    func notice(
        for terms: UploadTerms, _ files: [UploadReceipt.File], _ fields: [UploadReceipt.Field]
    ) -> StoredNotice? {
        guard let asked = terms.asked else { return nil }
        var upload = asked
        let size = fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
        if !fields.isEmpty { upload.fields = size <= Self.fieldBytes ? fields : [] }
        let described = upload
        let name = HookEvent(.stored, upload).id
        let time = Date.now.formatted(.iso8601)
        self.storing(name, true)
        return StoredNotice(box: self.box, name: name) { names in
            var upload = described
            upload.files = files.named(names)
            upload.fieldsIn = names.count > files.count ? names.last : nil
            return HookEvent(.stored, upload, timestamp: time)
        }
    }

    /// An upload's files were stored, with the message, or nothing was.
    func ended(_ notice: StoredNotice, wasStored: Bool) {
        self.storing(notice.name, false)
        if wasStored { self.send(notice.name) }
    }

    /// Reports that an upload failed that the hook had accepted.
    func failed(_ terms: UploadTerms, status: Int, _ detail: String?) async {
        guard var upload = terms.asked else { return }
        (upload.status, upload.detail) = (status, detail)
        let notice = Notice(HookEvent(.failed, upload))
        // In a separate task: the request's task may be cancelled.
        await Task { if await !self.keepAndSend(notice) { _ = try? await self.post(notice.event) } }.value
    }

    /// Notes, or no longer, that this process will replace a message.
    func storing(_ name: String, _ isStoring: Bool) {
        self.state.withLock { state in
            if isStoring { _ = state.storing.insert(name) } else { _ = state.storing.remove(name) }
        }
    }

    func keep(_ notice: Notice) async throws { try await self.box.put(notice.bytes, notice.event.id) }

    /// - Returns: Whether it could be kept, which is logged otherwise.
    @discardableResult
    func keepAndSend(_ notice: Notice) async -> Bool {
        do { try await self.keep(notice) } catch {
            self.logger.error("a message to the hook can't be kept", metadata: ["reason": "\(error)"])
            return false
        }
        self.send(notice.event.id)
        return true
    }

    /// Sends a kept message soon.
    func send(_ name: String) {
        // A sweep may have found it already, and may be sending it.
        self.state.withLock { $0.tries[name, default: Try()].next = .now }
        self.showPending()
        self.sendDue()
    }

    private func showPending() {
        // Within the lock, so that of two numbers the later one stays.
        self.state.withLock { self.metrics?.show([.hookMessagesPending: $0.tries.count]) }
    }

    private func sendDue() {
        while let name = self.takeDue() {
            Task {
                await self.deliver(name)
                self.state.withLock { $0.underWay -= 1 }
                self.showPending()
                self.sendDue()
            }
        }
    }

    /// The next message whose time has come.
    private func takeDue() -> String? {
        self.state.withLock { state in
            guard state.underWay < Self.atOnce else { return nil }
            let now = ContinuousClock.now
            guard let name = state.tries.first(where: { !$0.value.isUnderWay && $0.value.next <= now })?.key else {
                return nil
            }
            state.tries[name]?.isUnderWay = true
            state.underWay += 1
            return name
        }
    }

    private func deliver(_ name: String) async {
        do {
            // Another receiver may have sent it.
            guard let bytes = try await self.box.get(name), let notice = Notice(bytes) else {
                return self.state.withLock { $0.tries[name] = nil }
            }
            if notice.event.age > self.options.keepTime {
                try await self.giveUp(name)
                return self.state.withLock { $0.tries[name] = nil }
            }
            if let traces = notice.traces {
                // It couldn't be replaced when its files were stored, which may have got other names.
                let outcome = try await self.settle(notice.event, traces, name)
                self.state.withLock { $0.tries[name] = nil }
                return self.send(outcome)
            }
            let answer = try await self.post(notice.event)
            guard 200..<300 ~= answer.status else {
                return self.postpone(name, "the status \(answer.status)")
            }
            try? await self.box.remove(name)
            self.state.withLock { $0.tries[name] = nil }
        } catch {
            self.postpone(name, "\(error)")
        }
    }

    private func giveUp(_ name: String) async throws {
        try await self.box.remove(name)
        self.logger.error("a message to the hook is too old and was dropped", metadata: ["message": "\(name)"])
        self.metrics?.count(.hookMessagesGivenUp)
    }

    private func postpone(_ name: String, _ reason: String) {
        let count = self.state.withLock { state -> Int in
            var next = state.tries[name] ?? Try()
            next.isUnderWay = false
            let delay = self.options.firstDelay * (1 << (2 * min(next.count, 10)))
            next.count += 1
            next.next = .after(min(delay, self.options.longestDelay) * Double.random(in: 0.8...1))
            state.tries[name] = next
            return next.count
        }
        self.logger.log(
            level: count == 1 ? .warning : .notice, "a message to the hook will be sent again",
            metadata: [
                "message": "\(name)", "reason": "\(reason.withControlCharactersEscaped)",
                "try": .stringConvertible(count),
            ])
    }

    // MARK: Messages of others

    func run() async throws {
        await cancelWhenGracefulShutdown {
            var lastSweep: ContinuousClock.Instant?
            while !Task.isCancelled {
                if lastSweep.map({ ContinuousClock.now - $0 >= self.options.sweepPause }) ?? true {
                    lastSweep = .now
                    // Not waited for at the end: it uses the storage, which may have stopped responding.
                    let sweeping = Task { await self.sweep() }
                    if await TimeLimit.result(of: sweeping, within: nil) == nil { sweeping.cancel() }
                }
                self.sendDue()
                try? await Task.sleep(for: min(self.options.firstDelay, self.options.sweepPause, .seconds(5)).asWait)
            }
        }
    }

    /// Ends the connections.
    func close() async {
        await self.asking.close()
        await self.reporting.close()
    }

    /// Looks for messages that others have left.
    func sweep() async {
        do {
            let known = self.state.withLock { Set($0.tries.keys) }
            let found = try await self.box.list()
            // Those that another receiver has sent.
            let gone = known.subtracting(found.map(\.name))
            self.state.withLock { state in
                for name in gone where state.tries[name]?.isUnderWay == false { state.tries[name] = nil }
                state.damaged.formIntersection(found.map(\.name))
            }
            for (name, age) in found {
                let isKnown = self.state.withLock { $0.tries[name] != nil || $0.storing.contains(name) }
                guard !isKnown, age >= self.box.leastAge else { continue }
                // One that can't be read must not keep the others from being sent.
                do { try await self.takeOver(name, age) } catch {
                    self.logger.warning(
                        "a message to the hook can't be sent", metadata: ["message": "\(name)", "reason": "\(error)"])
                }
            }
            self.showPending()
        } catch {
            self.logger.warning("can't look for messages to the hook", metadata: ["reason": "\(error)"])
        }
    }

    /// Takes a message that another receiver has left.
    private func takeOver(_ name: String, _ age: Double) async throws {
        guard let bytes = try await self.box.get(name) else { return }
        guard let notice = Notice(bytes) else {
            if self.state.withLock({ $0.damaged.insert(name).inserted }) {
                self.logger.warning(
                    "a message to the hook can't be sent",
                    metadata: ["message": "\(name)", "reason": "it is damaged"])
            }
            return
        }
        guard notice.event.age <= self.options.keepTime else { return try await self.giveUp(name) }
        guard notice.traces != nil || notice.removing != nil else {
            self.state.withLock { $0.tries[name] = $0.tries[name] ?? Try() }
            return
        }
        guard age >= self.options.intentAge else { return }
        if let traces = notice.traces { self.send(try await self.settle(notice.event, traces, name)) }
        if let upload = notice.removing { try await self.settle(notice.event, removing: upload, name) }
    }

    /// Finds out whether the files of a killed receiver were stored, and replaces its message by that of the outcome.
    /// - Returns: The name of the message to send.
    private func settle(_ event: HookEvent, _ traces: [Notice.Trace], _ name: String) async throws -> String {
        var event = event
        var files: [UploadReceipt.File] = []
        for (file, trace) in zip(event.data.files ?? [], traces) {
            guard let found = try await self.box.name(of: trace) else { continue }
            files.append(file)
            files[files.count - 1].name = found
        }
        event.data.files = files
        if files.count == traces.count {
            try await self.box.put(Notice(event).bytes, name)
            return name
        }
        (event.data.status, event.data.detail) = (500, "The receiver was stopped before the files were stored.")
        if files.isEmpty { event.data.files = nil }
        let failure = Notice(HookEvent(.failed, event.data))
        try await self.box.put(failure.bytes, failure.event.id)
        try await self.box.remove(name)
        return failure.event.id
    }
}

extension HookEvent {
    /// How long ago it happened.
    fileprivate var age: Duration {
        guard let date = try? Date(self.timestamp, strategy: .iso8601) else { return .zero }
        return .seconds(max(0, Date.now.timeIntervalSince(date)))
    }
}
