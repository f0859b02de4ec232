import Formwork
import TestSupport
import Testing

@Suite("Forms inside forms", .timeLimit(.minutes(10)))
struct NestedTests {
    private let folder = TemporaryFolder()

    private static func framing(_ boundary: String, _ subtype: String = "form-data") throws -> MultipartFraming {
        MultipartFraming(boundary: try Boundary(boundary), subtype: subtype)
    }

    /// Two levels, every kind of source, and the bytes as written by hand.
    private static func form(in folder: TemporaryFolder) throws -> (FormData, String) {
        let file = try folder.file("f.bin", "0123456789")
        var inner = FormData(framing: try self.framing("inner", "alternative"))
        inner.append(BodyPart(header: PartHeader(disposition: nil, contentType: "text/plain"), source: .text("plain")))
        inner.append(BodyPart(header: PartHeader(disposition: .inline, filename: "f"), source: .file(file)))
        var middle = FormData(framing: try self.framing("middle", "mixed"))
        middle.append(BodyPart(name: nil, disposition: nil, multipart: inner))
        middle.append(
            PartSequence(count: 2) {
                BodyPart(header: PartHeader(disposition: .attachment, name: "\($0)"), source: .text("s"))
            })
        var outer = FormData(framing: try self.framing("b"))
        outer.append(name: "a", value: "1")
        outer.append(BodyPart(name: "m", multipart: middle))
        outer.append(BodyPart(name: "e", multipart: FormData(framing: try self.framing("empty", "mixed"))))
        outer.append(name: "z", value: "2")
        let body = """
            --b
            Content-Disposition: form-data; name="a"

            1
            --b
            Content-Disposition: form-data; name="m"
            Content-Type: multipart/mixed; boundary=middle

            --middle
            Content-Type: multipart/alternative; boundary=inner

            --inner
            Content-Type: text/plain

            plain
            --inner
            Content-Disposition: inline; filename="f"

            0123456789
            --inner--

            --middle
            Content-Disposition: attachment; name="0"

            s
            --middle
            Content-Disposition: attachment; name="1"

            s
            --middle--

            --b
            Content-Disposition: form-data; name="e"
            Content-Type: multipart/mixed; boundary=empty

            --empty--

            --b
            Content-Disposition: form-data; name="z"

            2
            --b--

            """
        return (outer, body.replacing("\n", with: "\r\n"))
    }

    @Test("They are these bytes, by reads of any size and from any offset, and as long as announced")
    func bytes() throws {
        let (form, text) = try Self.form(in: self.folder)
        let plan = try form.plan()
        let body = Array(text.utf8)
        #expect(String(decoding: try plan.bytes(upTo: 1 << 20), as: UTF8.self) == text)
        #expect(plan.contentLength == Int64(body.count))
        for size in [1, 2, 3, 7, 64, 1000] { #expect(try readAll(plan.makeReader(), by: size) == body, "\(size)") }
        for offset in 0...body.count {
            let rest = try plan.makeReader(from: Int64(offset)).collect(upTo: 1 << 20)
            #expect(rest == Array(body[offset...]), "from \(offset)")
        }
    }

    @Test("Layout, progress and errors name a part inside a part by both")
    func names() throws {
        let (form, _) = try Self.form(in: self.folder)
        let parts = try form.plan().layout.compactMap(\.part).map(\.description)
        #expect(
            parts == [
                "part 1 \"a\"", "part 1 \"a\"", "part 2 \"m\"", "part 2.1", "part 2.1.1", "part 2.1.1", "part 2.1.2",
                "part 2.1.2", "part 2.1", "part 2.2", "part 2 \"m\"", "part 3 \"e\"", "part 3 \"e\"", "part 4 \"z\"",
                "part 4 \"z\"",
            ])
        var inner = FormData()
        inner.append(name: "ok", value: "")
        inner.append(name: "gone", file: "/nonexistent")
        var outer = FormData()
        outer.append(BodyPart(name: "m", multipart: inner))
        let error = #expect(throws: FormworkError.self) { try outer.plan() }
        #expect(error?.part?.description == "part 1.2 \"gone\"")
    }

    @Test("A description carries them through")
    func description() throws {
        let file = try self.folder.file("f", "abc")
        var inner = FormData(framing: try Self.framing("i", "mixed"))
        inner.append(
            BodyPart(
                header: PartHeader(disposition: .attachment, name: "f", transferEncoding: .base64(columns: 8)),
                source: .concatenation([.file(file), .text("defghi")])))
        var outer = formB()
        outer.append(BodyPart(name: "m", multipart: inner))
        let plan = try outer.plan()
        let again = try plan.describe().form.plan()
        #expect(try again.bytes(upTo: 10_000) == plan.bytes(upTo: 10_000))
        #expect(try plan.bytes(upTo: 10_000).count == 209)
    }

    @Test(
        "A boundary that another begins with is refused",
        arguments: [("b", "b"), ("b", "b2"), ("b2", "b"), ("--b", "--b-")])
    func prefixes(outer: String, inner: String) throws {
        var form = FormData(framing: try Self.framing(outer))
        form.append(BodyPart(name: "m", multipart: FormData(framing: try Self.framing(inner, "mixed"))))
        expect(.invalidArgument) { try form.plan() }
    }

    /// The ways that a form gets into another one.
    enum Way: CaseIterable {
        case part, concatenation, encoded, sequence, unmeasured, arriving

        func form(_ boundary: String? = nil, holding inner: FormData) throws -> FormData {
            var form = FormData()
            if let boundary { form.framing.boundary = try Boundary(boundary) }
            let part = BodyPart(name: "m", multipart: inner)
            switch self {
            case .part: form.append(part)
            case .concatenation: form.append(name: "m", source: .concatenation([.text("x"), .multipart(inner)]))
            case .encoded:
                let header = PartHeader(name: "m", transferEncoding: .quotedPrintable())
                form.append(BodyPart(header: header, source: .multipart(inner)))
            case .sequence: form.append(PartSequence(count: 1) { _ in part })
            case .unmeasured: form.append(PartSequence(count: 1, isMeasured: false) { _ in part })
            case .arriving:
                form.append(
                    once: AsyncStream { continuation in
                        continuation.yield(part)
                        continuation.finish()
                    })
            }
            return form
        }
    }

    private static func text(_ form: FormData) async throws -> String {
        var bytes: [UInt8] = []
        for try await chunk in try await form.plan().chunks() { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("40 levels are allowed, 41 not, whatever the way in", arguments: Way.allCases)
    func depth(way: Way) async throws {
        var form = FormData()
        form.append(name: "a", value: "1")
        for _ in 0..<39 { form = try Way.part.form(holding: form) }
        #expect(try await Self.text(way.form(holding: form)).contains("\r\n\r\n1\r\n"))
        for outer in [Way.part, .concatenation, .sequence, .arriving] {
            let deep = try outer.form(holding: way.form(holding: form))
            let error = await #expect(throws: FormworkError.self) { try await Self.text(deep) }
            #expect(error?.code == .limitExceeded, "\(error?.description ?? "")")
        }
    }

    @Test(
        "A boundary like one around it is refused whatever the way in, and the part inside is named",
        arguments: Way.allCases)
    func alike(way: Way) async throws {
        let rows = [
            ("b", "x", "part 1.1 \"n\""), ("x", "b2", "part 1.1 \"n\""), ("b", "b2", "part 1 \"m\""),
            ("b2", "b", "part 1 \"m\""),
        ]
        for (outer, middle, part) in rows {
            var form = FormData(framing: try Self.framing(middle, "mixed"))
            form.append(BodyPart(name: "n", multipart: FormData(framing: try Self.framing("b", "mixed"))))
            let nested = try way.form(outer, holding: form)
            let error = await #expect(throws: FormworkError.self) { try await Self.text(nested) }
            #expect(error?.code == .invalidArgument)
            #expect(error?.part?.description == part)
        }
    }

    @Test("Types are found in the outer form's way, unless the inner one has its own", arguments: Way.allCases)
    func types(way: Way) async throws {
        let file = try self.folder.file("a.bin", "<p>")
        let outer = MediaTypeDetection(headCount: 3) { name, head in
            let head = head.map { String(decoding: $0, as: UTF8.self) } ?? "nothing"
            return MediaTypeChoice("x/\(head == "<p>" ? "seen" : "unseen")", by: .content, reason: "")
        }
        let own = MediaTypeDetection(headCount: 0) { _, _ in MediaTypeChoice("x/own", by: .content, reason: "") }
        for (types, expected) in [(nil, "x/seen"), (own, "x/own")] {
            var inner = FormData(types: types)
            inner.append(name: "f", file: file)
            var middle = FormData()
            middle.append(BodyPart(name: "n", multipart: inner))
            var form = try way.form(holding: middle)
            form.types = outer
            #expect(try await Self.text(form).contains("Content-Type: \(expected)\r\n"))
        }
    }

    @Test("A sequence's parts may be multiparts too")
    func inSequences() throws {
        let framing = try Self.framing("i", "mixed")
        for isMeasured in [true, false] {
            var form = formB()
            form.append(
                PartSequence(count: 3, isMeasured: isMeasured) { index in
                    var inner = FormData(framing: framing)
                    inner.append(name: "x", value: "\(index)")
                    return BodyPart(name: "m", multipart: inner)
                })
            let one = """
                Content-Disposition: form-data; name="m"\r\nContent-Type: multipart/mixed; boundary=i\r\n\r\n\
                --i\r\nContent-Disposition: form-data; name="x"\r\n\r\n#\r\n--i--\r\n
                """
            let body =
                "--b\r\n" + one.replacing("#", with: "0") + "\r\n--b\r\n" + one.replacing("#", with: "1")
                + "\r\n--b\r\n" + one.replacing("#", with: "2") + "\r\n--b--\r\n"
            let plan = try form.plan()
            #expect(String(decoding: try plan.bytes(upTo: 10_000), as: UTF8.self) == body)
            #expect(plan.contentLength == (isMeasured ? Int64(body.utf8.count) : nil))
        }
    }
}
