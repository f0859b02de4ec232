import Foundation
import Testing

@Suite("formwork body --as", .timeLimit(.minutes(10)))
struct BodyAsTests {
    @Test("A URL adds no line to a request", arguments: ["request", "curl -o o.sh", "curl"])
    func lines(shape: String) throws {
        let folder = Folder()
        let result = try Command.shell(
            "$F body -F a=1 --as \(shape) --url $'http://h/x HTTP/1.1\\r\\nX-Inj: 1'", in: folder.path)
        #expect(result.status == 2 && result.text == "" && folder.names == [])
        #expect(
            result.errors
                == "formwork: --url 'http://h/x HTTP/1.1\\r\\nX-Inj: 1': a URL can't contain blanks or control characters: "
                + "percent-encode them\n")
    }

    @Test("Headers and credentials go along")
    func headers() throws {
        let curl = try Command.shell("$F body -F a=1 --as curl --url http://h/x -H \"X-A: it's\" -H X-B:2")
        #expect(curl.text == "curl -F a=1 -H 'X-A: it'\\''s' -H X-B:2 http://h/x\n", "\(curl)")
        let request = try Command.shell("$F body -F a=1 --boundary b --as request --url http://me:p%40ss@h/x")
        #expect(
            request.text.hasPrefix(
                "POST /x HTTP/1.1\r\nHost: h\r\nAuthorization: Basic bWU6cEBzcw==\r\nContent-Type: "),
            "\(request)")
        let own = try Command.shell(
            "$F body -F a=1 --boundary b --as request --url http://me:pw@h/x -H 'authorization: Bearer t'")
        #expect(own.text.contains("\r\nauthorization: Bearer t\r\n") && !own.text.contains("Basic"), "\(own)")
        let wrong = try Command.shell("$F body -F a=1 --as curl --url http://h -H hidden")
        #expect(wrong.status == 2 && wrong.errors == "formwork: -H …: write 'Name: value'\n")
    }

    @Test("curl's command goes to the file of -o, and sends the same parts")
    func file() throws {
        let folder = Folder()
        let result = try Command.shell("$F body -F a=1 --as curl --url http://h/x -o send.sh", in: folder.path)
        #expect(result.status == 0 && result.text == "" && result.errors == "", "\(result)")
        let text = try String(contentsOfFile: folder.path + "/send.sh", encoding: .utf8)
        #expect(text == "curl -F a=1 http://h/x\n")
    }

    @Test("A part of a body has no request", arguments: ["request", "curl"])
    func range(shape: String) throws {
        let result = try Command.run("body", "-F", "a=1", "--as", shape, "--offset", "1")
        #expect(
            result.status == 2
                && result.errors == "formwork: --as is for the whole body: leave out --offset and --length\n")
    }
}
