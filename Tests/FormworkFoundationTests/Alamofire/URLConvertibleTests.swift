import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("Alamofire's URLs, requests and methods", .timeLimit(.minutes(10)))
struct URLConvertibleTests {
    @Test("Text, URLs and components make URLs")
    func urls() throws {
        let url = try "https://example.com/a?b=c".asURL()
        #expect(url.absoluteString == "https://example.com/a?b=c")
        #expect(try url.asURL() == url)
        #expect(try URLComponents(string: "https://example.com/a?b=c")?.asURL() == url)
    }

    @Test("What makes no URL is named in the error")
    func noURL() throws {
        let error = try #require(throws: AFError.self) { _ = try "".asURL() }
        #expect(error.isInvalidURLError)
        #expect(error.urlConvertible as? String == "")
        var components = URLComponents()
        (components.host, components.path) = ("example.com", "relative")
        #expect(throws: AFError.self) { _ = try components.asURL() }
        #expect(throws: AFError.self) { _ = try URLRequest(url: "", method: .get) }
    }

    @Test("A request has a method, which may be of any name")
    func requests() throws {
        var request = try URLRequest(url: "https://example.com/", method: .query)
        #expect(request.httpMethod == "QUERY")
        request.method = HTTPMethod(rawValue: "PURGE")
        #expect(request.httpMethod == "PURGE")
        #expect(request.method == HTTPMethod(rawValue: "PURGE"))
        #expect(request.urlRequest == request)
        #expect(HTTPMethod(rawValue: "get") != .get)
        struct Broken: URLRequestConvertible {
            func asURLRequest() throws -> URLRequest { throw AFError.parameterEncodingFailed(reason: .missingURL) }
        }
        #expect(Broken().urlRequest == nil)
    }

    @Test(
        "Methods go out in upper case",
        arguments: [
            (HTTPMethod.connect, "CONNECT"), (.delete, "DELETE"), (.get, "GET"), (.head, "HEAD"), (.options, "OPTIONS"),
            (.patch, "PATCH"), (.post, "POST"), (.put, "PUT"), (.query, "QUERY"), (.trace, "TRACE"),
        ])
    func methods(method: HTTPMethod, text: String) { #expect(method.rawValue == text) }
}
