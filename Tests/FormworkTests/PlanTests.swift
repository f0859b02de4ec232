import Foundation
@testable import Formwork
import TestSupport
import Testing

@Suite("Plans", .timeLimit(.minutes(10)))
struct PlanTests {
    @Test("The layout tells every piece without reading")
    func layout() throws {
        let folder = TemporaryFolder()
        let path = try folder.file("photo.jpg", "0123456789")
        var form = formB()
        form.append(name: "t", value: "text")
        form.append(name: "p", file: path)
        form.append(name: "z", source: .synthetic(SyntheticBytes(.zeros, count: 5)))
        form.append(PartSequence(count: 2) { BodyPart(name: "l", value: "\($0)") })
        let layout = try form.plan().layout
        #expect(layout.map(\.offset) == [0, 49, 53, 152, 162, 213, 218, 322])
        #expect(layout.map(\.length) == [49, 4, 99, 10, 51, 5, 104, 9])
        #expect(
            layout.map(\.kind) == [
                .framing, .memory, .framing, .file(path: path.string, offset: 0), .framing, .synthetic(.zeros),
                .parts(count: 2), .framing,
            ])
        #expect(layout[3].contentType == MediaTypeChoice("image/jpeg", by: .extension, reason: "extension .jpg"))
        #expect(layout[3].filename == "photo.jpg")
        #expect(layout[1].contentType == MediaTypeChoice(nil, by: .given, reason: "a field has none"))
        #expect(layout[7].part == nil)
    }

    @Test("A description makes the same bytes in a later process, through JSON")
    func description() throws {
        let folder = TemporaryFolder()
        let path = try folder.file("f", "0123456789")
        var form = FormData()
        form.append(name: "t", value: "text\0")
        form.append(name: "b", source: .bytes([0xFF, 0xFE]), filename: "x", contentType: "a/b")
        form.append(name: "f", source: .file(path, offset: 2, length: 3))
        form.append(name: "z", source: .synthetic(SyntheticBytes(.random(seed: 9), count: 100)))
        form.append(name: "c", source: .concatenation([.text("a"), .file(path)]))
        form.append(
            BodyPart(header: PartHeader(disposition: nil, fields: [try HeaderField("X-A", "1")]), source: .text("free"))
        )
        let plan = try form.plan()
        let json = try JSONEncoder().encode(plan.describe())
        let again = try JSONDecoder().decode(PlanDescription.self, from: json).form.plan()
        #expect(try again.bytes(upTo: 10_000) == plan.bytes(upTo: 10_000))
        #expect(again.contentType == plan.contentType)
        try Data("987654321x".utf8).write(to: URL(fileURLWithPath: path.string))
        let description = try JSONDecoder().decode(PlanDescription.self, from: json)
        let error = #expect(throws: FormworkError.self) { try description.form.plan() }
        #expect(error?.code == .sourceChanged)
        #expect(error?.part?.name == "f")
    }

    @Test("What another process can't have isn't described")
    func undescribable() throws {
        let sources: [BodySource] = [
            .stream { _ in DripStream([1]) }, .stream(once: DripStream([1])),
            .chunks { _ in ChunkSource([]) }, .descriptor(.standardInput),
        ]
        for source in sources {
            var form = formB()
            form.append(name: "s", source: source)
            let error = #expect(throws: FormworkError.self) { try form.plan().describe() }
            #expect(error?.code == .notReplayable && error?.part?.name == "s")
        }
        var form = formB()
        form.append(PartSequence(count: 1) { _ in BodyPart(name: "l", value: "") })
        expect(.notReplayable) { try form.plan().describe() }
    }

    @Test(
        "A description that was tampered with can't break the framing",
        arguments: [
            #"{"framing":{"boundary":"b\r\n","subtype":"form-data","parameters":"","escaping":"whatwg","ending":"closeDelimiter","emptyForm":"nothing","quoting":"never"},"parts":[]}"#,
            #"{"framing":{"boundary":"b","subtype":"form data","parameters":"","escaping":"whatwg","ending":"closeDelimiter","emptyForm":"nothing","quoting":"never"},"parts":[]}"#,
        ])
    func tampered(json: String) {
        #expect(throws: FormworkError.self) {
            try JSONDecoder().decode(PlanDescription.self, from: Data(json.utf8)).form.plan()
        }
    }

    @Test("A body longer than 2^63 - 1 bytes is refused; one just below is planned and sought in")
    func enormous() throws {
        var form = formB()
        form.append(name: "z", source: .synthetic(SyntheticBytes(.random(seed: 1), count: .max - 58)))
        let plan = try form.plan()
        #expect(plan.contentLength == .max)
        #expect(try readAll(plan.makeReader(from: .max - 9), by: 100) == Array("\r\n--b--\r\n".utf8))
        form.append(name: "y", value: "")
        expect(.invalidArgument) { try form.plan() }
    }
}
