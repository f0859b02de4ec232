#if Transfer
import Foundation
import Testing

/// A URL without a scheme may have "://" in its path or query, and a combining mark after each delimiter.
@Suite("URLs without a scheme", .timeLimit(.minutes(10)))
struct URLWithoutSchemeTests {
    @Test("A query with a URL in it", arguments: ["?to=http://x/y", "up?to=http://x/y", "up#a://b"])
    func query(rest: String) throws {
        let receiver = try Receiver(text: "")
        let outcome = try Command.run("send", "127.0.0.1:\(receiver.port)/\(rest)", "-F", "a=1", "-q")
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        let path = String(rest.prefix { $0 != "#" })
        #expect(receiver.request().head.hasPrefix("POST /\(path) HTTP/1.1\r\n"))
    }

    @Test("A file's name is added to the path, not after it")
    func filename() throws {
        let (folder, receiver) = (Folder(), try Receiver(text: ""))
        try folder.file("a.txt", "x")
        let outcome = try Command.run(
            "send", "127.0.0.1:\(receiver.port)/http://x/?to=1", "-T", "a.txt", "-q", in: folder.path)
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
        #expect(receiver.request().head.hasPrefix("PUT /http://x/a.txt?to=1 HTTP/1.1\r\n"))
    }

    @Test("User and password aren't shown in errors")
    func password() throws {
        for (words, message) in [
            (
                "send 'me:secret@h:99999/?to=http://x' -F a=1",
                "http://***@h:99999/?to=http://x: the port must be a number from 1 to 65535"
            ),
            (
                "send 'http://me:secret@a b/?token=SECRET' -F a=1",
                "http://***@a b/?token=***: isn't a URL such as https://example.com/upload"
            ),
            (
                "send 'http://h:999999/?token=SECRET' -F a=1",
                "http://h:999999/?token=***: the port must be a number from 1 to 65535"
            ),
            (
                "send 'ftp://me:secret@h/?token=SECRET' -F a=1",
                "ftp://***@h/?token=***: forms are sent with http or https, not ftp"
            ),
            (
                "receive --to 'S4://id:secret@bucket'", "--to 'S4://***@bucket': is not s3://bucket/prefix"
            ),
            (
                "link --key-file k --to 'me:secret@h'",
                "--to '***@h': give scheme, host and port alone: a receiver has no path"
            ),
            (
                "link --key-file k --to 'http://me:secret@'",
                "--to 'http://***@': give an address such as https://up.example.com"
            ),
            (
                "receive --dir . --hook 'me:secret@h/x'",
                "--hook '***@h/x': give an http or https URL, without user and password"
            ),
            (
                "body -F a=1 --as request --url 'ftp://me:secret@h/'",
                "--url 'ftp://***@h/': give a URL of http or https, such as http://localhost:8080/"
            ),
        ] {
            let folder = Folder()
            try folder.file("k", "0123456789abcdef0123456789abcdef\n")
            let outcome = try Command.shell("timeout 60 \"$F\" \(words)", in: folder.path)
            #expect([2, 3].contains(outcome.status) && outcome.text == "", "\(outcome)")
            #expect(outcome.errors == "formwork: \(message)\n")
        }
    }

    @Test("'formwork curl' takes the credentials of the URL, or else the environment's")
    func curlCredentials() throws {
        for (url, credentials) in [("%/c1?to=http://a@b", "ZTpw"), ("me:pw@%/c2?to=http://x", "bWU6cHc=")] {
            let receiver = try Receiver(text: "")
            let place = url.replacing("%", with: "127.0.0.1:\(receiver.port)")
            let outcome = try Command.shell("FORMWORK_USER=e:p timeout 60 \"$F\" curl '\(place)' -F a=1 2>&1")
            #expect(outcome.status == 0, "\(outcome)")
            // printf e:p | base64, printf me:pw | base64
            #expect(receiver.request().head.contains("Authorization: Basic \(credentials)\r\n"))
        }
    }

    @Test("A proxy without a scheme")
    func proxy() throws {
        let receiver = try Receiver(text: "")
        let outcome = try Command.run(
            "send", "http://h.example/", "-F", "a=1", "-q", "-x", "127.0.0.1:\(receiver.port)/?a=http://x")
        #expect(outcome.status == 0 && outcome.errors == "", "\(outcome)")
    }

    @Test("A combining mark after a delimiter")
    func combiningMarks() throws {
        let receiver = try Receiver(text: "")
        // printf 'me:\u0301pw' | base64
        let sent = try Command.run(
            "send", "http://localhost:\(receiver.port)/\u{301}a.txt", "-F", "a=1", "-q", "-u", "me:\u{301}pw")
        #expect(sent.status == 0 && sent.errors == "", "\(sent)")
        let head = receiver.request().head
        #expect(head.hasPrefix("POST /%CC%81a.txt HTTP/1.1\r\n"), "\(head)")
        #expect(head.contains("Authorization: Basic bWU6zIFwdw==\r\n"), "\(head)")
        let withoutPort = try Command.run("send", "http://localhost/\u{301}a.txt", "-F", "a=1", "--dry-run")
        #expect(withoutPort.text.hasPrefix("POST /%CC%81a.txt HTTP/1.1\nHost: localhost\n"), "\(withoutPort)")
        let environment = try Command.shell(
            "FORMWORK_USER=$'me:\\u0301pw' \"$F\" send http://h/ -F a=1 --dry-run -v | grep -c Authorization")
        #expect(environment.text == "1\n", "\(environment)")
        let data = try Command.shell(
            "\"$F\" send http://h/ -F a=1 --url-query $'q=\\u0301x' --dry-run | head -n 1")
        #expect(data.text == "POST /?q=%CC%81x HTTP/1.1\n", "\(data)")
    }
}
#endif
