import Foundation
import TestSupport
import Testing

@Suite("Vectors: command lines of a real curl", .timeLimit(.minutes(10)))
struct CurlVectorsTests {
    private let folder = Folder()

    @Test(
        "--compat curl makes curl's bytes, length and type, or ends with its status", arguments: try CurlVector.rows())
    func compatible(row: CurlVector) throws {
        try row.prepare(self.folder)
        switch row.expected {
        case .status(let status):
            let result = try row.run("body", options: ["--compat", "curl"], in: self.folder)
            #expect(result.status == status, "\(result.errors)")
            #expect(!result.errors.isEmpty)
        case .body(let body, let contentType, let length, let boundaries):
            let options = ["--compat", "curl", "--boundary=\(boundaries[0])"]
            let result = try row.run("body", options: options, in: self.folder)
            #expect(result.status == 0, "\(result.errors)")
            let text = Self.substitute(boundaries, in: result.output)
            #expect(text == String(decoding: body, as: Unicode.ASCII.self), "\(row.name)")
            for fifo in row.fifos.keys { try FileManager.default.removeItem(atPath: self.folder.path + "/" + fifo) }
            let headers = try row.run("headers", options: options, in: self.folder)
            let lines = length.map { "Content-Type: \(contentType)\nContent-Length: \($0)\n" }
            #expect(headers.text == lines ?? "Content-Type: \(contentType)\n")
        }
    }

    /// The body with the boundaries inside it replaced by the captured ones, in order. As ASCII, so that bytes that are
    /// no text can be compared and shown.
    private static func substitute(_ boundaries: [String], in body: [UInt8]) -> String {
        var text = String(decoding: body, as: Unicode.ASCII.self)
        var found: [String] = []
        for match in text.matches(of: /boundary=(-{24}[0-9a-f]{16})/) where !found.contains(String(match.1)) {
            found.append(String(match.1))
        }
        for (ours, theirs) in zip(found, boundaries.dropFirst()) { text = text.replacing(ours, with: theirs) }
        return text
    }

    @Test(
        "A row that isn't understood fails",
        arguments: [
            (
                #"{"name": "n", "args": ["-F", "a=b"], "exit_code": 26, "http_version": "3"}"#,
                "n has http_version"
            ),
            (#"{"name": "n", "args": "-F a=b", "exit_code": 26}"#, "n: args is no array"),
            (#"{"name": "n", "args": ["-F", "a=b"]}"#, "n has neither a body with its boundaries nor an exit code"),
            (#"{"name": "n", "args": [], "files": {"a": "%"}, "exit": 26}"#, "n: no base64"),
        ])
    func notUnderstood(row: String, message: String) throws {
        let rows = try VectorRow.rows(of: Data("[\(row)]".utf8), in: "f")
        let error = #expect(throws: RowNotUnderstood.self) { try CurlVector(rows[0]) }
        #expect(error?.description == message)
    }

    /// What curl loses without a word, or refuses, and what is said instead.
    static let losses: [String: String] = [
        "field-value-backslash-unquoted-verbatim": "column 12: \"w\" is not one of type=",
        "field-value-trailing-after-quote-dropped": "column 8: text after a closing quote would be lost",
        "field-value-unknown-param-skipped": "column 5: \"c=d\" is not one of type=",
        "field-value-trailing-semicolon": "column 5: \"\" is not one of type=",
        "field-type-repeated-second-becomes-param": "column 14: type= is given twice",
        "field-filename-duplicate-last-wins": "column 18: filename= is given twice",
        "headers-content-type-vs-type-param-type-wins": "type= and a Content-Type in headers= exclude each other",
        "headers-no-colon-emitted-verbatim": "column 14: the header \"justtext\" has no ':'",
        "headers-empty": "column 14: the header \"\" has no ':'",
        "headers-crlf-injection-not-blocked": "column 14: The value of X-a contains the control character \\r",
        "file-lt-filename-ignored-with-warning": "column 13: a '<' part is a field without a filename",
        "nested-open-with-junk": "column 3: '(' at the start of a value opens a multipart",
        "outer-ct-foreign-becomes-attachment": "\"text/info\" is not a multipart type",
        "quirk-headers-file-missing-only-warns": "nope can't be read (No such file or directory)",
        "json-typed-field": "column 14: \"c\"}\" is not one of type=",
        "err-no-equals": "there is no '='",
        "err-missing-file-lt": "boo can't be read (No such file or directory)",
        "err-close-without-open": "column 2: there is no multipart to end",
        "err-unknown-encoder": "column 5: encoder=rot13 is not one of base64",
        "err-7bit-high-byte": "7bit can't carry the byte 0xC3 at offset 1 of the content",
        "err-7bit-high-byte-after-valid": "7bit can't carry the byte 0x80 at offset 5000 of the content",
        "err-type-no-slash": "column 10: type= needs a media type",
        "err-type-empty": "column 10: type= needs a media type",
        "err-form-string-no-equals": "there is no '='",
        "err-empty-arg": "there is no '='",
        "err-empty-filename": "column 4: there is no path",
        "err-comma-empty-second": "column 10: there is no path",
    ]

    @Test(
        "Without --compat, what curl would lose is an error with its place; nothing else is refused",
        .enabled(if: ProcessInfo.processInfo.environment["FORMWORK_VECTORS"] == nil), arguments: try CurlVector.rows())
    func strict(row: CurlVector) throws {
        try row.prepare(self.folder)
        let result = try row.run("body", options: [], in: self.folder)
        guard let message = Self.losses[row.name] else {
            #expect(result.status == 0, "\(row.name): \(result.errors)")
            return
        }
        #expect(result.status == 2 || result.status == 26)
        #expect(result.errors.contains(message), "\(row.name): \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "one line")
    }

    @Test("A form said as a curl command is the same form", arguments: try CurlVector.rows())
    func asCurl(row: CurlVector) throws {
        guard case .body = row.expected, row.input == nil, row.fifos.isEmpty,
            // Such a boundary is the caller's here.
            !row.arguments.contains(where: { $0.lowercased().hasPrefix("content-type:") && $0.contains("boundary=") })
        else { return }
        try row.prepare(self.folder)
        // What curl would lose is refused: which rows are, and with which words, is the test before.
        let refused = try row.run("body", options: [], in: self.folder)
        guard refused.status == 0 else {
            #expect(refused.status == 2 || refused.status == 26, "\(row.name): \(refused.errors)")
            return
        }
        let line = try row.run("body", options: ["--as", "curl"], in: self.folder)
        if line.status == 2, row.arguments.contains(where: { $0.contains("=<") }) {
            // A field has no type here; curl would write the file's.
            #expect(line.errors.contains("no type, where curl writes "), "\(row.name): \(line.errors)")
            return
        }
        #expect(line.status == 0, "\(row.name): \(line.errors)")
        #expect(line.text.hasPrefix("curl ") && line.text.hasSuffix("\n"))
        let boundary = "--boundary=------------------------0123456789abcdef"
        let ours = try row.run("body", options: [boundary], in: self.folder)
        let script = "eval \"set -- ${1#curl }\"; timeout 20 \"$F\" body --compat curl \(boundary) \"$@\""
        let theirs = try Command.shell("set -- \(line.text.shellQuoted); " + script, in: self.folder.path)
        #expect(theirs.status == 0, "\(line.text)\(theirs.errors)")
        #expect(Self.numbered(theirs.output) == Self.numbered(ours.output), "\(line.text)")
    }

    /// The body with its inner boundaries numbered.
    private static func numbered(_ body: [UInt8]) -> String {
        var text = String(decoding: body, as: Unicode.ASCII.self)
        var found: [String] = []
        for match in text.matches(of: /boundary=([-0-9a-z]+)/) where !found.contains(String(match.1)) {
            found.append(String(match.1))
        }
        for (number, boundary) in found.enumerated() { text = text.replacing(boundary, with: "B\(number)") }
        return text
    }
}
