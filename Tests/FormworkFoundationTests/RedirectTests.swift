import Foundation
import Testing

@testable import FormworkFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite("Where a redirect may lead an upload", .timeLimit(.minutes(10)))
struct RedirectTests {
    private func next(
        from url: String, to location: String, _ status: Int = 307, method: String = "POST",
        fields: [String: String] = [:]
    ) throws -> (request: URLRequest, keepsBody: Bool)? {
        let url = try #require(URL(string: url))
        var request = URLRequest(url: url)
        request.httpMethod = method
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        let response = try #require(
            HTTPURLResponse(url: url, statusCode: status, httpVersion: nil, headerFields: ["Location": location]))
        var machine = UploadMachine(try BodyPlan(copying: .text("x")), UploadOptions())
        var answer = UploadMachine.Response(status: status, UploadAuthentication.Challenge(url: "") { _ in [] })
        answer.redirection = request.redirection(by: response)
        guard case .follow(let redirection) = machine.answered(answer, remaining: nil) else { return nil }
        request.follow(redirection)
        return (request, redirection.keepsBody)
    }

    @Test(
        "Never out of TLS, nor out of HTTP", arguments: [301, 302, 303, 307, 308],
        [
            "http://example.com/b", "http://example.com:443/b", "HTTP://example.com/b", "http://other.example/",
            "ftp://example.com/", "file:///etc/passwd", "data:,x",
        ])
    func out(status: Int, location: String) throws {
        #expect(try self.next(from: "https://example.com/a", to: location, status) == nil)
    }

    @Test(
        "Into TLS and inside of it, and from http to http",
        arguments: [
            ("https://example.com/a", "https://other.example/b", "https://other.example/b"),
            ("https://example.com/a", "/b", "https://example.com/b"),
            ("https://example.com/a", "//other.example/b", "https://other.example/b"),
            ("http://example.com/a", "https://example.com/b", "https://example.com/b"),
            ("http://example.com/a", "b", "http://example.com/b"),
        ])
    func inside(url: String, location: String, target: String) throws {
        for status in [301, 302, 303] {
            let next = try #require(try self.next(from: url, to: location, status))
            #expect(next.request.url?.absoluteString == target)
            #expect(next.request.httpMethod == "GET" && !next.keepsBody)
        }
        let head = try #require(try self.next(from: url, to: location, 303, method: "HEAD"))
        #expect(head.request.httpMethod == "HEAD" && !head.keepsBody)
        for status in [307, 308] {
            let next = try #require(try self.next(from: url, to: location, status))
            #expect(next.request.url?.absoluteString == target)
            #expect(next.request.httpMethod == "POST" && next.keepsBody)
        }
    }

    @Test("Credentials go to the same origin alone: scheme, host and port")
    func credentials() throws {
        let fields = ["Authorization": "a", "Cookie": "b", "X-Own": "c"]
        func kept(_ location: String) throws -> [String] {
            let next = try #require(try self.next(from: "http://example.com/a", to: location, fields: fields))
            return fields.keys.filter { next.request.value(forHTTPHeaderField: $0) != nil }.sorted()
        }
        #expect(try kept("/b") == ["Authorization", "Cookie", "X-Own"])
        #expect(try kept("http://EXAMPLE.com:80/b") == ["Authorization", "Cookie", "X-Own"])
        for other in ["https://example.com/b", "http://example.com:8080/b", "http://sub.example.com/b"] {
            #expect(try kept(other) == ["X-Own"])
        }
    }
}
