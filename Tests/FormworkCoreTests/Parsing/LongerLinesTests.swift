@testable import FormworkCore
import Testing

@Suite("Lines that begin with the delimiter and go on", .timeLimit(.minutes(10)))
struct LongerLinesTests {
    @Test("Refused, they end parsing at the same event however the body is cut", arguments: ["", "x"])
    func refused(before: String) throws {
        // The part that follows must not be told of, though it lies in the same chunk.
        let content = before + "\r\n--boundaryX\r\n--boundary\r\n\r\nanother"
        let body = formBody(Array(content.utf8))
        var profile = ParsingProfile.default
        profile.refusesLooseFraming = true
        let whole = try parser("boundary", profile).parse(body)
        #expect(whole.failure?.kind == .malformedBoundaryLine)
        #expect(whole.parts.map { String(decoding: $0.content, as: UTF8.self) } == [before])
        #expect(whole.parts.map(\.isWhole) == [false])
        for size in 1...body.count { #expect(try parser("boundary", profile).parse(body, chunk: size) == whole) }
    }

    @Test("A limit that is crossed before such a line is what is told, however the body is cut")
    func limitFirst() throws {
        let body = formBody(Array("01234\r\n--boundaryX".utf8))
        var profile = ParsingProfile.default
        profile.refusesLooseFraming = true
        var limits = ParsingLimits()
        limits.fileBytes = 4
        let whole = try parser("boundary", profile, limits).parse(body)
        #expect(whole.failure == ParsingFailure(.fileBytesLimit, limit: 4))
        for size in 1...body.count {
            #expect(try parser("boundary", profile, limits).parse(body, chunk: size) == whole)
        }
    }
}
