import Foundation
import Testing

@testable import FormworkResumable

/// Where a form's files are is found while the form arrives, by any number of receivers.
@Suite(.timeLimit(.minutes(10))) struct FormMapperTests {
    private static let type = "multipart/form-data; boundary=b"

    /// Content that looks like delimiters, and a line of one at the beginning of a file.
    private static let form = Array(
        """
        preamble\r
        --b\r
        Content-Disposition: form-data; name="title"\r
        \r
        A harbour\r
        --b \t\r
        Content-Disposition: form-data; name="a"; filename="a.bin"\r
        Content-Type: text/plain\r
        \r
        one\r
        --\r
        --bb\r
        \r\r
        two--b\r
        .\r
        --b\r
        Content-Disposition: form-data; name="b"; filename="b.bin"\r
        \r
        \r
        --b\r
        Content-Disposition: form-data; name="c"; filename="c.bin"\r
        \r
        --b?\r
        --b--\r
        epilogue\r
        --b\r

        """.utf8)

    /// The files of at least two bytes: `a.bin` and `c.bin`.
    private static let files = [
        FormMap.File(
            start: 169, end: 196, sha256: Data(hex: "cc66cd68195367ea3a09d70601a345bbdc7e942f035433c9ed05bbd8cf3348b9")),
        FormMap.File(
            start: 334, end: 338, sha256: Data(hex: "8dad0da524921787fc5a4e236e5d3360025bb790169a0e8754273186731da68f")),
    ]

    private static func mapper(digestsFiles: Bool = true) throws -> FormMapper {
        try #require(FormMapper(Self.type, digestsFiles: digestsFiles, least: 2))
    }

    /// Another receiver's mapper, which continues.
    private static func mapper(after mapper: FormMapper) throws -> FormMapper {
        let saved = try JSONDecoder().decode(FormMap.self, from: JSONEncoder().encode(try #require(mapper.map)))
        return try #require(FormMapper(Self.type, digestsFiles: true, least: 2, after: saved))
    }

    @Test func `The files of a form are found`() throws {
        var mapper = try Self.mapper()
        Self.form.withRawSpan { mapper.update($0) }
        #expect(mapper.map?.files == Self.files)
        #expect(mapper.map?.position == FormMap.Position(count: Int64(Self.form.count), place: .end))
        #expect(Self.form[169..<196].elementsEqual("one\r\n--\r\n--bb\r\n\r\r\ntwo--b\r\n.".utf8))
        #expect(Self.form[334..<338].elementsEqual("--b?".utf8))
    }

    @Test func `Cut at any byte and continued by another, the same files are found`() throws {
        for cut in 0...Self.form.count {
            var first = try Self.mapper()
            Self.form[..<cut].withBytes { first.update($0) }
            var second = try Self.mapper(after: first)
            Self.form[cut...].withBytes { second.update($0) }
            #expect(second.map?.files == Self.files, "cut at \(cut)")
            #expect(second.map?.position == FormMap.Position(count: Int64(Self.form.count), place: .end))
        }
    }

    @Test(arguments: [1, 2, 3, 7]) func `By another receiver every few bytes, too`(step: Int) throws {
        var mapper = try Self.mapper()
        for start in stride(from: 0, to: Self.form.count, by: step) {
            mapper = try Self.mapper(after: mapper)
            Self.form[start..<min(start + step, Self.form.count)].withBytes { mapper.update($0) }
        }
        #expect(mapper.map?.files == Self.files)
    }

    @Test func `Of content only a delimiter's beginning is held`() throws {
        var mapper = try Self.mapper()
        let file = "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n"
        (Array(file.utf8) + [UInt8](repeating: 120, count: 100_000)).withRawSpan { mapper.update($0) }
        #expect(mapper.map?.position.held.isEmpty == true)
        Array("\r\n--".utf8).withRawSpan { mapper.update($0) }
        #expect(mapper.map?.position.held == Data("\r\n--".utf8))
    }

    @Test func `A digest that wasn't computed from the beginning is none`() throws {
        var first = try Self.mapper(digestsFiles: false)
        Self.form[..<172].withBytes { first.update($0) }
        var second = try Self.mapper(after: first)
        Self.form[172...].withBytes { second.update($0) }
        #expect(second.map?.files.map(\.sha256) == [nil, Self.files[1].sha256])
    }

    @Test func `More files than a map has places for aren't noted`() throws {
        var mapper = try Self.mapper(digestsFiles: false)
        let part = "--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\nxx\r\n"
        Array((String(repeating: part, count: 1_001) + "--b--").utf8).withRawSpan { mapper.update($0) }
        #expect(mapper.map?.files.count == 1_000)
    }

    @Test(arguments: [
        // Nothing like a form.
        String(repeating: "x", count: 20_000),
        // A header section that doesn't end.
        "--b\r\nContent-Disposition: form-data; name=\"" + String(repeating: "x", count: 20_000),
        "--b\r\nno header\r\n\r\n",
    ]) func `What can't be read as a form has no map`(text: String) throws {
        var mapper = try Self.mapper()
        Array(text.utf8).withRawSpan { mapper.update($0) }
        #expect(mapper.map == nil)
        Self.form.withRawSpan { mapper.update($0) }
        #expect(mapper.map == nil)
    }

    @Test func `Other types have no mapper`() {
        #expect(FormMapper("multipart/mixed; boundary=b", digestsFiles: true, least: 2) == nil)
        #expect(FormMapper("multipart/form-data", digestsFiles: true, least: 2) == nil)
        #expect(FormMapper("text/plain", digestsFiles: true, least: 2) == nil)
    }
}

extension Data {
    fileprivate init(hex: String) {
        let digits = Array(hex)
        self.init(stride(from: 0, to: digits.count, by: 2).map { UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0 })
    }
}
