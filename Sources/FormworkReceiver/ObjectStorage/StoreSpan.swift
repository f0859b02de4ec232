#if Transfer
import NIOCore
import NIOHTTP1
import Tracing

/// The trace span of a request to the object store, with all its tries (OpenTelemetry Semantic Conventions, "AWS SDK client
/// spans" and "Amazon S3").
enum StoreSpan {
    static func run(
        _ request: S3Request, to address: S3Address, _ send: () async throws -> (answer: S3Answer, attempts: Int)
    ) async throws -> (answer: S3Answer, attempts: Int) {
        let span = startSpan("S3/\(request.operation)", ofKind: .client)
        defer { span.end() }
        if span.isRecording { span.updateAttributes { self.describe(request, address, &$0) } }
        do {
            let result = try await InstrumentationContext.$current.withValue(span.context) { try await send() }
            span.note(status: result.answer.status, attempts: result.attempts)
            span.attributes["aws.request_id"] = result.answer.headers.first(name: "x-amz-request-id")
            return result
        } catch {
            span.note(error)
            throw error
        }
    }

    private static func describe(
        _ request: S3Request, _ address: S3Address, _ attributes: inout SpanAttributes
    ) {
        attributes["rpc.system"] = "aws-api"
        attributes["rpc.service"] = "S3"
        attributes["rpc.method"] = request.operation
        attributes["http.request.method"] = request.method.rawValue
        let server = ServerName(address.authority)
        attributes["server.address"] = server.host
        attributes["server.port"] = server.port ?? (address.scheme == "http" ? 80 : 443)
        attributes["aws.s3.bucket"] = address.bucket
        attributes["aws.s3.key"] = request.key
        for (name, value) in request.query {
            switch name {
            case "uploadId": attributes["aws.s3.upload_id"] = value
            case "partNumber": attributes["aws.s3.part_number"] = Int64(value)
            default: break
            }
        }
        attributes["aws.s3.copy_source"] = request.headers.first { $0.name == "x-amz-copy-source" }?.value
        if request.body.readableBytes > 0 { attributes["http.request.body.size"] = request.body.readableBytes }
    }
}

extension Span {
    fileprivate func note(status: UInt?, attempts: Int) {
        if let status { self.attributes["http.response.status_code"] = Int(status) }
        if attempts > 1 { self.attributes["http.request.resend_count"] = attempts - 1 }
    }

    fileprivate func note(_ error: any Error) {
        guard let error = error as? S3Error else {
            self.attributes["error.type"] = "\(type(of: error))"
            return self.setStatus(SpanStatus(code: .error))
        }
        self.note(status: error.status, attempts: error.attempts)
        // With 404 and 412 a store answers a question, such as whether a name is free.
        guard ![404, 412].contains(error.status) else { return }
        self.attributes["error.type"] = error.code ?? error.label
        self.setStatus(SpanStatus(code: .error, message: error.description))
    }
}
#endif
