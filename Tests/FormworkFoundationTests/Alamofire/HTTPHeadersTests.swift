import Foundation
@testable import FormworkMigration
import Testing

@testable import FormworkFoundation

@Suite("Alamofire's headers", .timeLimit(.minutes(10)))
struct HTTPHeadersTests {
    @Test("A name is there once in any case, and the last spelling stands in the first one's place")
    func unique() {
        var headers: HTTPHeaders = ["A": "1", "b": "2", "a": "3"]
        #expect(headers.description == "a: 3\nb: 2")
        headers.add(name: "B", value: "4")
        headers.update(.accept("x"))
        #expect(headers.description == "a: 3\nB: 4\nAccept: x")
        #expect(headers["ACCEPT"] == "x")
        #expect(headers.value(for: "c") == nil)
        headers["A"] = nil
        headers.remove(name: "nothing")
        #expect(headers == [HTTPHeader(name: "B", value: "4"), .accept("x")])
        #expect(headers.dictionary == ["B": "4", "Accept": "x"])
    }

    @Test("Sorting heeds no case")
    func sorting() {
        let headers: HTTPHeaders = ["b": "1", "C": "2", "A": "3"]
        #expect(headers.sorted().map(\.name) == ["A", "b", "C"])
        #expect(headers.map(\.name) == ["b", "C", "A"])
        #expect(HTTPHeaders(["c": "", "a": "", "b": ""]).map(\.name) == ["a", "b", "c"])
    }

    @Test(
        "A field by its name",
        arguments: [
            (HTTPHeader.accept("v"), "Accept: v"), (.acceptCharset("v"), "Accept-Charset: v"),
            (.acceptLanguage("v"), "Accept-Language: v"), (.acceptEncoding("v"), "Accept-Encoding: v"),
            (
                .authorization(username: "Aladdin", password: "open sesame"),
                "Authorization: Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="
            ),
            (.authorization(username: "test", password: "123£"), "Authorization: Basic dGVzdDoxMjPCow=="),
            (.authorization(bearerToken: "t"), "Authorization: Bearer t"), (.authorization("v"), "Authorization: v"),
            (.contentDisposition("v"), "Content-Disposition: v"), (.contentEncoding("v"), "Content-Encoding: v"),
            (.contentType("v"), "Content-Type: v"), (.userAgent("v"), "User-Agent: v"),
            (.websocketProtocol("v"), "Sec-WebSocket-Protocol: v"),
        ])
    func fields(header: HTTPHeader, line: String) { #expect(header.description == line) }

    @Test("Preference falls by tenths and is never none")
    func quality() {
        #expect(
            "abcdefghijkl".map(String.init).qualityEncoded()
                == "a;q=1.0, b;q=0.9, c;q=0.8, d;q=0.7, e;q=0.6, f;q=0.5, g;q=0.4, h;q=0.3, i;q=0.2, j;q=0.1, k;q=0.1, l;q=0.1"
        )
        #expect([String]().qualityEncoded() == "")
    }

    @Test("The defaults name encodings, languages and the program")
    func defaults() {
        #expect(HTTPHeaders.default.map(\.name) == ["Accept-Encoding", "Accept-Language", "User-Agent"])
        #expect(HTTPHeaders.default["Accept-Encoding"] == "br;q=1.0, gzip;q=0.9, deflate;q=0.8")
        #expect(HTTPHeaders.default["User-Agent"]?.hasSuffix(") Formwork") == true)
        #expect(
            HTTPHeader.userAgent(executable: nil, version: nil, bundle: nil, build: nil, system: "X 1", library: "L")
                .value
                == "Unknown/Unknown (Unknown; build:Unknown; X 1) L")
    }

    @Test("Requests, responses and sessions have headers")
    func foundation() throws {
        var request = try URLRequest(url: "https://example.com/", method: .put, headers: ["A": "1", "B": "2"])
        #expect(request.headers.sorted() == ["A": "1", "B": "2"])
        request.headers.remove(name: "a")
        #expect(request.allHTTPHeaderFields == ["B": "2"])
        #expect(URLRequest(url: try "https://example.com/".asURL()).headers == [:])
        let response = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: 200, httpVersion: nil, headerFields: ["C": "3"])
        #expect(response?.headers == ["C": "3"])
        let configuration = URLSessionConfiguration.ephemeral
        #expect(configuration.headers == [:])
        configuration.headers = ["D": "4"]
        #expect(configuration.httpAdditionalHeaders as? [String: String] == ["D": "4"])
        #expect(configuration.headers == ["D": "4"])
    }
}
