#if Transfer
import FormworkHTTP
import HTTPTypes
import Tracing

/// The trace span of a request that sends an upload or a part of it, or is about an unfinished one (OpenTelemetry Semantic
/// Conventions, "HTTP spans"). Requests to the object store are its children.
enum UploadSpan {
    /// Answers a request within a span. Its parent is the span that the client's `traceparent` names.
    /// - Parameters:
    ///   - head: Without the link that it is under.
    ///   - answer: Returns `nil` if the connection is to be closed.
    static func run(
        _ head: HTTPRequest, _ client: ClientAddress, isSecure: Bool, isHTTP2: Bool, isLinked: Bool,
        _ answer: () async throws -> Answer?
    ) async throws -> Answer? {
        var context = InstrumentationContext.current ?? .topLevel
        InstrumentationSystem.instrument.extract(head.headerFields, into: &context, using: FieldExtractor())
        let route = self.route(of: head, isLinked: isLinked)
        let name = [head.method.rawValue, route].compactMap { $0 }.joined(separator: " ")
        let span = startSpan(name, context: context, ofKind: .server)
        defer { span.end() }
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes["http.request.method"] = head.method.rawValue
                attributes["http.route"] = route
                attributes["url.path"] =
                    (isLinked ? LinkPath.root + "***" : "") + RequestPath(head.path).shown.cut(to: 1_024)
                attributes["url.scheme"] = isSecure ? "https" : "http"
                attributes["network.protocol.version"] = isHTTP2 ? "2" : "1.1"
                attributes["client.address"] = client.host
                attributes["user_agent.original"] = head.headerFields[.userAgent]?.cut(to: 256)
                attributes["http.request.body.size"] = head.headerFields[.contentLength].flatMap { Int64($0) }
                let server = head.authority.map { ServerName($0) }
                attributes["server.address"] = server?.host
                attributes["server.port"] = server?.port
            }
        }
        do {
            let answer = try await InstrumentationContext.$current.withValue(span.context) { try await answer() }
            span.ended(with: answer)
            return answer
        } catch {
            span.attributes["error.type"] = "\(type(of: error))"
            span.setStatus(SpanStatus(code: .error, message: "the request has no answer"))
            throw error
        }
    }

    /// The path's form, of which there are few; `nil` for a path that the client chose.
    private static func route(of head: HTTPRequest, isLinked: Bool) -> String? {
        guard Responder.namesUpload(head) else { return nil }
        return (isLinked ? "\(LinkPath.root){link}" : "") + UnfinishedUploads.path + "{upload}"
    }
}

extension Span {
    fileprivate func ended(with answer: Answer?) {
        guard let answer else {
            self.attributes["error.type"] = "closed"
            return self.setStatus(SpanStatus(code: .error, message: "the connection was closed"))
        }
        self.attributes["http.response.status_code"] = answer.status.code
        // An error of the client's isn't one of the server's span.
        guard answer.status.code >= 500 else { return }
        self.attributes["error.type"] = "\(answer.status.code)"
        self.setStatus(SpanStatus(code: .error))
    }
}

extension ClientAddress {
    /// Without the port.
    fileprivate var host: String { ServerName(self.text).host }
}

private struct FieldExtractor: Extractor {
    func extract(key: String, from fields: HTTPFields) -> String? {
        // A field that appears twice is ignored (W3C Trace Context 3.2.1).
        guard let name = HTTPField.Name(key) else { return nil }
        let values = fields[values: name]
        return values.count == 1 ? values[0] : nil
    }
}
#endif
