@testable import FormworkHummingbirdCore
import HTTPTypes
import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPTypes
import Testing

@Suite("An answer is framed once", .timeLimit(.minutes(10)))
struct ServerFramingTests {
    /// The fields of a sent answer that determine its end.
    private func framing(
        _ headers: [(String, String)], status: HTTPResponseStatus = .ok, to method: HTTPMethod = .GET,
        _ version: HTTPVersion = .http1_1
    ) throws -> [String] {
        let channel = EmbeddedChannel(handler: ServerFramingHandler())
        defer { _ = try? channel.finish() }
        try channel.writeInbound(
            HTTPServerRequestPart.head(
                HTTPRequestHead(version: version, method: method, uri: "/", headers: ["Host": "a"])))
        try channel.writeOutbound(
            HTTPServerResponsePart.head(
                HTTPResponseHead(version: .http1_1, status: status, headers: HTTPHeaders(headers))))
        guard case .head(let head)? = try channel.readOutbound(as: HTTPServerResponsePart.self) else {
            return []
        }
        return head.headers.filter { ["content-length", "transfer-encoding"].contains($0.name.lowercased()) }
            .map { "\($0.name.lowercased()): \($0.value)" }.sorted()
    }

    @Test("whatever its maker says of it")
    func once() throws {
        #expect(try self.framing([("Content-Length", "3")]) == ["content-length: 3"])
        #expect(try self.framing([]) == ["transfer-encoding: chunked"])
        let chunked = ("Transfer-Encoding", "chunked")
        #expect(try self.framing([chunked]) == ["transfer-encoding: chunked"])
        #expect(try self.framing([chunked, ("Content-Length", "3")]) == ["content-length: 3"])
        #expect(try self.framing([chunked], status: .noContent) == [])
        #expect(try self.framing([("Content-Length", "3")], status: .noContent) == [])
        #expect(try self.framing([("Content-Length", "3")], to: .HEAD) == ["content-length: 3"])
        #expect(try self.framing([chunked], .http1_0) == [])
    }

    @Test("A second answer, to a body that is invalid after the first, is dropped")
    func second() throws {
        let channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addRequestFraming()
        try channel.writeInbound(
            ByteBuffer(string: "PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"))
        try self.answer(.contentTooLarge, on: channel)
        #expect(throws: HTTPParserError.self) { try channel.writeInbound(ByteBuffer(string: "1\r\nab\r\n")) }
        try self.answer(.badRequest, on: channel)
        var sent = ""
        while let bytes = try channel.readOutbound(as: ByteBuffer.self) { sent += String(buffer: bytes) }
        #expect(sent == "HTTP/1.1 413 Payload Too Large\r\nContent-Length: 0\r\n\r\n")
        _ = try? channel.finish()
    }

    private func answer(_ status: HTTPResponse.Status, on channel: EmbeddedChannel) throws {
        let head = HTTPResponse(status: status, headerFields: [.contentLength: "0"])
        try channel.writeOutbound(HTTPResponsePart.head(head))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }
}
