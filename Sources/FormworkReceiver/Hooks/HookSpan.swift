#if Transfer
import AsyncHTTPClient
import NIOHTTP1
import Tracing

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The trace span of a request to a hook, which gets its `traceparent`.
enum HookSpan {
    static func run(
        _ event: HookEvent, to url: String, _ request: HTTPClientRequest,
        _ send: (HTTPClientRequest) async throws -> HookClient.Answer
    ) async throws -> HookClient.Answer {
        let span = startSpan("POST", ofKind: .client)
        defer { span.end() }
        var request = request
        InstrumentationSystem.instrument.inject(span.context, into: &request.headers, using: HeaderInjector())
        if span.isRecording {
            let target = URL(string: url)
            span.updateAttributes { attributes in
                attributes["http.request.method"] = "POST"
                attributes["server.address"] = target?.host
                attributes["server.port"] = target?.port ?? (target?.scheme?.lowercased() == "http" ? 80 : 443)
                attributes["formwork.hook.event"] = event.type.rawValue
            }
        }
        do {
            let answer = try await send(request)
            span.attributes["http.response.status_code"] = answer.status
            if answer.status >= 400 {
                span.attributes["error.type"] = "\(answer.status)"
                span.setStatus(SpanStatus(code: .error))
            }
            return answer
        } catch {
            span.attributes["error.type"] = "\(type(of: error))"
            span.setStatus(SpanStatus(code: .error))
            throw error
        }
    }
}

private struct HeaderInjector: Injector {
    func inject(_ value: String, forKey key: String, into headers: inout HTTPHeaders) {
        headers.replaceOrAdd(name: key, value: value)
    }
}
#endif
