import Foundation
@testable import FormworkReceiver
import TestSupport
import Testing

/// Heads that RFC 9110, 9112 and 9113 have a server refuse, or ignore something of.
@Suite(.timeLimit(.minutes(10)))
struct HeadCheckTests {
    private static let get = "GET /page.css HTTP/1.1\r\nHost: localhost\r\n"
    private static let put = "PUT /a HTTP/1.1\r\nHost: localhost\r\n"
    private static let upgrade =
        "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"

    /// RFC 9110 section 7.8. curl's `--http2` and JDK's HttpClient make such offers.
    @Test func `An upgrade offer is ignored, and the requests after it are answered`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            let chunks = "Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"
            await connection.send(
                Self.get + Self.upgrade + "\r\n" + Self.put + Self.upgrade + "Content-Length: 5\r\n\r\nhello"
                    + Self.put + Self.upgrade + chunks + Self.get + "Connection: close\r\n\r\n")
            let statuses = await connection.receiveAll().components(separatedBy: "HTTP/1.1 ").map { $0.prefix(3) }
            #expect(statuses == ["", "200", "201", "201", "200"])
            #expect(receiver.folder.names == ["a", "a (1)"])

            let late = try receiver.connect()
            for name in ["b", "c", "d"] {
                await late.send(
                    "PUT /\(name) HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive, Upgrade\r\n"
                        + "Upgrade: websocket\r\nContent-Length: 1\r\n\r\n1")
                #expect(await late.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            }
        }
    }

    @Test(
        arguments: ["GET /page.css HTTP/1.0\r\nHost: localhost\r\n\r\n"]
            + ["Close", "close, te", "keep-alive, CLOSE"].map { get + "Connection: \($0)\r\n\r\n" })
    func `The connection ends after the answer if its request says so`(request: String) async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(request + Self.get + "\r\n")
            // Ends by itself, without an answer to the bytes that follow.
            let text = await connection.receiveAll()
            #expect(text.hasPrefix("HTTP/1.1 200 "))
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(RawAnswer(text).field("Connection") == "close")
        }
    }

    @Test func `A client with HTTP 1 point 0 may stay, and gets no informational answers`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            for _ in 1...2 {
                await connection.send(
                    "PUT /a HTTP/1.0\r\nHost: localhost\r\nConnection: Keep-Alive\r\nExpect: 100-continue\r\n"
                        + "Content-Length: 1\r\n\r\n1")
                let answer = RawAnswer(await connection.receive(until: "}]}"))
                #expect(answer.status == 201)
                #expect(answer.field("Connection") == "keep-alive")
            }
        }
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:80@evil.example\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:abc\r\n\r\n", 400),
        ("GET / HTTP/1.1\r\nHost: 127.0.0.1:65536\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n", 400),
        ("GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET evil HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        ("GET http://localhost/page.css HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200),
        ("GET /page.css HTTP/1.1\r\nHost: [::1]:8080\r\nConnection: close\r\n\r\n", 200),
        ("\(put)Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n", 501),
        ("\(put)Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n", 400),
        ("\(put)Transfer-Encoding:\r\n\r\n0\r\n\r\n", 400),
        ("\(put)Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n", 400),
        ("\(put)Content-Length: +5\r\n\r\nhello", 400), ("\(put)Connection: a b\r\n\r\n", 400),
        ("PUT /a HTTP/1.0\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400),
        // RFC 1945 section 7.2.2.
        ("PUT /a HTTP/1.0\r\nHost: localhost\r\n\r\nabc", 400), ("POST /a HTTP/1.0\r\nHost: localhost\r\n\r\n", 400),
        ("no request\r\n\r\n", 400),
    ])
    func `A head is accepted or refused according to RFC 9112`(request: String, status: Int) async throws {
        let metrics = MemoryMetrics()
        try await TestReceiver.run(metrics: metrics) { receiver in
            let connection = try receiver.connect()
            await connection.send(request + Self.get + "\r\n")
            let text = await connection.receiveAll()
            #expect(RawAnswer(text).status == status)
            #expect(text.components(separatedBy: "HTTP/1.1 ").count == 2)
            #expect(receiver.folder.names == [])
            guard status != 200 else { return }
            #expect(receiver.log.all.contains { $0.hasPrefix("refused ") && $0.contains("status=\(status)") })
            #expect(metrics.prometheusText.contains("formwork_requests_refused_total{code=\"\(status)\",reason=\""))
        }
    }

    @Test(arguments: [
        ("FOO / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, "The method isn't known, or this isn't HTTP."),
        (
            "GET / HTTP/3.1\r\nHost: localhost\r\n\r\n", 505,
            "The version isn't HTTP/1.0 or HTTP/1.1, or the first line doesn't end with CRLF."
        ),
        (
            "GET / HTTP/1.1\nHost: localhost\n\n", 505,
            "The version isn't HTTP/1.0 or HTTP/1.1, or the first line doesn't end with CRLF."
        ),
        (
            "\(put)Content-Length: 1\r\nContent-Length: 2\r\n\r\nhello", 400,
            "The Content-Length isn't a number of bytes, is given twice, or is sent with Transfer-Encoding."
        ),
        ("\(put)X : 1\r\n\r\n", 400, "A header field has a character that isn't allowed."),
        ("\(put)X: \(String(repeating: "x", count: 100_000))\r\n\r\n", 431, "The head is too long."),
        (
            "\(put)Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz\r\n", 400,
            "The size of a chunk isn't a hexadecimal number."
        ),
    ])
    func `What can't be read is named, to the client and in the log`(
        request: String, status: Int, reason: String
    ) async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(request)
            let answer = RawAnswer(await connection.receiveAll())
            #expect(answer.status == status)
            #expect(answer.body.contains("\"detail\":\"\(reason)\""), "\(answer.body)")
            #expect(receiver.log.all.contains { $0.contains(reason) }, "\(receiver.log.all)")
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A CONNECT is logged with its host`() async throws {
        try await TestReceiver.run { receiver in
            let given = try await receiver.status("CONNECT localhost:1", ["Host: localhost:1"])
            #expect(given == 405)
            let words = " method=CONNECT path=localhost:1 "
            #expect(receiver.log.all.contains { $0.contains(words) }, "\(receiver.log.all)")
        }
    }

    @Test func `A client that goes away inside a head isn't logged as one that was refused`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send("GET / HT")
            await connection.finishSending()
            _ = await connection.receiveAll()
            #expect(try await receiver.eventually { !receiver.log.all.isEmpty })
            #expect(receiver.log.all.count == 1 && receiver.log.all[0].hasPrefix("client went away "))
            #expect(!receiver.log.all[0].contains("status="), "\(receiver.log.all)")
        }
    }

    @Test func `Chunks have no more extensions than content`() async throws {
        try await TestReceiver.run { receiver in
            let chunked = Self.put + "Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
            let short = "5;a=\(String(repeating: "x", count: 1_000))\r\nhello\r\n0\r\n\r\n"
            let connection = try receiver.connect()
            await connection.send(chunked + short)
            #expect(RawAnswer(await connection.receiveAll()).status == 201)
            let other = try receiver.connect()
            let long = "5;a=\(String(repeating: "x", count: 2 << 20))\r\nhello\r\n0\r\n\r\n"
            async let sent: Void = other.send(chunked + long)
            let answer = RawAnswer(await other.receiveAll())
            await sent
            #expect(answer.status == 400 || answer.head.isEmpty)
            #expect(receiver.folder.names == ["a"])
        }
    }

    @Test(arguments: [
        ("content-length", "+5", false), ("host", "evil.example", false), ("host", "localhost", true),
        ("content-length", "5", true),
    ])
    func `HTTP point 2 has one host, and lengths of digits`(name: String, value: String, isTaken: Bool) async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            let head = HTTP2Bytes.head("PUT", "/a", [(name, value)])
            try peer.send(HTTP2Bytes.preface + head + HTTP2Bytes.data("hello", ends: true))
            #expect(try await receiver.eventually { receiver.log.all.contains { $0.contains("status=") } })
            #expect(receiver.log.all.contains { $0.hasPrefix(isTaken ? "received " : "refused ") })
            #expect(receiver.folder.names == (isTaken ? ["a"] : []))
            try peer.finish()
        }
    }

    /// RFC 9113 section 8.3.1.
    @Test(arguments: ["http://other.example/a", "a"])
    func `A path of HTTP point 2 begins with a slash`(path: String) async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", path, []) + HTTP2Bytes.data("hello", ends: true))
            #expect(try await receiver.eventually { receiver.log.all.contains { $0.hasPrefix("refused ") } })
            try peer.send(HTTP2Bytes.head("PUT", "/b", [], stream: 3) + HTTP2Bytes.data("hello", ends: true, stream: 3))
            #expect(try await receiver.eventually { receiver.folder.names == ["b"] })
            try peer.finish()
        }
    }
}
