import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("MultipartFormData: parts and their header sections", .timeLimit(.minutes(10)))
struct MultipartFormDataTests {
    private let folder = Folder()

    @Test("Every kind of part, byte for byte")
    func kinds() throws {
        let form = MultipartFormData.fixed()
        form.append(Data("1".utf8), withName: "a")
        form.append(Data("2".utf8), withName: "b", mimeType: "text/plain")
        form.append(Data("3".utf8), withName: "c", fileName: "c.txt")
        form.append(try self.folder.file("photo.JPG", "4"), withName: "d")
        form.append(try self.folder.file("no extension", "5"), withName: "e", fileName: "e.bin", mimeType: "x/y")
        form.append("6", as: "f")
        form.append(
            InputStream(data: Data("7".utf8)), withLength: 1, headers: ["X-A": "1", "Content-Disposition": "z"])
        #expect(
            try form.text == """
                --B\r
                Content-Disposition: form-data; name="a"\r
                \r
                1\r
                --B\r
                Content-Disposition: form-data; name="b"\r
                Content-Type: text/plain\r
                \r
                2\r
                --B\r
                Content-Disposition: form-data; name="c"; filename="c.txt"\r
                \r
                3\r
                --B\r
                Content-Disposition: form-data; name="d"; filename="photo.JPG"\r
                Content-Type: image/jpeg\r
                \r
                4\r
                --B\r
                Content-Disposition: form-data; name="e"; filename="e.bin"\r
                Content-Type: x/y\r
                \r
                5\r
                --B\r
                Content-Disposition: form-data; name="f"; filename="s.bin"\r
                Content-Type: a/b\r
                \r
                6\r
                --B\r
                X-A: 1\r
                Content-Disposition: z\r
                \r
                7\r
                --B--\r\n
                """)
        #expect(form.contentType == "multipart/form-data; boundary=B")
        #expect(form.contentLength == 7)
        #expect(MultipartFormData.encodingMemoryThreshold == 10_000_000)
    }

    @Test("A form without parts is no bytes")
    func empty() throws { #expect(try MultipartFormData.fixed().encode().isEmpty) }

    @Test("A random boundary is Alamofire's and new for each form")
    func boundary() {
        let boundary = MultipartFormData().boundary
        #expect(boundary.wholeMatch(of: /alamofire\.boundary\.[0-9a-f]{16}/) != nil)
        #expect(MultipartFormData().boundary != boundary)
    }

    @Test("A boundary that needs quotes gets them; Alamofire writes none")
    func quotedBoundary() throws {
        #expect(MultipartFormData(boundary: "a b").contentType == #"multipart/form-data; boundary="a b""#)
        let exact = MultipartFormData(boundary: "a b", compatibility: .exact)
        #expect(exact.contentType == "multipart/form-data; boundary=a b")
    }

    @Test("A boundary that is none is an error of encoding", arguments: ["", "a\r\nb", "€", "a "])
    func badBoundary(text: String) {
        let form = MultipartFormData(boundary: text)
        form.append(Data(), withName: "a")
        #expect(failure { _ = try form.encode() } == readFailed)
    }

    @Test("The content type is the caller's to change")
    func contentType() {
        class Mixed: MultipartFormData {
            override var contentType: String {
                get { "multipart/mixed; boundary=\(self.boundary)" }
                set {}
            }
        }
        #expect(Mixed(boundary: "B").contentType == "multipart/mixed; boundary=B")
        let form = MultipartFormData.fixed()
        form.contentType = "x"
        #expect(form.contentType == "x")
    }

    @Test("A name can neither end its quotes nor begin a header")
    func injection() throws {
        let name = "a\"\r\nX-Evil: 1"
        let form = MultipartFormData.fixed()
        form.append(Data("1".utf8), withName: name, fileName: name)
        #expect(
            try form.text
                == "--B\r\nContent-Disposition: form-data; name=\"a%22%0D%0AX-Evil: 1\"; filename=\"a%22%0D%0AX-Evil: 1\""
                + "\r\n\r\n1\r\n--B--\r\n")
        let exact = MultipartFormData.fixed(.exact)
        exact.append(Data("1".utf8), withName: name)
        #expect(
            try exact.text == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nX-Evil: 1\"\r\n\r\n1\r\n--B--\r\n")
    }

    @Test("A type or field with a line end is an error; Alamofire writes it")
    func fieldInjection() throws {
        for field in [HTTPHeader(name: "A", value: "1\r\nB: 2"), HTTPHeader(name: "A\r\nB", value: "2")] {
            let form = MultipartFormData.fixed()
            form.append(InputStream(data: Data()), withLength: 0, headers: [field])
            #expect(failure { _ = try form.encode() } == readFailed)
            let exact = MultipartFormData.fixed(.exact)
            exact.append(InputStream(data: Data()), withLength: 0, headers: [field])
            #expect(try exact.text == "--B\r\n\(field.name): \(field.value)\r\n\r\n\r\n--B--\r\n")
        }
        let form = MultipartFormData.fixed()
        form.append(Data(), withName: "fine")
        form.append(Data(), withName: "a", mimeType: "a/b\r\nX-Evil: 1")
        let error = #expect(throws: AFError.self) { _ = try form.encode() }
        let cause = try #require(error?.underlyingError as? FormworkError)
        #expect(cause.code == .invalidArgument)
        #expect(cause.part?.index == 1)
    }

    @Test("Any text is a type, as in Alamofire")
    func looseType() throws {
        let form = MultipartFormData.fixed()
        form.append(Data(), withName: "a", mimeType: "jpeg")
        #expect(
            try form.text
                == "--B\r\nContent-Disposition: form-data; name=\"a\"\r\nContent-Type: jpeg\r\n\r\n\r\n--B--\r\n")
    }

    @Test("The first failure is kept, and every way of encoding throws it")
    func firstFailure() throws {
        let form = MultipartFormData.fixed()
        form.append(try #require(URL(string: "https://example.com/a.jpg")), withName: "a")
        form.append(self.folder.url, withName: "b")
        form.append(Data("1".utf8), withName: "c")
        let expected = "multipartEncodingFailed.bodyPartURLInvalid"
        #expect(failure { _ = try form.encode() } == expected)
        #expect(failure { try form.writeEncodedData(to: self.folder["out"]) } == expected)
        #expect(failure { _ = try form.plan() } == expected)
        #expect(failure { _ = try form.form } == expected)
        #expect(failure { _ = try form.build() } == expected)
        #expect(self.folder.names.isEmpty)
    }

    @Test("The length is that of the contents as declared, and never overflows")
    func contentLength() throws {
        let form = MultipartFormData.fixed()
        form.append(Data("12".utf8), withName: "a")
        form.append("123", declared: 40)
        form.append(try self.folder.file("f.txt", "1234"), withName: "f")
        #expect(form.contentLength == 46)
        form.append("", declared: .max)
        #expect(form.contentLength == .max)
    }

    @Test("The engine gets the same parts, and reads them as often as it likes")
    func engine() throws {
        let form = MultipartFormData.fixed()
        form.append(Data("1".utf8), withName: "a")
        form.append(try self.folder.file("f.txt", "2"), withName: "b")
        var engine = try form.form
        let plan = try form.plan()
        let body = Array(try form.encode())
        #expect(plan.isReplayable)
        #expect(plan.contentLength == Int64(body.count))
        #expect(plan.contentType == form.contentType)
        #expect(try plan.bytes(upTo: 1000) == body)
        #expect(try plan.makeReader(from: 10).collect(upTo: 1000) == Array(body[10...]))
        engine.append(name: "c", value: "3")
        #expect(try engine.plan().contentLength ?? 0 > Int64(body.count))
        form.append("4")
        #expect(try form.plan().replayBlocker?.part?.index == 2)
    }
}
