import Formwork
@testable import FormworkReceiver
import TestSupport
import Testing

/// Which files are stored, and how uploads are answered.
@Suite(.timeLimit(.minutes(10)))
struct UploadTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"
    /// Of `hello`.
    private static let helloDigest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"

    @Test func `A form's files are stored and its fields are answered`() async throws {
        try await TestReceiver.run { receiver in
            let body = formBody([("title", "Härbour"), ("photo;a.txt", "hello"), ("photo;b.txt", "")])
            let answer = try await receiver.request("POST /some/where", [Self.form], body)
            #expect(answer.status == 201)
            #expect(
                answer.body == """
                    {"fields":[{"name":"title","value":"Härbour"}],"fieldsIn":"a.txt.form.json","files":[\
                    {"field":"photo","name":"a.txt","sha256":"\(Self.helloDigest)","size":5,"type":"text/plain"},\
                    {"field":"photo","name":"b.txt",\
                    "sha256":"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855","size":0,\
                    "type":"text/plain"}]}
                    """)
            #expect(receiver.folder.names == ["a.txt", "a.txt.form.json", "b.txt"])
            #expect(try receiver.folder.text(of: "a.txt") == "hello")
        }
    }

    @Test func `Fields are read in the charset they declare, and refused where they aren't in it`() async throws {
        func part(_ name: String, _ type: String) -> [UInt8] {
            Array("--b\r\nContent-Disposition: form-data; name=\(name)\r\n\(type)\r\n".utf8)
        }
        let latin = part("t", "Content-Type: text/plain; charset=iso-8859-1\r\n") + [0xE9, 0x80] + Array("\r\n".utf8)
        let declared = part("_charset_", "") + Array("windows-1252\r\n".utf8)
        let plain = part("u", "") + [0xE9] + Array("\r\n".utf8)
        let unknown = part("v", "Content-Type: text/plain; charset=x-unknown\r\n") + Array("a\r\n".utf8)
        let end = Array("--b--\r\n".utf8)
        try await TestReceiver.run { receiver in
            let answer = try await receiver.request("POST /", [Self.form], latin + declared + plain + end)
            #expect(
                answer.body.hasPrefix(
                    #"{"fields":[{"base64":"6YA=","name":"t","value":"é€"},{"name":"_charset_","value":"windows-1252"},"#
                        + #"{"base64":"6Q==","name":"u","value":"é"}],"fieldsIn":"form-"#))
            #expect(try await receiver.status("POST /", [Self.form], unknown + end) == 400)
        }
    }

    @Test func `A form is read whose Content-Type comes with a url-encoded one`() async throws {
        let urlEncoded = "Content-Type: application/x-www-form-urlencoded"
        try await TestReceiver.run { receiver in
            for (name, fields) in [("a", [urlEncoded, Self.form]), ("b", [Self.form, urlEncoded])] {
                let given = try await receiver.status("POST /", fields, formBody([("f;\(name)", "hello")]))
                #expect(given == 201)
                #expect(try receiver.folder.text(of: name) == "hello")
            }
        }
    }

    @Test func `A body put to a name is that file`() async throws {
        try await TestReceiver.run({ $0.keeping.isDigesting = false }) { receiver in
            let answer = try await receiver.request("PUT /x/na%20me.txt?y=1", ["Content-Type: text/plain"], "hello")
            #expect(answer.status == 201)
            #expect(
                answer.body
                    == #"{"fields":[],"files":[{"droppedFolders":"x","name":"na me.txt","size":5,"type":"text/plain"}]}"#
            )
            #expect(try receiver.folder.text(of: "na me.txt") == "hello")
        }
    }

    @Test func `A body in chunks is stored`() async throws {
        try await TestReceiver.run { receiver in
            let answer = try await receiver.request(
                "PUT /c.bin", ["Transfer-Encoding: chunked"], "3\r\nhel\r\n2\r\nlo\r\n0\r\n\r\n")
            #expect(answer.status == 201)
            #expect(try receiver.folder.text(of: "c.bin") == "hello")
        }
    }

    @Test func `A posted file is named by Content-Disposition, by the path, or anew`() async throws {
        try await TestReceiver.run { receiver in
            let type = "Content-Type: image/png"
            let named = "Content-Disposition: attachment; filename*=UTF-8''fl%C3%A4.png"
            for (path, fields) in [("/p.png", [type, named]), ("/p.png", [type]), ("/", [type])] {
                let given = try await receiver.status("POST \(path)", fields, "1")
                #expect(given == 201)
            }
            let names = receiver.folder.names
            #expect(names.count == 3)
            #expect(names.contains("flä.png") && names.contains("p.png"))
            #expect(names.contains { $0.hasPrefix("upload-") && $0.hasSuffix(".png") })
        }
    }

    @Test func `Files of multipart/mixed are stored with and without names`() async throws {
        try await TestReceiver.run { receiver in
            let body =
                "--b\r\nContent-Disposition: attachment; filename=\"m.txt\"\r\n\r\none\r\n"
                + "--b\r\nContent-Type: text/plain\r\n\r\ntwo\r\n--b--\r\n"
            let given = try await receiver.status("POST /", ["Content-Type: multipart/mixed; boundary=b"], body)
            #expect(given == 201)
            #expect(receiver.folder.names.count == 2)
            #expect(try receiver.folder.text(of: "m.txt") == "one")
        }
    }

    @Test func `Two files of one name in one form are two, also where files are replaced`() async throws {
        let folder = TemporaryFolder()
        try folder.file("a.txt", "old")
        let storage = try FolderStorage(folder.path, replacing: true)
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            let answer = try await receiver.request(
                "POST /", ["Content-Type: multipart/form-data; boundary=b"],
                formBody([("f;a.txt", "1"), ("f;a.txt", "2")]))
            #expect(answer.status == 201)
            #expect(receiver.folder.names == ["a (1).txt", "a.txt"])
            #expect(try receiver.folder.text(of: "a.txt") == "1")
            #expect(try receiver.folder.text(of: "a (1).txt") == "2")
        }
    }

    @Test func `A folder that can't be written to is reported at the start`() {
        let error = #expect(throws: FormworkError.self) { try FolderStorage("/proc/self") }
        #expect(error?.code == .writeFailed)
    }

    @Test func `A name that is taken gets a number and replaces nothing`() async throws {
        try await TestReceiver.run { receiver in
            for text in ["1", "2", "3"] {
                #expect(try await receiver.request("PUT /a.tar.gz", [], text).status == 201)
            }
            let given = try await receiver.status("POST /", [Self.form], formBody([("f;x", "4"), ("f;x", "5")]))
            #expect(given == 201)
            #expect(receiver.folder.names == ["a.tar (1).gz", "a.tar (2).gz", "a.tar.gz", "x", "x (1)"])
            #expect(try receiver.folder.text(of: "a.tar.gz") == "1")
            #expect(try receiver.folder.text(of: "x (1)") == "5")
        }
    }

    @Test func `A program that asks for HTML, and would post again when redirected, gets the page at once`()
        async throws
    {
        try await TestReceiver.run { receiver in
            let accept = "Accept: text/html,application/xhtml+xml"
            let answer = try await receiver.request(
                "POST /", [Self.form, accept], formBody([("f;<b>.txt", "hello")]))
            #expect(answer.status == 201)
            #expect(answer.body.contains("<bdi class=\"new\">_b_.txt</bdi>"), "\(answer.body)")
            #expect(receiver.folder.names.count == 1)
        }
    }

    @Test func `A browser is sent back to the page, which lists the file`() async throws {
        try await TestReceiver.run { receiver in
            let accept = "Accept: text/html,application/xhtml+xml"
            let origin = "Origin: http://localhost:\(receiver.port)"
            let answer = try await receiver.request(
                "POST /", [Self.form, accept, origin], formBody([("f;<b>.txt", "hello")]))
            #expect(answer.status == 303)
            #expect(answer.field("Location") == "/?received=1")
            let page = try await receiver.request("GET /?received=1", [accept])
            #expect(page.status == 200)
            #expect(page.body.contains(#"<bdi class="new">_b_.txt</bdi>"#))
            let list = try await receiver.request("GET /files.json")
            #expect(list.body.contains(#""name":"_b_.txt","sha256":"\#(Self.helloDigest)","size":5"#))
        }
    }

    @Test func `A browser without the script is told how many files of a form have arrived`() async throws {
        try await TestReceiver.run { receiver in
            let accept = "Accept: text/html"
            let origin = "Origin: http://localhost:\(receiver.port)"
            let files = (1...120).map { ("f;\($0).txt", "x") }
            let answer = try await receiver.request("POST /", [Self.form, accept, origin], formBody(files))
            #expect(answer.field("Location") == "/?received=1-120")
            let page = try await receiver.request("GET /?received=1-120", [accept])
            #expect(page.body.contains("120 files have arrived."))
            // A client writes what it likes.
            let odd = try await receiver.request(
                "GET /?received=,-,3-1,x-,0-9223372036854775807,99999999999999999999,-5", [accept])
            #expect(odd.body.contains("120 files have arrived."))
        }
    }

    @Test func `An empty file field of a browser's form is not a file`() async throws {
        try await TestReceiver.run { receiver in
            let body =
                "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\"\r\n"
                + "Content-Type: application/octet-stream\r\n\r\n\r\n--b--\r\n"
            let answer = try await receiver.request("POST /", [Self.form], body)
            #expect(answer.status == 201)
            #expect(answer.body == #"{"fields":[],"files":[]}"#)
        }
    }

    @Test func `Several requests share a connection`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            for name in ["a", "b"] {
                await connection.send("PUT /\(name) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhello")
                #expect(await connection.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            }
            #expect(receiver.folder.names == ["a", "b"])
        }
    }

    @Test func `A 100 comes once the head was accepted`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(
                "PUT /e HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
            #expect(await connection.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            await connection.send("hello")
            #expect(await connection.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
        }
    }

    @Test func `A long media type isn't kept for the list`() async throws {
        try await TestReceiver.run { receiver in
            let type = "text/plain; a=" + String(repeating: "x", count: 60_000)
            #expect(try await receiver.status("PUT /a", ["Content-Type: \(type)"], "hello") == 201)
            let list = try await receiver.request("GET /files.json").body
            #expect(list.utf8.count < 1_000)
            #expect(list.contains("\"type\":\"text/plain; a=\(String(repeating: "x", count: 241))\""))
        }
    }
}
