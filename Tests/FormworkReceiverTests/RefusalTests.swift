@testable import FormworkReceiver
import SystemPackage
import TestSupport
import Testing

/// Which requests are refused, and how.
@Suite(.timeLimit(.minutes(10)))
struct RefusalTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"

    @Test func `A body that is announced too large is refused before it comes`() async throws {
        try await TestReceiver.run({ $0.limits.bodyBytes = 10 }) { receiver in
            let connection = try receiver.connect()
            await connection.send(
                "PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 107374182400\r\nExpect: 100-continue\r\n\r\n"
            )
            let answer = RawAnswer(await connection.receiveAll())
            #expect(answer.status == 413)
            #expect(answer.field("Connection") == "close")
            #expect(answer.field("Content-Type") == "application/problem+json")
            #expect(
                answer.body == """
                    {"detail":"The body has 107374182400 bytes: the limit is 10.","status":413,\
                    "title":"Content Too Large","type":"about:blank"}
                    """)
            #expect(receiver.folder.names == [])
        }
    }

    @Test(arguments: [
        ["Upload-Complete: ?0", "Upload-Draft-Interop-Version: 8"],
        ["Upload-Incomplete: ?1", "Upload-Draft-Interop-Version: 3"],
        ["Tus-Resumable: 1.0.0", "Upload-Length: 10"],
    ])
    func `A piece isn't stored as a file if resumable uploads are off`(fields: [String]) async throws {
        try await TestReceiver.run { receiver in
            let given = try await receiver.status("POST /a", fields, "hello")
            #expect(given == 501)
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A client that sends on after a refusal is answered, and cut off`() async throws {
        try await TestReceiver.run({ $0.limits.bodyBytes = 10 }) { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 107374182400\r\n\r\n")
            // Far more than is drained.
            async let sending: Void = connection.send([UInt8](repeating: 0x61, count: 64 << 20))
            let answer = RawAnswer(await connection.receiveAll())
            #expect(answer.status == 413)
            await sending
        }
    }

    @Test func `A limit is reported with its size and its field`() async throws {
        try await TestReceiver.run({ options in
            (options.limits.fileBytes, options.limits.files, options.limits.fields) = (4, 1, 1)
            options.limits.fieldBytes = 3
        }) { receiver in
            for parts in [[("f;a", "1"), ("f;b", "2")], [("a", "1"), ("b", "2")], [("a", "four")]] {
                #expect(try await receiver.status("POST /", [Self.form], formBody(parts)) == 413, "\(parts)")
            }
            let form = try await receiver.request("POST /", [Self.form], formBody([("f;a", "hello")]))
            #expect(
                form.body == #"{"code":"limit.fileBytes","detail":"A file is too large: the limit is 4.","#
                    + #""field":"f","limit":"4","status":413,"title":"Content Too Large","type":"about:blank"}"#)
            let put = try await receiver.request(
                "PUT /c", ["Transfer-Encoding: chunked"], "5\r\nhello\r\n0\r\n\r\n")
            #expect(put.status == 413)
            #expect(put.body.contains(#""detail":"A file is too large: the limit is 4.","limit":"4""#))
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A malformed form leaves nothing, not even its complete files`() async throws {
        try await TestReceiver.run { receiver in
            let body = formBody([("f;a.txt", "hello")]).replacing("--b--", with: "--b\r\nbroken")
            let answer = try await receiver.request("POST /", [Self.form], body)
            #expect(answer.status == 400)
            #expect(answer.body.contains("\"title\":\"Bad Request\""))
            #expect(!answer.body.contains(receiver.folder.path.string))
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `Types that hold no file are refused`() async throws {
        try await TestReceiver.run { receiver in
            for type in [
                "application/x-www-form-urlencoded", "multipart/related; boundary=b",
            ] {
                #expect(try await receiver.status("POST /", ["Content-Type: \(type)"], "a=1") == 415)
            }
            // wget2 adds the second by itself; which of two other types is meant can't be known.
            let urlEncoded = "Content-Type: application/x-www-form-urlencoded"
            let image = "Content-Type: image/png"
            for fields in [
                [Self.form, image], [image, Self.form], [Self.form, Self.form], [urlEncoded, urlEncoded],
            ] {
                let answer = try await receiver.request("POST /", fields, formBody([("f;a", "1")]))
                #expect(answer.status == 400)
                #expect(answer.body.contains("The request has 2 Content-Type fields: send one."))
            }
            #expect(receiver.folder.names == [])
            #expect(try await receiver.request("PUT /a", ["Content-Encoding: gzip"], "a").status == 415)
            #expect(try await receiver.request("PUT /a", ["Content-Range: bytes 0-0/2"], "a").status == 400)
            #expect(try await receiver.request("PUT /a", ["Expect: magic"], "a").status == 417)
            #expect(try await receiver.request("PUT /", [], "a").status == 400)
            #expect(try await receiver.request("PUT /..", [], "a").status == 400)
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `Methods and paths that there are not`() async throws {
        try await TestReceiver.run { receiver in
            let deletion = try await receiver.request("DELETE /a")
            #expect(deletion.status == 405)
            #expect(deletion.field("Allow") == "GET, HEAD, POST, PUT, OPTIONS")
            #expect(try await receiver.request("GET /nothing").status == 404)
            #expect(try await receiver.request("GET /metrics").status == 404)
            #expect(try await receiver.request("OPTIONS /").status == 204)
        }
    }

    @Test func `Every answer has its security fields, and names no server`() async throws {
        try await TestReceiver.run { receiver in
            for line in ["GET /", "GET /nothing", "DELETE /", "GET /page.css", "GET /files.json"] {
                let answer = try await receiver.request(line)
                #expect(
                    answer.field("Content-Security-Policy") == """
                        default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; \
                        img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
                        """)
                #expect(answer.field("X-Content-Type-Options") == "nosniff")
                #expect(answer.field("Referrer-Policy") == "same-origin")
                #expect(answer.field("Server") == nil)
            }
        }
    }

    @Test func `A foreign name for this machine is refused`() async throws {
        try await TestReceiver.run { receiver in
            for host in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80"] {
                let given = try await receiver.status("GET /", ["Host: \(host)"])
                #expect(given == 403)
                #expect(try await receiver.request("PUT /a", ["Host: \(host)"], "1").status == 403)
            }
            for host in ["localhost", "127.0.0.1:1", "[::1]:80", "a.localhost"] {
                #expect(try await receiver.request("GET /", ["Host: \(host)"]).status == 200)
            }
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `The address that the receiver listens on is accepted as a host`() async throws {
        try await TestReceiver.run({ $0.address.host = "127.0.0.2" }) { receiver in
            for (host, status) in [("127.0.0.2", 200), ("localhost", 200), ("127.0.0.3", 403)] {
                let connection = try RawConnection(port: receiver.port, address: 0x7F00_0002)
                await connection.send(
                    "GET / HTTP/1.1\r\nHost: \(host):\(receiver.port)\r\nConnection: close\r\n\r\n")
                #expect(RawAnswer(await connection.receiveAll()).status == status)
            }
        }
    }

    @Test func `A page that a proxy serves by HTTPS can upload`() async throws {
        try await TestReceiver.run({ $0.isLoopback = false }) { receiver in
            let host = "Host: files.example"
            let given = try await receiver.status("PUT /a", [host, "Origin: https://files.example"], "1")
            #expect(given == 201)
            for origin in [
                "https://evil.example", "https://files.example.evil.example", "https://files.example:8443",
            ] {
                #expect(try await receiver.request("PUT /a", [host, "Origin: \(origin)"], "1").status == 403)
            }
            #expect(receiver.folder.names == ["a"])
        }
    }

    @Test func `No query is logged`() async throws {
        try await TestReceiver.run { receiver in
            let given = try await receiver.status("POST /up?key=s3cret", [Self.form], "no form")
            #expect(given == 400)
            #expect(try await receiver.request("DELETE /up?key=s3cret").status == 405)
            #expect(receiver.log.all.filter { $0.contains("path=/up") }.count == 2)
            #expect(!receiver.log.all.contains { $0.contains("s3cret") })
        }
    }

    @Test func `Another site's page can't upload`() async throws {
        try await TestReceiver.run { receiver in
            for field in [
                "Origin: https://evil.example", "Origin: null", "Sec-Fetch-Site: cross-site",
                "Sec-Fetch-Site: same-site", "Origin: http://localhost", "Origin: ftp://localhost:\(receiver.port)",
            ] {
                let given = try await receiver.status("PUT /a", [field], "1")
                #expect(given == 403)
            }
            let own = ["Origin: http://localhost:\(receiver.port)", "Sec-Fetch-Site: same-origin"]
            #expect(try await receiver.request("PUT /a", own, "1").status == 201)
            #expect(receiver.folder.names == ["a"])
        }
    }

    @Test func `A token is required, and accepted in three ways`() async throws {
        let token = try AccessToken("s3cret")
        try await TestReceiver.run({ ($0.token, $0.isLoopback) = (token, false) }) { receiver in
            let none = try await receiver.request("PUT /a", [], "1")
            #expect(none.status == 401)
            #expect(none.field("WWW-Authenticate") == "Bearer realm=\"formwork\"")
            #expect(none.head.contains("Basic realm"))
            for wrong in ["Bearer s3cre", "Bearer s3cret1", "Basic OndnYXQ=", "Basic !", "Bearer"] {
                #expect(try await receiver.request("PUT /a", ["Authorization: \(wrong)"], "1").status == 401)
            }
            #expect(receiver.folder.names == [])
            #expect(try await receiver.request("PUT /a", ["Authorization: Bearer s3cret"], "1").status == 201)
            // any:s3cret
            let basic = "Authorization: Basic YW55OnMzY3JldA=="
            #expect(try await receiver.request("PUT /b", [basic], "1").status == 201)

            let urlEncoded = "Content-Type: application/x-www-form-urlencoded"
            #expect(try await receiver.status("POST /login", [urlEncoded], "token=wrong") == 401)
            let login = try await receiver.request("POST /login", [urlEncoded], "user=&tok%65n=s3cr%65t")
            #expect(login.status == 303)
            let cookie = login.field("Set-Cookie") ?? ""
            #expect(cookie.hasSuffix("; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict"))
            #expect(!cookie.contains("s3cret"))
            let pair = cookie.prefix { $0 != ";" }
            #expect(try await receiver.request("PUT /c", ["Cookie: x=1; \(pair)"], "1").status == 201)
            #expect(receiver.folder.names == ["a", "b", "c"])
        }
    }

    @Test func `A browser without the token gets only the login page`() async throws {
        let token = try AccessToken("s3cret")
        try await TestReceiver.run({ $0.token = token }) { receiver in
            let page = try await receiver.request("GET /", ["Accept: text/html"])
            #expect(page.status == 401)
            #expect(page.body.contains("action=\"/login\""))
            #expect(!page.head.contains("Basic"))
            // The browser would open its own window for a request of the script too.
            let list = try await receiver.request("GET /files.json", ["X-Requested-With: XMLHttpRequest"])
            #expect(list.status == 401)
            #expect(list.field("WWW-Authenticate") == "Bearer realm=\"formwork\"")
            #expect(!list.head.contains("Basic"))
            // Whatever the path, the addresses on it lead to what there is.
            let other = try await receiver.request("GET /some/where", ["Accept: text/html"])
            #expect(other.status == 401)
            #expect(other.body == page.body)
            #expect(other.body.contains("href=\"/page.css\""))
            #expect(try await receiver.request("GET /files.json").status == 401)
            #expect(try await receiver.request("GET /page.css").status == 200)
        }
    }

    @Test func `Beyond the limit of uploads the answer is 503 with Retry-After`() async throws {
        try await TestReceiver.run({ $0.limits.uploads = 1 }) { receiver in
            let first = try receiver.connect()
            await first.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n1")
            #expect(try await receiver.isReceiving())
            let second = try await receiver.request("PUT /b", [], "1")
            #expect(second.status == 503)
            #expect(second.field("Retry-After") == "5")
            await first.send("2")
            #expect(await first.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            #expect(try await receiver.request("PUT /b", [], "1").status == 201)
        }
    }
}
