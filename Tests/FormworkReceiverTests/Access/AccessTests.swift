import Formwork
@testable import FormworkReceiver
import Foundation
import HTTPTypes
import TestSupport
import Testing

/// Which clients are let in, and what they see.
@Suite(.timeLimit(.minutes(10)))
struct AccessTests {
    private static let urlEncoded = "Content-Type: application/x-www-form-urlencoded"

    /// The cookie of a login, as a browser sends it.
    private static func logIn(_ receiver: TestReceiver) async throws -> String {
        let answer = try await receiver.request("POST /login", [urlEncoded], "token=s3cret")
        #expect(answer.status == 303)
        return "Cookie: \((answer.field("Set-Cookie") ?? "").prefix { $0 != ";" })"
    }

    @Test func `A client that waits for 100 can log in`() async throws {
        try await TestReceiver.run({ $0.token = try AccessToken("s3cret") }) { receiver in
            let connection = try receiver.connect()
            await connection.send(
                "POST /login HTTP/1.1\r\nHost: localhost:\(receiver.port)\r\nExpect: 100-continue\r\nConnection: close\r\n"
                    + "\(Self.urlEncoded)\r\nContent-Length: 12\r\n\r\n")
            #expect(await connection.receive(until: "\r\n\r\n") == "HTTP/1.1 100 Continue\r\n\r\n")
            await connection.send("token=s3cret")
            #expect(RawAnswer(await connection.receiveAll()).status == 303)
        }
    }

    @Test func `Wrong tokens are logged, counted and slowed, by whatever way they come`() async throws {
        let metrics = MemoryMetrics()
        try await TestReceiver.run({ $0.token = try AccessToken("s3cret") }, metrics: metrics) { receiver in
            let cookie = try await Self.logIn(receiver)
            for number in 1...10 {
                let answer =
                    number % 2 == 0
                    ? try await receiver.request("POST /login", [Self.urlEncoded], "token=wrong")
                    : try await receiver.request("GET /files.json", ["Authorization: Bearer wrong"])
                #expect(answer.status == 401)
            }
            let slowed = try await receiver.request("POST /login", [Self.urlEncoded], "token=wrong")
            #expect(slowed.status == 429)
            #expect(slowed.field("Retry-After") == "6")
            #expect(try await receiver.request("PUT /a", ["Authorization: Bearer wrong"], "1").status == 429)
            // Others at the same address have the right token.
            #expect(try await receiver.request("PUT /a", ["Authorization: Bearer s3cret"], "1").status == 201)
            #expect(try await receiver.request("POST /login", [Self.urlEncoded], "token=s3cret").status == 303)
            #expect(try await receiver.request("PUT /a", [cookie], "1").status == 201)
            let lines = receiver.log.all.filter { $0.hasPrefix("refused ") && $0.contains("The token is wrong.") }
            #expect(lines.count == 10)
            #expect(lines.filter { $0.contains("path=/login") }.count == 5)
            let refused = "formwork_requests_refused_total"
            #expect(metrics.prometheusText.contains("\(refused){code=\"401\",reason=\"credentials\"} 10\n"))
            #expect(metrics.prometheusText.contains("\(refused){code=\"429\",reason=\"tries\"} 2\n"))
        }
    }

    @Test func `A login ends, by itself and by its owner`() async throws {
        try await TestReceiver.run({ $0.token = try AccessToken("s3cret") }) { receiver in
            let answer = try await receiver.request("POST /login", [Self.urlEncoded], "token=s3cret")
            let cookie = answer.field("Set-Cookie") ?? ""
            #expect(cookie.hasSuffix("; Max-Age=86400; Path=/; HttpOnly; SameSite=Strict"))
            let pair = String(cookie.prefix { $0 != ";" })
            #expect(try await receiver.request("GET /", ["Cookie: \(pair)"]).body.contains("action=\"/logout\""))
            // A client can't extend it.
            let end = try #require(pair.firstIndex(of: "."))
            let changed = "formwork-receiver=99999999999\(pair[end...])"
            #expect(try await receiver.request("GET /", ["Cookie: \(changed)"]).status == 401)
            let logout = try await receiver.request("POST /logout", ["Cookie: \(pair)"])
            #expect(logout.status == 303)
            #expect(logout.field("Set-Cookie") == "formwork-receiver=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict")
            #expect(try await receiver.request("GET /", ["Cookie: \(pair)"]).status == 401)
        }
    }

    @Test func `Behind a proxy that speaks HTTPS the cookie is for HTTPS`() async throws {
        try await TestReceiver.run({ options in
            options.token = try AccessToken("s3cret")
            options.access.proxies = TrustedProxies([try #require(AddressBlock("127.0.0.0/8"))])
        }) { receiver in
            let fields = [Self.urlEncoded, "X-Forwarded-For: 192.0.2.7", "X-Forwarded-Proto: https"]
            let answer = try await receiver.request("POST /login", fields, "token=s3cret")
            #expect(answer.field("Set-Cookie")?.hasSuffix("; SameSite=Strict; Secure") == true)
            _ = try await receiver.request("POST /login", fields, "token=wrong")
            #expect(receiver.log.all.contains { $0.contains("peer=192.0.2.7 ") })
        }
    }

    @Test func `The PROXY protocol names the client if the proxy is trusted`() async throws {
        let header: [UInt8] =
            [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A, 0x21, 0x11, 0, 12]
            + [192, 0, 2, 7, 127, 0, 0, 1, 0x30, 0x39, 0, 80]
        let request = Array(
            "PUT /a HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 1\r\n\r\n1".utf8)
        try await TestReceiver.run({ $0.access.proxies = TrustedProxies([try #require(AddressBlock("127.0.0.1"))]) }) {
            receiver in
            let connection = try receiver.connect()
            await connection.send(header + request)
            #expect(RawAnswer(await connection.receiveAll()).status == 201)
            #expect(receiver.log.all.contains { $0.contains("peer=192.0.2.7:12345 ") })
            // And without one.
            #expect(try await receiver.request("PUT /b", [], "1").status == 201)
        }
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(header + request)
            #expect(RawAnswer(await connection.receiveAll()).status == 400)
            #expect(receiver.folder.names == [])
        }
    }

    @Test(
        arguments: [
            ([0x31, 0x11, 0, 0], "its version or command isn't known: send version 2, with LOCAL or PROXY"),
            ([0x22, 0x11, 0, 0], "its version or command isn't known: send version 2, with LOCAL or PROXY"),
            ([0x21, 0x11, 0x10, 1], "it has more than 4112 bytes"),
            ([0x21, 0x11, 0, 4, 192, 0, 2, 7], "it is too short for two IPv4 addresses"),
            ([0x21, 0x21, 0, 4, 192, 0, 2, 7], "it is too short for two IPv6 addresses"),
        ] as [([UInt8], String)])
    func `A malformed PROXY header is logged, once a minute`(rest: [UInt8], reason: String) async throws {
        let signature: [UInt8] = [0x0D, 0x0A, 0x0D, 0x0A, 0x00, 0x0D, 0x0A, 0x51, 0x55, 0x49, 0x54, 0x0A]
        try await TestReceiver.run({ $0.access.proxies = TrustedProxies([try #require(AddressBlock("127.0.0.1"))]) }) {
            receiver in
            for _ in 0..<3 {
                let connection = try receiver.connect()
                await connection.send(signature + rest)
                #expect(await connection.receiveAll().isEmpty)
            }
            let lines = receiver.log.all
            let text = "a connection with a malformed PROXY header was closed peer=127.0.0.1:"
            #expect(lines.count == 1 && lines.first?.hasPrefix(text) == true, "\(lines)")
            #expect(lines.first?.hasSuffix(" reason=\(reason)") == true, "\(lines)")
        }
    }

    @Test func `One client has some of the places, and others have the rest`() async throws {
        try await TestReceiver.run({ options in
            (options.limits.uploads, options.limits.uploadsPerClient) = (8, 1)
            options.access.proxies = TrustedProxies([try #require(AddressBlock("127.0.0.1"))])
        }) { receiver in
            let first = try receiver.connect()
            await first.send(
                "PUT /a HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 192.0.2.1\r\nContent-Length: 2\r\n\r\n1")
            #expect(
                try await receiver.eventually {
                    try await receiver.request("GET /files.json").body.contains("receiving")
                })
            let second = try await receiver.request("PUT /b", ["X-Forwarded-For: 192.0.2.1"], "1")
            #expect(second.status == 429)
            #expect(second.field("Retry-After") == "5")
            #expect(try await receiver.request("PUT /b", ["X-Forwarded-For: 192.0.2.2"], "1").status == 201)
            await first.send("2")
            #expect(await first.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            #expect(try await receiver.request("PUT /c", ["X-Forwarded-For: 192.0.2.1"], "1").status == 201)
        }
    }

    @Test(arguments: [ListScope.all, .own, .none])
    func `Lists show the files of their scope`(scope: ListScope) async throws {
        try await TestReceiver.run({ ($0.token, $0.access.listing) = (try AccessToken("s3cret"), scope) }) { receiver in
            let (one, other) = (try await Self.logIn(receiver), try await Self.logIn(receiver))
            #expect(try await receiver.request("PUT /first", [one], "1").status == 201)
            #expect(try await receiver.request("PUT /second", [other], "1").status == 201)
            for path in ["/", "/files.json"] {
                let list = try await receiver.request("GET \(path)", [one]).body
                #expect(list.contains("first") == (scope != .none))
                #expect(list.contains("second") == (scope == .all))
            }
        }
    }

    @Test func `With a token and for others each sees their own`() async throws {
        try await TestReceiver.run({ ($0.token, $0.isLoopback) = (try AccessToken("s3cret"), false) }) { receiver in
            let (one, other) = (try await Self.logIn(receiver), try await Self.logIn(receiver))
            #expect(try await receiver.request("PUT /first", [one], "1").status == 201)
            #expect(try await receiver.request("GET /files.json", [one]).body.contains("first"))
            #expect(!(try await receiver.request("GET /files.json", [other]).body.contains("first")))
        }
    }

    @Test func `Each login's list has an entity tag of its own`() async throws {
        try await TestReceiver.run({ ($0.token, $0.access.listing) = (try AccessToken("s3cret"), .own) }) { receiver in
            let (one, other) = (try await Self.logIn(receiver), try await Self.logIn(receiver))
            #expect(try await receiver.request("PUT /first", [one], "1").status == 201)
            let tag = try #require(try await receiver.request("GET /files.json", [one]).field("ETag"))
            let same = try await receiver.request("GET /files.json", [one, "If-None-Match: \(tag)"])
            #expect(same.status == 304 && same.field("ETag") == tag)
            // As of a browser in which another one logged in before.
            let others = try await receiver.request("GET /files.json", [other, "If-None-Match: \(tag)"])
            #expect(others.status == 200 && others.body.contains(#""files":[]"#))
            #expect(others.field("ETag") != tag)
        }
    }

    @Test func `A list that hasn't changed isn't sent again`() async throws {
        try await TestReceiver.run { receiver in
            let empty = try await receiver.request("GET /files.json")
            let tag = try #require(empty.field("ETag"))
            let same = try await receiver.request("GET /files.json", ["If-None-Match: \(tag)"])
            #expect(same.status == 304)
            #expect(same.body == "")
            #expect(try await receiver.request("PUT /a", [], "1").status == 201)
            let changed = try await receiver.request("GET /files.json", ["If-None-Match: \(tag)"])
            #expect(changed.status == 200)
            #expect(changed.body.contains("\"name\":\"a\""))
            #expect(try await receiver.request("GET /").body.contains("<bdi>a</bdi>"))
        }
    }

    @Test func `A request with several tokens is one wrong try`() throws {
        var fields: HTTPFields = [.authorization: "Bearer wrong"]
        fields.append(HTTPField(name: .authorization, value: "Bearer s3cret"))
        #expect(try AccessToken("s3cret").admission(fields) == .wrong)
    }

    /// RFC 9110 section 11.4 allows more than one blank.
    @Test(arguments: [
        "Bearer s3cret", "Bearer   s3cret", "bearer s3cret ", "Basic  YTpzM2NyZXQ=", "Bearer s3cret x", "Bearers3cret",
    ])
    func `A token is found after any number of blanks`(value: String) throws {
        let shown = try AccessToken("s3cret").admission([.authorization: value])
        #expect(shown == (["Bearer s3cret x", "Bearers3cret"].contains(value) ? .wrong : .admitted))
    }
}
