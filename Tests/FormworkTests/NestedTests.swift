import Formwork
import SystemPackage
import Testing

@Suite("Forms inside forms")
struct NestedTests {
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
        let folder = TemporaryFolder()
        let (form, text) = try Self.form(in: folder)
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
        let folder = TemporaryFolder()
        let (form, _) = try Self.form(in: folder)
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
        let folder = TemporaryFolder()
        let file = try folder.file("f", "abc")
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

    @Test("40 levels are allowed, 41 not")
    func depth() throws {
        func nested(_ depth: Int) -> FormData {
            var form = FormData()
            if depth == 0 {
                form.append(name: "a", value: "1")
            } else {
                form.append(BodyPart(name: "m", multipart: nested(depth - 1)))
            }
            return form
        }
        _ = try nested(40).plan()
        expect(.limitExceeded) { try nested(41).plan() }
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
