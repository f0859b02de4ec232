import AsyncHTTPClient
@testable import FormworkClient
@testable import FormworkNIO
import NIOHTTP1
import Testing

extension NIOTests {
    @Suite("Where a redirect may lead a form", .timeLimit(.minutes(10)))
    struct RedirectTests {
        static let unsafeTargets = ["http://example.com/b", "http://example.com:443/b", "http://other.example/"]

        private func answer(_ status: Int, _ location: String) -> SendResponse {
            SendResponse(
                head: HTTPResponse(status: .init(code: status), headerFields: [.location: location]),
                bytesSent: 1000, isBodyComplete: true)
        }

        /// The step's request: a URL, or an error's code.
        private func told(_ step: SendStep) -> String {
            switch step {
            case .exchange(let request, let body, _):
                "\(request.method) \(request.urlText) \(body == nil ? "empty" : "body")"
            case .failed(let error as TransferError) where error.code == .redirects: "refused: \(error.message)"
            default: "\(step)"
            }
        }

        private func plain(
            _ url: String, _ status: Int, _ location: String, _ method: HTTPRequest.Method = .post
        ) throws -> String {
            var machine = PlainSend(
                try form(.text("x")).plan(), try HTTPRequest(method, to: url), UploadOptions(maximumRedirects: 3))
            _ = machine.next()
            if case .isResult = machine.answered(self.answer(status, location), remaining: nil) {
                Issue.record("the redirect is the result")
            }
            return self.told(machine.next())
        }

        @Test("Fields that carry credentials by their names stay at the first origin")
        func ownCredentials() throws {
            var request = try HTTPRequest(to: "https://example.com/a")
            let bound = ["X-Api-Key", "Private-Token", "X-Auth", "X-Session", "X-Amz-Security-Token", "Client-Secret"]
            let free = ["X-Author", "Idempotency-Key", "X-Request-Id", "Accept", "X-Keyboard"]
            for name in bound + free { request.headerFields[try #require(HTTPField.Name(name))] = "x" }
            for (location, isTrusted, kept) in [
                ("https://other.example/b", false, free), ("/b", false, bound + free),
                ("https://other.example/b", true, bound + free),
            ] {
                let answer = self.answer(307, location).head
                let next = request.following(try #require(request.redirection(by: answer, isTrusted: isTrusted)))
                #expect(Set(next.headerFields.map(\.name.rawName)) == Set(kept))
            }
        }

        @Test("A plain transfer is never led out of TLS", arguments: [301, 302, 303, 307, 308], unsafeTargets)
        func neverOut(status: Int, location: String) throws {
            let step = try self.plain("https://example.com/a", status, location)
            #expect(
                step.hasPrefix("refused: the server redirects to http://") && step.contains("without TLS"),
                "\(step)")
        }

        @Test("Redirects are followed into TLS, within TLS, and from http to http")
        func followed() throws {
            for (url, location, target) in [
                ("https://example.com/a", "/b", "https://example.com/b"),
                ("https://example.com/a", "https://other.example/b", "https://other.example/b"),
                ("http://example.com/a", "https://example.com/b", "https://example.com/b"),
                ("http://example.com/a", "http://other.example/b", "http://other.example/b"),
                ("http://example.com/a", "/ok%20ü?s=%2B", "http://example.com/ok%20%C3%BC?s=%2B"),
            ] {
                #expect(try self.plain(url, 307, location) == "POST \(target) body")
                #expect(try self.plain(url, 303, location) == "GET \(target) empty")
                #expect(try self.plain(url, 303, location, .put) == "GET \(target) empty")
                #expect(try self.plain(url, 303, location, .head) == "HEAD \(target) empty")
            }
        }

        @Test("Nor is a resumable upload, after the body", arguments: unsafeTargets)
        func resumable(location: String) throws {
            for url in ["https://example.com/a", "http://example.com/a"] {
                var machine = try ResumableSend(
                    try form(.text("x")).plan(), try HTTPRequest(to: url),
                    ResumingOptions(.auto), UploadOptions(maximumRedirects: 3))
                _ = machine.next()
                if case .isResult = machine.answered(self.answer(303, location), remaining: nil) {
                    Issue.record("the redirect is the result")
                }
                let step = self.told(machine.next())
                #expect(step.hasPrefix(url.hasPrefix("https") ? "refused: " : "GET http://"), "\(step)")
            }
        }

        @Test("Nor an upload by AsyncHTTPClient", arguments: [301, 302, 303, 307, 308], unsafeTargets)
        func client(status: Int, location: String) throws {
            func next(_ url: String) throws -> String {
                var machine = PlainSend(
                    try form(.text("x")).plan(), try HTTPRequest(to: url), UploadOptions(maximumRedirects: 3),
                    for: .client)
                if case .isResult = machine.answered(self.answer(status, location), remaining: nil) {
                    return "the result"
                }
                guard case .exchange(let request, _, _) = machine.next() else { return "another step" }
                return request.urlText
            }
            #expect(try next("https://example.com/a") == "the result")
            #expect(try next("http://example.com/a") == location)
        }
    }
}
