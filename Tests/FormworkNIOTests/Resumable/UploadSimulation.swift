@testable import FormworkCore
@testable import FormworkClient
@testable import FormworkResumable
import Testing

/// A server in memory with scripted loss of data.
struct SimulatedServer {
    struct Upload {
        var resource: UploadResource
        var bytes: [UInt8] = []
    }

    var limits = UploadLimits()
    /// The drafts it knows; it refuses others as NIOResumableUpload does.
    var drafts = Set(UploadDraft.allCases)
    var uploads: [String: Upload] = [:]
    /// The processed uploads, in order.
    var processed: [[UInt8]] = []
    private var last = 0

    init() {}

    /// - Returns: The final answer; `nil` when the request was cut.
    mutating func handle(
        _ request: HTTPRequest, _ content: ArraySlice<UInt8>, wasWhole: Bool, chunk: Int,
        inform: (HTTPResponse) -> Void
    ) -> ResumableResponse? {
        if let version = request.headerFields[.uploadDraftInteropVersion].flatMap({ Int($0) }),
            !self.drafts.contains(where: { $0.rawValue == version })
        {
            var answer = ResumableResponse(.badRequest, [.contentLength: "0"])
            answer.response.headerFields.interopVersion = self.drafts.max()
            return answer
        }
        let path = request.path ?? ""
        if path.hasPrefix("/u/"), self.uploads[path] == nil { return UploadResource.missing(nil) }
        switch UploadRequest(request, resource: self.uploads[path]?.resource.uploadProtocol) {
        case .plain:
            guard wasWhole else { return nil }
            self.processed.append(Array(content))
            return ResumableResponse(.ok)
        case .refused(let answer): return answer
        case .options: return UploadResource.options(limits: self.limits)
        case .cancel:
            self.uploads[path] = nil
            return ResumableResponse(.noContent)
        case .offset: return self.uploads[path]?.resource.offsetAnswer()
        case .create(let creation):
            if let refusal = UploadResource.refusal(of: creation, limits: self.limits) { return refusal }
            self.last += 1
            let path = "/u/\(self.last)"
            self.uploads[path] = Upload(resource: UploadResource(creation, limits: self.limits))
            if let offer = self.uploads[path]?.resource.offer(location: path) { inform(offer) }
            return self.receive(path, content, wasWhole, chunk, isCreation: true, inform)
        case .append(let append):
            if let refusal = self.uploads[path]?.resource.begin(append) { return refusal }
            return self.receive(path, content, wasWhole, chunk, isCreation: false, inform)
        }
    }

    private mutating func receive(
        _ path: String, _ content: ArraySlice<UInt8>, _ wasWhole: Bool, _ chunk: Int, isCreation: Bool,
        _ inform: (HTTPResponse) -> Void
    ) -> ResumableResponse? {
        guard var upload = self.uploads[path] else { return nil }
        defer { self.uploads[path] = upload }
        var rest = content
        while !rest.isEmpty {
            let piece = rest.prefix(chunk)
            rest = rest.dropFirst(piece.count)
            if let refusal = upload.resource.take(piece.count) { return refusal }
            upload.bytes += piece
            if let progress = upload.resource.progress() { inform(progress) }
        }
        switch upload.resource.end(wasWhole: wasWhole) {
        case .refused(let answer): return answer
        case .more:
            return wasWhole
                ? upload.resource.appended(isCreation: isCreation, location: isCreation ? path : nil) : nil
        case .whole:
            if !upload.resource.isProcessed {
                self.processed.append(upload.bytes)
                upload.resource.processed()
            }
            return upload.resource.final(ResumableResponse(.ok), location: isCreation ? path : nil)
        }
    }
}

/// Drives a client machine against the server over a network that breaks.
struct Simulation {
    var server = SimulatedServer()
    var client: ResumableSend
    let body: [UInt8]
    var generator: SplitMix64
    /// How many more failures may happen.
    var faults: Int
    var knowsLength: Bool
    var requests: [HTTPRequest] = []
    var losesUploads = false
    private(set) var waits = 0

    init(_ client: ResumableSend, body: [UInt8], seed: UInt64, faults: Int) {
        (self.client, self.body, self.faults) = (client, body, faults)
        self.generator = SplitMix64(seed: seed)
        self.knowsLength = client.length != nil
    }

    mutating func run() throws -> ResumableSend.Step {
        for _ in 0..<2000 {
            let step = self.client.step()
            switch step {
            case .done, .fail: return step
            case .wait: self.waits += 1
            case .send(let request, let range): self.exchange(request, range)
            }
        }
        throw Cut()
    }

    private mutating func exchange(_ request: HTTPRequest, _ range: UploadRange?) {
        self.requests.append(request)
        let start = Int(range?.offset ?? 0)
        let end = range.map { min(self.body.count, start + Int($0.count ?? Int64(self.body.count))) } ?? start
        let fault = self.faults > 0 ? Int.random(in: 0..<9, using: &self.generator) : 9
        if fault < 8 { self.faults -= 1 }
        if fault == 0 { return self.client.lost(Cut(), wasReached: false) }
        if fault == 1 {
            return self.client.answered(HTTPResponse(status: .init(code: 503)), retryAfter: .seconds(1))
        }
        if fault == 2, self.losesUploads {
            self.server.uploads = self.server.uploads.filter { $0.value.resource.isProcessed }
        }
        let isCut = fault == 3 || fault == 4
        let arrived = isCut && start < end ? Int.random(in: start..<end, using: &self.generator) : end
        var answers: [HTTPResponse] = []
        let chunk = Int.random(in: 1...max(1, self.body.count), using: &self.generator)
        let answer = self.server.handle(
            request, self.body[start..<arrived], wasWhole: !isCut || start == end && range?.count != nil,
            chunk: chunk
        ) { answers.append($0) }
        // More may have left the client than arrived.
        self.client.sending(upTo: Int64(isCut ? Int.random(in: arrived...end, using: &self.generator) : end))
        if end == self.body.count, !isCut, range != nil { self.client.bodyEnded(at: Int64(end)) }
        if fault == 5 { answers = answers.flatMap { [$0, $0] } }
        if fault == 6 { answers = [] }
        for answer in answers where !self.client.learns(from: answer) { return }
        if fault == 7 || isCut || answer == nil { return self.client.lost(Cut()) }
        if let answer { self.client.answered(answer.response) }
    }
}

extension HTTPRequest {
    static func post(_ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(
            method: .post, scheme: "https", authority: "example.com", path: "/project/123/files",
            headerFields: fields)
    }
}

/// The machine, for tests of the protocol alone: the events are about the upload's requests, and not about the transfer.
extension ResumableSend {
    /// How an upload ended.
    struct Outcome {
        var response: HTTPResponse
        var isAnswerLost: Bool
        var isOver: Bool
    }

    enum Step {
        case send(HTTPRequest, UploadRange?)
        case wait(Duration)
        case done(Outcome)
        case fail(TransferError)
    }

    /// - Parameters:
    ///   - length: Bytes of the body; `nil` if the length isn't known before the end.
    ///   - link: A saved upload to resume.
    init(
        _ request: HTTPRequest, length: Int64?, isReplayable: Bool = true, options: ResumingOptions = ResumingOptions(),
        rules: UploadOptions = UploadOptions(), continuing link: SavedUpload? = nil
    ) throws {
        let source: BodySource =
            if !isReplayable {
                .stream(once: Nothing(), length: length)
            } else if let length {
                .synthetic(count: length)
            } else {
                .stream { _ in Nothing() }
            }
        let type = request.headerFields[.contentType] ?? "text/plain"
        var options = options
        options.link = link
        try self.init(try BodyPlan(content: source, contentType: type), request, options, rules)
    }

    /// The next step; a pause of no time is none.
    mutating func step() -> Step {
        switch self.next() {
        case .pause(.zero, _): return self.step()
        case .pause(let duration, _): return .wait(duration)
        case .answered(let response):
            return .done(Outcome(response: response, isAnswerLost: self.isAnswerLost, isOver: self.isOver))
        case .failed(let error): return .fail(error as? TransferError ?? TransferError(.receive, "\(error)"))
        case .exchange(let request, _, _):
            guard case .busy(let exchange) = self.phase else { preconditionFailure("not busy") }
            return .send(request, exchange.range)
        }
    }

    mutating func answered(_ response: HTTPResponse, retryAfter: Duration? = nil) {
        if case .busy(let exchange) = self.phase { self.answered(response, exchange, retryAfter: retryAfter) }
    }

    mutating func lost(_ cause: any Error, wasReached: Bool = true) {
        if case .busy(let exchange) = self.phase { self.lost(exchange, cause, wasReached: wasReached) }
    }
}

/// A stream that is never read.
private struct Nothing: ByteStream {
    mutating func read(into buffer: inout MutableRawSpan) throws -> Int { 0 }
}

/// What the suites of an ``ResumableSend`` share.
protocol ResumingSuite {}

/// Another step than the expected one, or the end of a connection.
struct Cut: Error {}

extension ResumingSuite {
    /// An upload that an earlier process began.
    static func saved() throws -> SavedUpload {
        SavedUpload(url: "https://example.com/u", uploadProtocol: .draft(.v8))
    }

    /// An upload whose first request is under way.
    func begun(
        _ request: HTTPRequest = .post(), length: Int64?, isReplayable: Bool = true,
        options: ResumingOptions = ResumingOptions(), continuing link: SavedUpload? = nil
    ) throws -> ResumableSend {
        var client = try ResumableSend(
            request, length: length, isReplayable: isReplayable, options: options, continuing: link)
        _ = try self.sent(&client)
        return client
    }

    /// An upload of 100 bytes of an earlier process whose rest is under way.
    func appending(
        to link: SavedUpload, from offset: Int64 = 10, upTo end: Int64 = 100,
        options: ResumingOptions = ResumingOptions()
    ) throws -> ResumableSend {
        var client = try self.begun(length: 100, options: options, continuing: link)
        client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "\(offset)"]))
        _ = try self.sent(&client)
        client.sending(upTo: end)
        return client
    }

    func sent(_ client: inout ResumableSend) throws -> (HTTPRequest, UploadRange?) {
        let step = client.step()
        guard case .send(let request, let range) = step else {
            Issue.record("no request: \(step)")
            throw Cut()
        }
        return (request, range)
    }

    func outcome(_ client: inout ResumableSend) throws -> ResumableSend.Outcome {
        let step = client.step()
        guard case .done(let outcome) = step else {
            Issue.record("not done: \(step)")
            throw Cut()
        }
        return outcome
    }

    /// The code of a failure; what else came.
    func failure(_ client: inout ResumableSend) -> String {
        let step = client.step()
        guard case .fail(let failure) = step else { return "\(step)" }
        return "\(failure.code)"
    }

    func answer(_ status: Int, _ fields: HTTPFields = [:]) -> HTTPResponse {
        HTTPResponse(status: .init(code: status), headerFields: fields)
    }
}
