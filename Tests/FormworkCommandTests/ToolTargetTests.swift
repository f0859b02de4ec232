#if Command
import Foundation
import Testing

@Suite("formwork body --as", .timeLimit(.minutes(10)))
struct ToolTargetTests {
    private static let form = "-F a=1 --boundary 'b 1' --url http://h/x"

    @Test(
        "The body goes to the file, and what the tool needs to standard output",
        arguments: [
            ("ab", "ab -n 100 -c 10 -p o.bin -T 'multipart/form-data; boundary=\"b 1\"' http://h/x\n"),
            ("hey", "hey -m POST -T 'multipart/form-data; boundary=\"b 1\"' -D o.bin http://h/x\n"),
            ("oha", "oha -m POST -T 'multipart/form-data; boundary=\"b 1\"' -D o.bin http://h/x\n"),
            (
                "http",
                "http --ignore-stdin POST http://h/x 'Content-Type:multipart/form-data; boundary=\"b 1\"' @o.bin\n"
            ),
            (
                "curl",
                "curl --data-binary @o.bin -H 'Content-Type: multipart/form-data; boundary=\"b 1\"' http://h/x\n"
            ),
            (
                "wget",
                "wget -O - --post-file=o.bin '--header=Content-Type: multipart/form-data; boundary=\"b 1\"' http://h/x\n"
            ),
            ("vegeta", "POST http://h/x\nContent-Type: multipart/form-data; boundary=\"b 1\"\n@o.bin\n"),
        ])
    func file(tool: String, expected: String) throws {
        let folder = Folder()
        let result = try Command.shell("$F body \(Self.form) --as \(tool) -o o.bin", in: folder.path)
        #expect(result.text == expected)
        let body = try String(decoding: Data(contentsOf: URL(filePath: folder.path + "/o.bin")), as: UTF8.self)
        #expect(body == "--b 1\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n--b 1--\r\n")
    }

    @Test("Scripts hold what they send as literals of their language")
    func scripts() throws {
        let folder = Folder()
        let k6 = try Command.shell("$F body \(Self.form) --as k6 -o 'a\"b'", in: folder.path)
        #expect(k6.text.contains("open(\"a\\\"b\", 'b')"))
        #expect(k6.text.contains("'Content-Type': \"multipart/form-data; boundary=\\\"b 1\\\"\""))
        let wrk = try Command.shell("$F body \(Self.form) --as wrk -o o", in: folder.path)
        #expect(wrk.text.contains("io.open(\"o\", \"rb\")"))
    }

    @Test("The URL in wrk's command line is quoted for the shell")
    func wrkURL() throws {
        let folder = Folder()
        let result = try Command.shell("$F body -F a=1 --as wrk -o o --url 'http://h/x?a=1&b=2'", in: folder.path)
        #expect(result.text.hasPrefix("-- wrk -s FILE-OF-THIS 'http://h/x?a=1&b=2'\n"), "\(result.text)")
        #expect(folder.names == ["o"])
    }

    @Test("A URL adds no line to a request", arguments: ["request", "vegeta -o o.bin", "curl -o o.bin", "curl"])
    func lines(tool: String) throws {
        let folder = Folder()
        let result = try Command.shell(
            "$F body -F a=1 --as \(tool) --url $'http://h/x HTTP/1.1\\r\\nX-Inj: 1'", in: folder.path)
        #expect(result.status == 2 && result.text == "" && folder.names == [])
        #expect(
            result.errors
                == "formwork: --url 'http://h/x HTTP/1.1\\r\\nX-Inj: 1': a URL can't contain blanks or control characters: "
                + "percent-encode them\n")
    }

    @Test("A target of Vegeta's has the body in it")
    func vegeta() throws {
        let result = try Command.shell("$F body -F a=1 --boundary b --url http://h/x --as vegeta")
        #expect(
            result.text == """
                {"method":"POST","url":"http://h/x","header":{"Content-Type":["multipart/form-data; boundary=b"]},\
                "body":"LS1iDQpDb250ZW50LURpc3Bvc2l0aW9uOiBmb3JtLWRhdGE7IG5hbWU9ImEiDQoNCjENCi0tYi0tDQo="}

                """)
    }

    @Test(
        "Headers go with the body",
        arguments: [
            (
                "ab",
                "ab -n 100 -c 10 -p o -T 'multipart/form-data; boundary=b' -H 'X-A: it'\\''s' -H X-B:2 http://h/x\n"
            ),
            ("hey", "hey -m POST -T 'multipart/form-data; boundary=b' -H 'X-A: it'\\''s' -H X-B:2 -D o http://h/x\n"),
            ("oha", "oha -m POST -T 'multipart/form-data; boundary=b' -H 'X-A: it'\\''s' -H X-B:2 -D o http://h/x\n"),
            (
                "http",
                "http --ignore-stdin POST http://h/x 'Content-Type:multipart/form-data; boundary=b' 'X-A:it'\\''s' "
                    + "X-B:2 @o\n"
            ),
            (
                "curl",
                "curl --data-binary @o -H 'Content-Type: multipart/form-data; boundary=b' -H 'X-A: it'\\''s' -H X-B:2 "
                    + "http://h/x\n"
            ),
            (
                "wget",
                "wget -O - --post-file=o '--header=Content-Type: multipart/form-data; boundary=b' '--header=X-A: it'\\''s' "
                    + "--header=X-B:2 http://h/x\n"
            ),
            ("vegeta", "POST http://h/x\nContent-Type: multipart/form-data; boundary=b\nX-A: it's\nX-B: 2\n@o\n"),
            (
                "k6",
                """
                import http from 'k6/http';
                const body = open("o", 'b');
                const params = { headers: { 'Content-Type': "multipart/form-data; boundary=b", "X-A": "it's", "X-B": "2" } };
                export default function () {
                  http.post("http://h/x", body, params);
                }

                """
            ),
            (
                "wrk",
                """
                -- wrk -s FILE-OF-THIS http://h/x
                local file = assert(io.open("o", "rb"))
                wrk.method = "POST"
                wrk.body = file:read("*a")
                wrk.headers["Content-Type"] = "multipart/form-data; boundary=b"
                wrk.headers["X-A"] = "it's"
                wrk.headers["X-B"] = "2"
                file:close()

                """
            ),
        ])
    func headers(tool: String, expected: String) throws {
        let folder = Folder()
        let given = "-H \"X-A: it's\" -H X-B:2"
        let result = try Command.shell(
            "$F body -F a=1 --boundary b --url http://h/x --as \(tool) -o o \(given)", in: folder.path)
        #expect(result.text == expected && result.errors == "", "\(result)")
    }

    @Test("Headers and credentials in targets that have the body in them")
    func inlineHeaders() throws {
        let target = try Command.shell(
            "$F body -F a=1 --boundary b --url http://h/x --as vegeta -H 'X-A: 1' -H 'x-a: 2'")
        #expect(
            target.text.hasPrefix(
                #"{"method":"POST","url":"http://h/x","header":{"Content-Type":["multipart/form-data; boundary=b"],"#
                    + #""X-A":["1","2"]},"body":""#), "\(target)")
        let curl = try Command.shell("$F body -F a=1 --as curl --url http://h/x -H 'X-A: 1'")
        #expect(curl.text.hasSuffix(" -H 'X-A: 1' http://h/x\n"), "\(curl)")
        let request = try Command.shell("$F body -F a=1 --boundary b --as request --url http://me:p%40ss@h/x")
        #expect(
            request.text.hasPrefix(
                "POST /x HTTP/1.1\r\nHost: h\r\nAuthorization: Basic bWU6cEBzcw==\r\nContent-Type: "),
            "\(request)")
        let own = try Command.shell(
            "$F body -F a=1 --boundary b --as request --url http://me:pw@h/x -H 'authorization: Bearer t'")
        #expect(own.text.contains("\r\nauthorization: Bearer t\r\n") && !own.text.contains("Basic"), "\(own)")
        let wrong = try Command.shell("$F body -F a=1 --as hey --url http://h -o o -H hidden")
        #expect(wrong.status == 2 && wrong.errors == "formwork: -H …: write 'Name: value'\n")
    }

    @Test("What is missing is told")
    func missing() throws {
        let url = try Command.run("body", "-F", "a=1", "--as", "hey", "-o", "x")
        #expect(url.status == 2 && url.errors.contains("--as hey needs --url"), "\(url.errors)")
        let file = try Command.run("body", "-F", "a=1", "--as", "ab", "--url", "http://h/")
        #expect(file.status == 2 && file.errors.contains("-o FILE"), "\(file.errors)")
        let range = try Command.run("body", "-F", "a=1", "--as", "ab", "--offset", "1", "-o", "x", "--url", "http://h/")
        #expect(range.status == 2 && range.errors.contains("--offset"), "\(range.errors)")
    }
}
#endif
