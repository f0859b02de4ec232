@testable import Formwork
@testable import FormworkCore
import TestSupport
import Testing

@Suite("A body read back while it is sent", .timeLimit(.minutes(10)))
struct FramingValidatorTests {
    private let folder = TemporaryFolder()
    private static let checking = ReaderOptions(checksFraming: true)

    /// The error that a checked body ends with, and the bytes given before.
    private func failure(of form: FormData, by size: Int = 1000) throws -> (error: FormworkError?, given: [UInt8]) {
        let reader = try form.plan().makeReader(options: Self.checking)
        var given: [UInt8] = []
        while true {
            switch Result(catching: { () throws(FormworkError) in try reader.read(upTo: size) }) {
            case .success([]): return (nil, given)
            case .success(let chunk): given += chunk
            case .failure(let error):
                let again = #expect(throws: FormworkError.self) { try reader.read(upTo: 1) }
                #expect(again?.description == error.description, "an error stays")
                return (error, given)
            }
        }
    }

    @Test("A form that holds together gives the same bytes", arguments: UInt64(700)..<716, [1, 7, 30_000])
    func sameBytes(seed: UInt64, size: Int) throws {
        let (form, body) = try generatedForm(seed: seed, in: self.folder)
        guard size > 1 || body.count < 100_000 else { return }
        let plan = try form.plan()
        #expect(try readAll(plan.makeReader(options: Self.checking), by: size) == body)
    }

    @Test("So by every way out, and in async chunks", arguments: [WayOut.pipe, .socket, .file])
    func everyWay(way: WayOut) async throws {
        let folder = TemporaryFolder()
        for seed in UInt64(730)..<736 {
            let (form, body) = try generatedForm(seed: seed, in: folder)
            let plan = try await form.plan()
            #expect(try Sink.drain(plan.makeReader(options: Self.checking), by: way, folder) == body)
            var chunks: [UInt8] = []
            for try await chunk in plan.chunks(of: 5000, options: Self.checking) { chunks += chunk }
            #expect(chunks == body)
        }
    }

    @Test(
        "A delimiter in content is an error wherever it stands and however it is read",
        arguments: ["\r\n--b\r\n", "\r\n--b--", "\r\n--b \t\r\n", "\r\n--bc", "\r\n--b"], [1, 2, 7, 1000])
    func delimiterAnywhere(delimiter: String, size: Int) throws {
        for before in [0, 1, 2, 40] {
            for cut in 0...delimiter.utf8.count {
                let content = Array(repeating: UInt8(ascii: "x"), count: before) + Array(delimiter.utf8)
                // Two sources, so that the delimiter lies over their border.
                let halves = [
                    BodySource.bytes(Array(content[..<(before + cut)])), .bytes(Array(content[(before + cut)...])),
                ]
                var form = formB()
                form.append(name: "a", value: "1")
                form.append(name: "c", source: .concatenation(halves))
                form.append(name: "z", value: "2")
                let (error, given) = try self.failure(of: form, by: size)
                #expect(error?.code == .framingBroken)
                #expect(error?.part?.index == 1)
                // Part 2's content begins at 101.
                #expect(given.count < 101 + before + 2 + delimiter.utf8.count + 3)
            }
        }
    }

    @Test("The error names part, place and cause")
    func message() throws {
        var form = formB()
        form.append(name: "a", value: "1")
        form.append(name: "c", value: "evil\r\n--b\r\nContent-Disposition: form-data; name=\"admin\"\r\n\r\n1")
        let (error, given) = try self.failure(of: form)
        #expect(
            error?.description == """
                part 2 "c": the content contains the body's own delimiter at offset 105: choose another boundary \
                [body offset 105]
                """)
        #expect(given.isEmpty)
        #expect("\(FormworkError.Code.framingBroken)" == "framingBroken")
    }

    @Test("Content that begins with the delimiter")
    func atStart() throws {
        var form = formB()
        form.append(name: "a", value: "--b\r\n\r\n")
        #expect(
            try self.failure(of: form).error?.message
                == "the content contains the body's own delimiter at offset 49: choose another boundary")
    }

    @Test(
        "What only looks like a delimiter passes", arguments: ["--b\r", "\n--b\r\n", "x--b--", "\r\n--", "\r\n\r\n-b"])
    func harmless(content: String) throws {
        var form = formB()
        form.append(name: "a", value: "x" + content)
        for size in [1, 1000] { #expect(try self.failure(of: form, by: size).error == nil) }
    }

    @Test("A header field that ends the section, or can't be read")
    func headerFields() throws {
        func form(_ line: String) -> FormData {
            var form = formB()
            form.append(name: "a", value: "1")
            let field = HeaderField(verbatim: Array(line.utf8))
            form.append(BodyPart(header: PartHeader(name: "c", fields: [field]), source: .text("2")))
            return form
        }
        #expect(try self.failure(of: form("X-Camera: 7")).error == nil)
        #expect(
            try self.failure(of: form("X: 1\r\n\r\nsmuggled")).error?.message
                == "the header fields of part 2 end at offset 107 instead of 119: one of them contains an empty line")
        #expect(
            try self.failure(of: form("no field")).error?.message
                == "the header fields of part 2 can't be read back: A header line has no name followed by a colon.")
        #expect(
            try self.failure(of: form("Content-Disposition: form-data; name=\"x\"")).error?.message
                == "the header fields of part 2 can't be read back: A part has two Content-Disposition fields.")
        for line in ["X: 1\r\n\r\nsmuggled", "no field"] {
            let (error, _) = try self.failure(of: form(line), by: 1)
            #expect(error?.code == .framingBroken)
            #expect(error?.part?.name == "c")
        }
    }

    @Test("Free fields may be a disposition of their own")
    func freeDisposition() throws {
        var form = formB()
        let field = try HeaderField("Content-Disposition", "form-data; name=\"own\"")
        form.append(BodyPart(header: PartHeader(disposition: nil, fields: [field]), source: .text("2")))
        #expect(try self.failure(of: form).error == nil)
    }

    @Test("A name that ends its quotes")
    func names() throws {
        func form(_ name: String, _ escaping: ParameterEscaping) throws -> FormData {
            var form = FormData(framing: MultipartFraming(boundary: try Boundary("b"), escaping: escaping))
            form.append(BodyPart(header: PartHeader(name: name, filename: "f"), source: .text("2")))
            return form
        }
        for name in ["a\"; filename=\"evil", "a\r\n\r\nb", "\\", "grüße", "a\"b\\"] {
            #expect(try self.failure(of: form(name, .whatwg)).error == nil, "\(name)")
        }
        for name in ["a\"; filename=\"evil", "\\", "\\\"", "a\"b\\"] {
            #expect(try self.failure(of: form(name, .backslash)).error == nil, "\(name)")
        }
        #expect(
            try self.failure(of: form("a\"; x=\"y", .raw)).error?.message == "the name of part 1 is read as \"a\"")
        #expect(
            try self.failure(of: form("a\r\n b", .raw)).error?.message == "the name of part 1 is read as \"a b\"")
        #expect(try self.failure(of: form("a\r\n\r\nb", .raw)).error?.code == .framingBroken)
        #expect(try self.failure(of: form("a\r\n\r\nb", .backslashUnchecked)).error?.code == .framingBroken)
    }

    @Test("Streams, files by the kernel's ways, and async sequences")
    func sources() async throws {
        let bad = Array(repeating: UInt8(0x2D), count: 200_000) + Array("\r\n--b\r\n".utf8)
        let file = try self.folder.file("bad", bad)
        for source in [BodySource.file(file), .stream { DripStream(bad, from: Int($0), step: 1000) }] {
            var form = formB()
            form.append(name: "c", source: source)
            let plan = try await form.plan()
            for way in [WayOut.pipe, .socket, .file, .device] {
                let reader = try plan.makeReader(options: Self.checking)
                expect(.framingBroken) { try Sink.drain(reader, by: way, self.folder) }
            }
            #expect(self.folder.names == ["bad"], "no file is left")
        }
        var form = formB()
        form.append(
            name: "c", source: .chunks { _ in ChunkSource([Array("x\r\n-".utf8), Array("-b--".utf8)]) })
        form.append(name: "d", value: "1")
        let plan = try await form.plan()
        await expect(.framingBroken) { for try await _ in plan.chunks(of: 3, options: Self.checking) {} }
    }

    @Test("Parts that are made when their turn comes", arguments: [true, false], [1, 1000, 100_000])
    func sequences(isMeasured: Bool, size: Int) throws {
        let file = try self.folder.file("f", "file")
        func form(_ bad: Int) -> FormData {
            var form = formB()
            form.append(name: "first", value: "1")
            form.append(
                PartSequence(count: 1500, isMeasured: isMeasured) { index in
                    if index % 400 == 7 { return BodyPart(name: "p\(index)", source: .file(file)) }
                    return BodyPart(name: "p\(index)", value: index == bad ? "x\r\n--b\r\n" : "\(index)")
                })
            form.append(name: "last", value: "1")
            return form
        }
        let good = try readAll(form(-1).plan().makeReader(), by: 100_000)
        let (none, given) = try self.failure(of: form(-1), by: size)
        #expect(none == nil && given == good)
        let (error, _) = try self.failure(of: form(1200), by: size)
        #expect(error?.code == .framingBroken)
        #expect(error?.part == PartReference(index: 1201, name: "p1200"))
    }

    @Test("A form inside a form is content, checked for the outer boundary alone", arguments: [1, 1000])
    func nested(size: Int) throws {
        func form(_ value: String) throws -> FormData {
            var inner = FormData(framing: MultipartFraming(boundary: try Boundary("inner"), subtype: "mixed"))
            inner.append(name: "i", value: value)
            inner.append(PartSequence(count: 3) { BodyPart(name: "s\($0)", value: "v") })
            var outer = formB()
            outer.append(BodyPart(name: "m", multipart: inner))
            outer.append(name: "z", value: "1")
            return outer
        }
        #expect(try self.failure(of: form("x"), by: size).error == nil)
        #expect(try self.failure(of: form("x\r\n--inner\r\n"), by: size).error == nil)
        let (error, _) = try self.failure(of: form("x\r\n--b--"), by: size)
        #expect(error?.code == .framingBroken)
        #expect(error?.part?.name == "m")
    }

    @Test("Endings that we reproduce")
    func endings() throws {
        for hasPart in [false, true] {
            for framing in [
                MultipartFraming(boundary: try Boundary("b"), ending: .delimiter),
                MultipartFraming(boundary: try Boundary("b"), ending: .closeDelimiter, emptyForm: .nothing),
                MultipartFraming(boundary: try Boundary("a b")),
            ] {
                var form = FormData(framing: framing)
                if hasPart { form.append(name: "a", value: "1") }
                for size in [1, 1000] { #expect(try self.failure(of: form, by: size).error == nil, "\(framing)") }
            }
        }
    }

    @Test("A reader that checks begins at 0")
    func offsets() throws {
        var form = formB()
        form.append(name: "a", value: "12345")
        let plan = try form.plan()
        let body = try plan.bytes(upTo: 1000)
        expect(.invalidArgument) { try plan.makeReader(from: 3, options: Self.checking) }
        let reader = try plan.makeReader(options: Self.checking)
        #expect(try reader.read(upTo: 10) == Array(body[..<10]))
        expect(.invalidArgument) { try reader.seek(to: 20) }
        try reader.seek(to: 0)
        #expect(try readAll(reader, by: 9) == body)
        #expect(try readAll(plan.makeReader(count: 12, options: Self.checking), by: 9) == Array(body[..<12]))
    }

    @Test("By hand: a value that is told what comes")
    func byHand() throws {
        let framing = MultipartFraming(boundary: try Boundary("b"))
        let head = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
        func check(_ body: [UInt8], end: Int) throws {
            var check = FramingValidator(framing)
            let part = PartReference(index: 0, name: "a")
            try check.expect(part, PartHeader(name: "a"), from: 0, contentFrom: Int64(head.count))
            check.expectEnd(from: Int64(end))
            try check.take(body)
            try check.finish()
        }
        let body = head + Array("12\r\n--b--\r\n".utf8)
        try check(body, end: head.count + 2)
        expect(.framingBroken) { try check(body, end: head.count + 3) }
        expect(.framingBroken) { try check(Array(body.dropLast(7)), end: head.count + 2) }
        expect(.framingBroken) { try check(body + [0x0D], end: head.count + 2) }
        expect(.framingBroken) { try check([0x0D, 0x0A] + body, end: head.count + 4) }
    }
}
