@testable import FormworkCore
import Foundation
import Formwork
import TestSupport
import Testing

/// What this package composes it reads back equal, and what it reads it composes again.
@Suite("Composed bodies read back", .timeLimit(.minutes(10)))
struct ComposedBodyTests {
    private let folder = TemporaryFolder()

    /// A part as a receiver has it.
    private struct Part: Equatable, CustomStringConvertible {
        var name: String?
        var filename: String?
        var type: String?
        var content: [UInt8]

        var description: String {
            "\(self.name ?? "-")/\(self.filename ?? "-")/\(self.type ?? "-"), \(self.content.count) bytes"
        }
    }

    private static let cuts = [1, 2, 7, 61, 4093, 64 << 10]

    private func collect(
        _ body: [UInt8], _ type: String, every size: Int, _ profile: ParsingProfile = .default,
        _ limits: ParsingLimits = .default, in folder: TemporaryFolder
    ) async throws -> ReceivedForm {
        let chunks = stride(from: 0, to: body.count, by: size).map { Array(body[$0..<min($0 + size, body.count)]) }
        let parts = try ReceivedParts(ChunkSource(chunks), contentType: type, profile: profile, limits: limits)
        var collecting = CollectingLimits()
        // Some in memory, some on disk.
        (collecting.fileMemoryBytes, collecting.folder) = (900, folder.path)
        return try await ReceivedForm(collecting: parts, limits: collecting)
    }

    private func parts(_ form: ReceivedForm) async throws -> [Part] {
        var parts: [Part] = []
        for entry in form {
            parts.append(
                Part(
                    name: entry.name, filename: entry.filename, type: entry.contentType,
                    content: try await entry.content.bytes(upTo: 100 << 20)))
        }
        return parts
    }

    /// Strings with equal bytes: `==` takes two spellings of a letter for one.
    private func expectEqual(
        _ left: [Part], _ right: [Part], _ what: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(left == right, "\(what)", sourceLocation: sourceLocation)
        for (left, right) in zip(left, right) {
            let pairs = [(left.name, right.name), (left.filename, right.filename), (left.type, right.type)]
            for (left, right) in pairs {
                #expect(
                    left.map { Array($0.utf8) } == right.map { Array($0.utf8) }, "\(what)",
                    sourceLocation: sourceLocation)
            }
        }
    }

    // MARK: composed, then read

    static let names = [
        "a", "", " a ", "a;b", "a=b", "a'b", "a\\b", "a\\", "\\\\", "näme 文書", "e\u{301}", "%22", "%0D%0A", "\t",
        "a\u{1}",
        "[]", "x[y]", "C:\\path\\file", "../../etc/passwd", "; filename=x", "=?utf-8?q?a?=", "\u{FEFF}", "👩‍👧",
        String(repeating: "n", count: 1000),
    ]
    static let types = [nil, "text/plain", "image/jpeg", "text/plain; charset=utf-8", "TEXT/Html;x=\"a;b\"", "a/b;"]

    /// A part of a kind, and its content as it goes out.
    private static func source(
        _ kind: Int, _ bytes: [UInt8], _ index: Int, _ folder: TemporaryFolder
    ) throws -> (BodySource, [UInt8]) {
        let length = Int64(bytes.count)
        switch kind {
        case 0: return (.bytes(bytes), bytes)
        case 1: return (.file(try folder.file("f\(index)", bytes)), bytes)
        case 2: return (.file(try folder.file("s\(index)", [1] + bytes + [2]), offset: 1, length: length), bytes)
        case 3: return (.stream(length: length) { DripStream(bytes, from: Int($0), step: 100) }, bytes)
        case 4: return (.stream { DripStream(bytes, from: Int($0), step: 1000) }, bytes)
        case 5:
            let chunks: [[UInt8]] = [Array(bytes.prefix(10)), [], Array(bytes.dropFirst(10))]
            return (.chunks { offset in ChunkSource([Array(chunks.joined().dropFirst(Int(offset)))]) }, bytes)
        case 6: return (.concatenation([.text("ü"), .bytes(bytes)]), Array("ü".utf8) + bytes)
        case 7: return (.synthetic(count: 10, seed: 0), [0xAF, 0xCD, 0x1D, 0x7B, 0x39, 0xA8, 0x20, 0xE2, 0xF4, 0x65])
        case 8:
            let file = try FileDescriptor.open(try folder.file("p\(index)", bytes), .readOnly)
            defer { try? file.close() }
            return (try BodySpool(collecting: file, in: folder.path).source, bytes)
        default: return (.text("--b\r\nGrüße, 東京\r\n--"), Array("--b\r\nGrüße, 東京\r\n--".utf8))
        }
    }

    /// A form of every kind of source, with awkward names, and its parts as they should arrive.
    private static func form(seed: UInt64, in folder: TemporaryFolder) throws -> (form: FormData, parts: [Part]) {
        var generator = SampleGenerator(seed: seed)
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("in-between")))
        var parts: [Part] = []
        for index in 0..<Int.random(in: 1...6, using: &generator) {
            // A literal list is never empty.
            let size = [0, 1, 17, 899, 900, 901, 70_000].randomElement(using: &generator)!
            let bytes = Array(
                repeatElement(Array("\r\n--in-betwee\r\r\n-\0\u{FF}".utf8), count: size / 10 + 1).joined().prefix(size))
            let kind = Int.random(in: 0...11, using: &generator)
            let name = self.names.randomElement(using: &generator)!
            let filename = Bool.random(using: &generator) ? nil : self.names.randomElement(using: &generator)!
            let type = self.types.randomElement(using: &generator)!
            var header = PartHeader(name: name, filename: filename, contentType: type)
            header.fields = Bool.random(using: &generator) ? [] : [try HeaderField("X-Custom", "a: \"b\"")]
            switch kind {
            case 10:
                header.transferEncoding = .base64()
                let bytes = Array(bytes.prefix(45))
                form.append(BodyPart(header: header, source: .bytes(bytes)))
                parts.append(
                    Part(
                        name: name, filename: filename, type: type,
                        content: Array(Data(bytes).base64EncodedString().utf8)))
            case 11:
                let boundary = try Boundary("inner")
                var inner = FormData(framing: MultipartFraming(boundary: boundary, subtype: "mixed"))
                inner.append(name: "inside", source: .bytes(bytes))
                header.contentType = nil
                form.append(BodyPart(header: header, source: .multipart(inner)))
                parts.append(
                    Part(
                        name: name, filename: filename, type: try inner.framing.contentType,
                        content: try inner.plan().bytes(upTo: 1 << 20)))
            default:
                let (source, content) = try self.source(kind, bytes, index, folder)
                form.append(BodyPart(header: header, source: source))
                parts.append(Part(name: name, filename: filename, type: type, content: content))
            }
        }
        let count = Int.random(in: 0...30, using: &generator)
        form.append(PartSequence(count: count) { BodyPart(name: "lazy", value: "v\($0)") })
        parts += (0..<count).map { Part(name: "lazy", content: Array("v\($0)".utf8)) }
        return (form, parts)
    }

    @Test("Every source, awkward names, any cut; sent on, they arrive equal again", arguments: 0..<40)
    func generated(seed: Int) async throws {
        let (form, parts) = try Self.form(seed: UInt64(seed), in: self.folder)
        let plan = try await form.plan()
        var body: [UInt8] = []
        for try await chunk in plan.chunks(of: 10_000) { body += chunk }
        for size in Self.cuts where size > 1000 || body.count < 10_000 {
            let received = try await self.collect(body, plan.contentType, every: size, in: self.folder)
            self.expectEqual(try await self.parts(received), parts, "seed \(seed), chunks of \(size)")
            let again = try await FormData(received).plan()
            let bytes = try await again.bytes(upTo: 100 << 20)
            #expect(again.contentLength == Int64(bytes.count))
            let second = try await self.collect(bytes, again.contentType, every: size, in: self.folder)
            self.expectEqual(try await self.parts(second), parts, "seed \(seed), chunks of \(size), sent on")
        }
    }

    @Test("The forms that the reader is tested with", arguments: 0..<15)
    func usualForms(seed: Int) async throws {
        let (form, body) = try generatedForm(seed: UInt64(seed), in: self.folder)
        var limits = ParsingLimits.default
        (limits.parts, limits.fields) = (3000, 3000)
        let received = try await self.collect(
            body, try form.framing.contentType, every: 4093, .default, limits, in: self.folder)
        let framing = MultipartFraming(boundary: try Boundary("b"))
        #expect(try await FormData(received, framing: framing).plan().bytes(upTo: 100 << 20) == body)
    }

    // MARK: rules for what can't come back equal

    @Test(
        "A quote, CR or LF in a name comes back as its escape, and as itself when the profile decodes escapes",
        arguments: [("a\"b", "a%22b"), ("\"", "%22"), ("a\r\nb", "a%0D%0Ab"), ("a\\\"b", "a\\%22b"), ("%22", "%22")])
    func escapes(name: String, received: String) async throws {
        var form = formB()
        form.append(BodyPart(header: PartHeader(name: name, filename: name), source: .text("v")))
        let plan = try await form.plan()
        let body = try await plan.bytes(upTo: 1000)
        for (profile, name) in [(ParsingProfile.default, received), (Self.decoding, Self.decoded(received))] {
            let form = try await self.collect(body, plan.contentType, every: 3, profile, in: self.folder)
            self.expectEqual(
                try await self.parts(form), [Part(name: name, filename: name, content: [0x76])], "\(profile)")
        }
    }

    private static let decoding: ParsingProfile = {
        var profile = ParsingProfile.default
        profile.decodesPercentEscapes = true
        return profile
    }()

    private static func decoded(_ text: String) -> String {
        [("%22", "\""), ("%0D", "\r"), ("%0A", "\n")].reduce(text) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
    }

    @Test("Under the backslash rule every name comes back equal when the profile reads it")
    func backslashes() async throws {
        var profile = ParsingProfile.default
        profile.backslashes = .escape
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b"), escaping: .backslash))
        let names = Self.names + ["\"", "\\\"", "a\"; filename=\"x"]
        for name in names { form.append(name: name, source: .text("v"), filename: name, contentType: "a/b") }
        let plan = try await form.plan()
        let received = try await self.collect(
            try plan.bytes(upTo: 100_000), plan.contentType, every: 5, profile, in: self.folder)
        self.expectEqual(
            try await self.parts(received),
            names.map { Part(name: $0, filename: $0, type: "a/b", content: [0x76]) }, "backslashes")
    }

    @Test(
        "A type goes on as it was received, unless control characters would",
        arguments: [
            ("text", "text"), ("", ""), ("text/html;;x=\"y\"", "text/html;;x=\"y\""), ("a, b/c", "a, b/c"),
            ("text/\u{1}plain", nil), ("a/b\u{7F}", nil), ("a/b; c=\tü", "a/b; c=\tü"),
        ] as [(String, String?)])
    func types(received: String, sent: String?) async throws {
        let body = "--b\r\nContent-Disposition: form-data; name=a\r\nContent-Type: \(received)\r\n\r\nv\r\n--b--\r\n"
        let form = try await self.collect(
            Array(body.utf8), "multipart/form-data; boundary=b", every: 9, in: self.folder)
        #expect(form.map(\.contentType) == [received])
        let plan = try await FormData(form).plan()
        let again = try await self.collect(try plan.bytes(upTo: 1000), plan.contentType, every: 9, in: self.folder)
        #expect(again.map(\.contentType) == [sent])
    }

    @Test("A file whose name can't be read stays a file, with an empty name")
    func unreadableFilename() async throws {
        let body = "--b\r\nContent-Disposition: form-data; name=a; filename*=UTF-8''%FF\r\n\r\nv\r\n--b--\r\n"
        let form = try await self.collect(
            Array(body.utf8), "multipart/form-data; boundary=b", every: 9, in: self.folder)
        #expect(form.map(\.isFile) == [true])
        #expect(form.map(\.filename) == [nil])
        let plan = try await FormData(form).plan()
        let again = try await self.collect(try plan.bytes(upTo: 1000), plan.contentType, every: 9, in: self.folder)
        #expect(again.map(\.filename) == [""])
    }

    // MARK: received from others, then composed

    /// A body that others made.
    struct Received: Sendable, CustomStringConvertible {
        var description: String
        var type: String
        var body: [UInt8]

        /// Captures of clients, and the rows that are for the default profile.
        static func all() throws -> [Received] {
            try ClientCapture.all().map {
                Received(description: $0.client, type: $0.contentType, body: try $0.bytes())
            }
                + VectorRow.rows(in: VectorRow.fixtures).filter { $0.json.object?["profile"]?.string == "default" }.map
            { row in
                var object = try VectorObject(row.json, "a row")
                return Received(
                    description: row.name, type: try object.string("content_type") ?? "",
                    body: try object.bytes("body", "body_base64") ?? [])
            }
        }
    }

    @Test("What clients sent and what the vectors hold is sent on and read equal, by the rules for quotes and types")
    func receivedForms() async throws {
        var count = 0
        for received in try Received.all() {
            guard
                let form = try? await self.collect(
                    received.body, received.type, every: 64 << 10, .default, .none, in: self.folder)
            else { continue }
            count += 1
            let wanted = try await self.parts(form).map { part in
                let escaped = { (text: String) in text.replacingOccurrences(of: "\"", with: "%22") }
                var part = part
                (part.name, part.filename) = (part.name.map(escaped), part.filename.map(escaped))
                if part.type?.contains("\u{1}") ?? false { part.type = nil }
                return part
            }
            let plan = try await FormData(form).plan()
            let body = try await plan.bytes(upTo: 100 << 20)
            for size in Self.cuts where size > 1000 || body.count < 2_000 {
                let again = try await self.collect(
                    body, plan.contentType, every: size, .default, .none, in: self.folder)
                self.expectEqual(try await self.parts(again), wanted, "\(received), chunks of \(size)")
            }
        }
        // 26 and more captures, and the rows that give parts.
        #expect(count >= 190, "\(count) were read")
    }
}
