@testable import Formwork
@testable import FormworkCore
import TestSupport
import Testing

@Suite("A plan's own body under the lint", .timeLimit(.minutes(10)))
struct PlanLintTests {
    @Test("Forms of every kind of source have no findings", arguments: UInt64(800)..<824)
    func ownForms(seed: UInt64) throws {
        let folder = TemporaryFolder()
        let (form, body) = try generatedForm(seed: seed, in: folder)
        let plan = try form.plan()
        let findings = try plan.findings()
        #expect(findings.map(\.oddity) == (body == Array("--b--\r\n".utf8) ? [.noParts] : []))
        let chunks = stride(from: 0, to: body.count, by: 97).map { Array(body[$0..<min($0 + 97, body.count)]) }
        #expect(lint(chunks, plan.contentType) == findings)
    }

    @Test("Files with their types, and boundaries of every format, have none either")
    func files() throws {
        let folder = TemporaryFolder()
        var generator = SampleGenerator(seed: 1)
        for boundary in [
            Boundary.random(using: &generator), .afNetworking(using: &generator), .alamofire(using: &generator),
            .curl(using: &generator), try Boundary("needs (quotes)"),
        ] {
            var form = FormData(framing: MultipartFraming(boundary: boundary))
            form.append(name: "größe", value: "1")
            form.append(name: "f", file: try folder.file("grüße.txt", "\r\n\r\n--"))
            #expect(try form.plan().findings() == [])
        }
    }

    @Test("What curl would send besides is found")
    func departures() throws {
        var form = formB()
        let camera = try HeaderField("X-Camera", "7")
        form.append(
            BodyPart(header: PartHeader(name: "a", transferEncoding: .base64(), fields: [camera]), source: .text("1")))
        #expect(try form.plan().findings().map(\.oddity) == [.otherHeader, .encodedContent])
    }
}

extension BodyPlan {
    /// The body's departures from RFC 7578.
    fileprivate func findings() throws(FormworkError) -> [Finding] {
        let reader = self.makeReader()
        var chunks: [[UInt8]] = []
        while case let chunk = try reader.read(upTo: 256 << 10), !chunk.isEmpty { chunks.append(chunk) }
        return lint(chunks, self.contentType)
    }
}
