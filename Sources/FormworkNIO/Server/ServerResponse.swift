#if NIO
import Formwork
import FormworkHTTP
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// The answer of a server without a framework.
public struct ServerResponse: Sendable {
    private enum Body: Sendable {
        case buffer(ByteBuffer)
        case plan(BodyPlan, ReaderOptions)
    }

    /// Status and header fields.
    public var head: HTTPResponse
    private let body: Body

    /// Creates an answer from bytes in memory.
    public init(status: HTTPResponse.Status, headerFields: HTTPFields = [:], body: ByteBuffer = ByteBuffer()) {
        self.head = HTTPResponse(status: status, headerFields: headerFields)
        // These have no body, and no length of one (RFC 9110 section 8.6).
        if status.kind != .informational, status != .noContent {
            self.head.headerFields[.contentLength] = String(body.readableBytes)
        }
        self.body = .buffer(body)
    }

    /// Creates an answer composed of parts, with an exact length if it is known, otherwise in chunks.
    /// - Parameters:
    ///   - status: The answer's status.
    ///   - headerFields: Fields besides `Content-Type` and `Content-Length`.
    ///   - plan: The body.
    ///   - options: Rate limit, progress, digests and checks of the reader.
    public init(
        status: HTTPResponse.Status = .ok, headerFields: HTTPFields = [:], body plan: BodyPlan,
        options: ReaderOptions = ReaderOptions()
    ) {
        self.head = HTTPResponse(status: status, headerFields: headerFields)
        self.head.headerFields.describeBody(plan)
        self.body = .plan(plan, options)
    }

    /// Creates an answer that describes a problem.
    public init(_ problem: ProblemDetails) {
        self.init(
            status: HTTPResponse.Status(code: problem.status),
            headerFields: [.contentType: ProblemDetails.contentType], body: ByteBuffer(bytes: problem.jsonBytes))
        // A client that was too slow is not waited for again (RFC 9110 section 15.5.9).
        if self.head.status == .requestTimeout { self.head.headerFields[.connection] = "close" }
    }

    /// The answer to a handler's error.
    init(_ error: any Error) {
        switch error {
        case let error as RequestProblem: self.init(error.details)
        case let error as FormworkError: self.init(ProblemDetails(error))
        default: self.init(ProblemDetails(.internalServerError))
        }
    }

    /// The whole body, in memory.
    func collect() async throws -> [UInt8] {
        switch self.body {
        case .buffer(let buffer): return Array(buffer.readableBytesView)
        case .plan(let plan, let options):
            var bytes: [UInt8] = []
            for try await buffer in plan.buffers(of: 64 << 10, options: options) { bytes += buffer.readableBytesView }
            return bytes
        }
    }

    func write(to outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>, isHeadOnly: Bool) async throws {
        switch self.body {
        case _ where isHeadOnly: try await outbound.write(contentsOf: [.head(self.head), .end(nil)])
        case .buffer(let buffer):
            try await outbound.write(contentsOf: [.head(self.head), .body(buffer), .end(nil)])
        case .plan(let plan, let options):
            try await outbound.write(.head(self.head))
            for try await buffer in plan.buffers(of: 64 << 10, options: options) {
                try await outbound.write(.body(buffer))
            }
            try await outbound.write(.end(nil))
        }
    }
}
#endif
