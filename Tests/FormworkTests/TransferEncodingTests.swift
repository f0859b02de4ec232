import Formwork
import Foundation
import TestSupport
import Testing

@Suite("Transfer encodings", .timeLimit(.minutes(10)))
struct TransferEncodingTests {
    private let folder = TemporaryFolder()

    private static func plan(_ source: BodySource, _ encoding: TransferEncoding) throws -> BodyPlan {
        var form = formB()
        form.append(BodyPart(header: PartHeader(disposition: nil, transferEncoding: encoding), source: source))
        return try form.plan()
    }

    struct Row: Sendable {
        var content: String
        var encoding: TransferEncoding
        var expected: String
    }

    static let rows: [Row] = [
        Row(content: "", encoding: .base64(), expected: ""),
        Row(content: "f", encoding: .base64(), expected: "Zg=="),  // RFC 4648 §10
        Row(content: "fo", encoding: .base64(), expected: "Zm8="),
        Row(content: "foo", encoding: .base64(), expected: "Zm9v"),
        Row(content: "foobar", encoding: .base64(columns: 4), expected: "Zm9v\r\nYmFy"),
        Row(content: "foobarx", encoding: .base64(columns: 8), expected: "Zm9vYmFy\r\neA=="),
        Row(content: "foobarx", encoding: .base64(columns: nil), expected: "Zm9vYmFyeA=="),
        Row(
            content: String(repeating: "a", count: 57), encoding: .base64(),
            expected: String(repeating: "YWFh", count: 19)),
        Row(
            content: String(repeating: "a", count: 58), encoding: .base64(),
            expected: String(repeating: "YWFh", count: 19) + "\r\nYQ=="),
        Row(content: "a=b\tc \r\nd\t\r\n", encoding: .quotedPrintable(), expected: "a=3Db\tc=20\r\nd=09\r\n"),
        Row(content: "a\rb\nc\r", encoding: .quotedPrintable(), expected: "a=0Db=0Ac=0D"),
        Row(content: "end ", encoding: .quotedPrintable(), expected: "end=20"),
        Row(content: "ü", encoding: .quotedPrintable(), expected: "=C3=BC"),
        Row(
            content: String(repeating: "x", count: 76), encoding: .quotedPrintable(),
            expected: String(repeating: "x", count: 76)),
        Row(
            content: String(repeating: "x", count: 77), encoding: .quotedPrintable(),
            expected: String(repeating: "x", count: 75) + "=\r\nxx"),
        Row(
            content: String(repeating: "x", count: 76) + "\r\ny", encoding: .quotedPrintable(),
            expected: String(repeating: "x", count: 76) + "\r\ny"),
        Row(
            content: String(repeating: "x", count: 74) + "é", encoding: .quotedPrintable(),
            expected: String(repeating: "x", count: 74) + "=\r\n=C3=A9"),
        Row(content: "plain", encoding: .sevenBit(), expected: "plain"),
        Row(content: "a\0b", encoding: .sevenBit(allowsNUL: true), expected: "a\0b"),
        Row(content: "ü\0", encoding: .eightBit, expected: "ü\0"),
        Row(content: "ü\r\n", encoding: .binary, expected: "ü\r\n"),
    ]

    @Test("They are these characters", arguments: rows)
    func characters(row: Row) throws {
        let file = try self.folder.file("f", row.content)
        let expected = Array(row.expected.utf8)
        for source in [
            .text(row.content), .file(file), .stream { DripStream(Array(row.content.utf8), from: Int($0), step: 1) },
        ]
            as [BodySource]
        {
            let plan = try Self.plan(source, row.encoding)
            let body = try plan.bytes(upTo: 1 << 20)
            let head = 36 + row.encoding.token.utf8.count
            #expect(Array(body[head..<(body.count - 9)]) == expected, "\(row.content.debugDescription)")
        }
    }

    static let encodings: [TransferEncoding] = [
        .base64(), .base64(columns: 4), .base64(columns: 64), .base64(columns: nil), .quotedPrintable(isMeasured: true),
        .sevenBit(allowsNUL: true), .eightBit, .binary,
    ]

    @Test("Any read size and any offset give the same bytes, as long as announced", arguments: encodings)
    func anySize(encoding: TransferEncoding) throws {
        var generator = SampleGenerator(seed: 7)
        let alphabet = Array("ab =\t\r\n.\u{7F}".utf8) + (encoding.token == "7bit" ? [] : [0xC3, 0xA9, 0xFF])
        for count in [0, 1, 2, 3, 56, 57, 58, 300, 1500] {
            let content = (0..<count).map { _ in alphabet.randomElement(using: &generator)! }  // not empty
            let file = try self.folder.file("f\(count)", content)
            let plan = try Self.plan(.concatenation([.file(file), .bytes(content)]), encoding)
            let body = try plan.bytes(upTo: 1 << 20)
            #expect(plan.contentLength == Int64(body.count))
            #expect(plan.isReplayable && plan.lengthBlocker == nil)
            for size in [1, 2, 3, 5, 77, 100_000] { #expect(try readAll(plan.makeReader(), by: size) == body) }
            for offset in stride(from: 0, through: body.count, by: count > 300 ? 17 : 1) {
                let rest = try plan.makeReader(from: Int64(offset)).collect(upTo: 1 << 20)
                #expect(rest == Array(body[offset...]), "\(count) bytes from \(offset)")
            }
        }
    }

    @Test(
        "Megabytes pass through, with marks to begin at",
        arguments: [TransferEncoding.base64(), .quotedPrintable(isMeasured: true)])
    func large(encoding: TransferEncoding) throws {
        let source = BodySource.synthetic(SyntheticBytes(.random(seed: 3), count: 3_000_000))
        let plan = try Self.plan(source, encoding)
        let body = try plan.bytes(upTo: 1 << 24)
        #expect(plan.contentLength == Int64(body.count))
        for offset in [1_000_000, 2_345_678, body.count - 11] {
            #expect(
                try plan.makeReader(from: Int64(offset), count: 500).collect(upTo: 500)
                    == Array(body[offset...].prefix(500)))
        }
        if encoding == .base64() {
            var lines = Array("--b\r\nContent-Transfer-Encoding: base64\r\n\r\n".utf8)
            let raw = try BodyPlan(copying: source).bytes(upTo: 3_000_000)
            lines += Data(raw).base64EncodedData(options: [
                .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ])
            lines += Array("\r\n--b--\r\n".utf8)
            #expect(body == lines)
        }
    }

    @Test("Quoted-printable has no length unless it is measured, and says so")
    func unmeasured() throws {
        let plan = try Self.plan(.text("x"), .quotedPrintable())
        #expect(plan.contentLength == nil)
        #expect(plan.lengthBlocker?.description == "part 1: quoted-printable that isn't measured")
        #expect(plan.isReplayable)
        #expect(try Self.plan(.text(""), .quotedPrintable()).contentLength == 61)
        expect(.lengthUnknown) { try plan.makeReader(from: 56) }
    }

    @Test("7bit refuses what it can't carry: in memory when planned, else when its turn comes")
    func sevenBit() throws {
        expect(.contentNotEncodable) { try Self.plan(.text("é"), .sevenBit()) }
        expect(.contentNotEncodable) { try Self.plan(.bytes([0]), .sevenBit()) }
        let file = try self.folder.file("f", Array(repeating: 0x61, count: 200_000) + [0x80])
        let plan = try Self.plan(.file(file), .sevenBit())
        #expect(plan.contentLength == 200_050)
        let error = #expect(throws: FormworkError.self) { try plan.bytes(upTo: 1 << 20) }
        #expect(error?.code == .contentNotEncodable)
        #expect(error?.message.contains("0x80 at offset 200000 of the content") == true)
        #expect(error?.part?.index == 0)
    }

    @Test("A file that changes is found out behind an encoder too")
    func changes() throws {
        let file = try self.folder.file("f", Array(repeating: 0x61, count: 200_000))
        let plan = try Self.plan(.file(file), .base64())
        let reader = plan.makeReader()
        _ = try reader.read(upTo: 1000)
        _ = try self.folder.file("f", Array(repeating: 0x61, count: 100))
        let error = #expect(throws: FormworkError.self) { try readAll(reader, by: 1000) }
        #expect(error?.code == .sourceChanged)
        #expect(error?.path == file.string && error?.part?.index == 0)
    }

    @Test("Async chunks and one-shot streams are encoded as they come")
    func streams() async throws {
        let chunks = AsyncStream { continuation in
            for text in ["fo", "", "ob", "ar"] { continuation.yield(Array(text.utf8)) }
            continuation.finish()
        }
        let plan = try Self.plan(.chunks(once: chunks, length: 6), .base64())
        #expect(plan.contentLength == 59 && !plan.isReplayable)
        var body: [UInt8] = []
        for try await chunk in plan.chunks() { body += chunk }
        #expect(
            String(decoding: body, as: UTF8.self)
                == "--b\r\nContent-Transfer-Encoding: base64\r\n\r\nZm9vYmFy\r\n--b--\r\n")
        let once = try Self.plan(
            .stream(once: DripStream(Array("é".utf8), step: 1)), .quotedPrintable(isMeasured: true))
        #expect(once.contentLength == nil)
        #expect(once.replayBlocker != nil)
        #expect(try await once.bytes(upTo: 100).count == 67)
    }

    @Test("Lines that base64 can't have are refused", arguments: [0, -4, 3, 75, 2])
    func columns(columns: Int) { expect(.invalidArgument) { try Self.plan(.text("x"), .base64(columns: columns)) } }
}
