@testable import FormworkHummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
import Testing

@Suite("A client that waits before it sends its body", .timeLimit(.minutes(10)))
struct ExpectContinueTests {
    private func head(expects: Bool) -> HTTPRequestPart {
        .head(
            HTTPRequest(
                method: .post, scheme: "http", authority: "a", path: "/",
                headerFields: expects ? [.expect: "100-Continue"] : [:]))
    }

    private func statuses(_ channel: EmbeddedChannel) throws -> [String] {
        var seen: [String] = []
        while let part = try channel.readOutbound(as: HTTPResponsePart.self) {
            if case .head(let head) = part {
                seen.append("\(head.status.code)\(head.headerFields[.connection].map { " \($0)" } ?? "")")
            }
        }
        return seen
    }

    private func answer(_ channel: EmbeddedChannel) throws {
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(HTTPResponsePart.end(nil))
    }

    @Test("100 is sent once, when the body is wanted and was waited for")
    func continues() throws {
        let channel = EmbeddedChannel(handler: ExpectContinueHandler())
        let wanted = HTTPResponsePart.head(HTTPResponse(status: .continue))
        // It isn't expected.
        try channel.writeInbound(self.head(expects: false))
        try channel.writeOutbound(wanted)
        #expect(try self.statuses(channel) == [])
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try self.answer(channel)
        #expect(try self.statuses(channel) == ["200"])
        // Wanted, and again.
        try channel.writeInbound(self.head(expects: true))
        try channel.writeOutbound(wanted)
        try channel.writeOutbound(wanted)
        #expect(try self.statuses(channel) == ["100"])
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try self.answer(channel)
        #expect(try self.statuses(channel) == ["200"])
        // The body came without it.
        try channel.writeInbound(self.head(expects: true))
        try channel.writeInbound(HTTPRequestPart.body(ByteBuffer(string: "a")))
        try channel.writeOutbound(wanted)
        #expect(try self.statuses(channel) == [])
        try channel.writeInbound(HTTPRequestPart.end(nil))
        try self.answer(channel)
        #expect(try self.statuses(channel) == ["200"])
        // Answered before it was wanted.
        try channel.writeInbound(self.head(expects: true))
        try channel.writeOutbound(HTTPResponsePart.head(HTTPResponse(status: .ok)))
        try channel.writeOutbound(wanted)
        #expect(try self.statuses(channel) == ["200 close"])
    }
}
