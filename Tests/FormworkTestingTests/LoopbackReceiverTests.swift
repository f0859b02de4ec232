import Foundation
import FormworkFoundation
import FormworkTesting
import Glibc
import TestSupport
import Testing

@Suite("A receiver on this machine", .timeLimit(.minutes(10)))
struct LoopbackReceiverTests {
    private static let body = "--x\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nHarbour\r\n--x--\r\n"
    private static let post =
        "POST /photos?a=1 HTTP/1.1\r\nHost: h\r\nContent-Type: multipart/form-data; boundary=x\r\n"

    private func upload(_ form: FormData, to receiver: LoopbackReceiver) async throws -> HTTPURLResponse {
        var request = URLRequest(url: receiver.url)
        request.httpMethod = "POST"
        return try await URLSession.shared.upload(form.plan(), with: request).1
    }

    @Test("A form is listed with its request before the client has its answer")
    func form() async throws {
        let receiver = try LoopbackReceiver(digests: [CRC32C()])
        let form = FormData(framing: MultipartFraming(boundary: try Boundary("x")))
            .appending(name: "title", value: "Harbour")
        #expect(try await self.upload(form, to: receiver).statusCode == 200)
        let request = try #require(receiver.requests.first)
        #expect(receiver.requests.count == 1)
        #expect(request.method == "POST")
        #expect(request.target == "/")
        #expect(request["content-TYPE"] == "multipart/form-data; boundary=x")
        #expect(request["Content-Length"] == "69")
        #expect(request.count == 69)
        #expect(request.bytes.map { String(decoding: $0, as: UTF8.self) } == Self.body)
        #expect(request.isWhole)
        #expect(request.failure == nil)
        #expect(request.description == "POST /, 69 bytes")
        #expect(try request.form["title"]?.text == "Harbour")
        #expect(request.digests.map(\.hex) == ["585f9fe6"])
        try await expectForm(request, equals: form)
    }

    @Test("The digests are of the body's bytes")
    func digests() throws {
        let receiver = try LoopbackReceiver(digests: [CRC32C()])
        let client = try LoopbackConnection(to: receiver.url)
        client.write("PUT /a HTTP/1.1\r\nContent-Length: 9\r\nConnection: close\r\n\r\n123456789")
        #expect(client.readText() == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(receiver.requests.first?.digests.map(\.hex) == ["e3069283"])
    }

    @Test("A body in chunks is one without them, and the next request on the connection is read")
    func chunks() throws {
        let receiver = try LoopbackReceiver(answers: [.status(201, body: "one"), .status(202)])
        let client = try LoopbackConnection(to: receiver.url)
        let (head, tail) = ("--x\r\nContent-Disposi", "tion: form-data; name=\"title\"\r\n\r\nHarbour\r\n--x--\r\n")
        let first =
            Self.post + "Transfer-Encoding: chunked\r\n\r\n14;a=b\r\n\(head)\r\n"
            + String(tail.utf8.count, radix: 16).uppercased() + "\r\n\(tail)\r\n0\r\nX-Sum: 1\r\n\r\n"
        client.write(first + Self.post + "Content-Length: 69\r\nConnection: close\r\n\r\n" + Self.body)
        #expect(
            client.readText()
                == "HTTP/1.1 201 OK\r\nContent-Length: 3\r\n\r\none"
                + "HTTP/1.1 202 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        #expect(receiver.requests.map(\.count) == [69, 69])
        #expect(receiver.requests.map(\.target) == ["/photos?a=1", "/photos?a=1"])
        #expect(try receiver.requests.map { try $0.form["title"]?.text } == ["Harbour", "Harbour"])
    }

    @Test("A body without its last boundary, and one that isn't a form, are requests all the same")
    func otherBodies() throws {
        let receiver = try LoopbackReceiver()
        let client = try LoopbackConnection(to: receiver.url)
        client.write(Self.post + "Content-Length: 5\r\n\r\n--x\r\n")
        client.write("PUT / HTTP/1.1\r\nContent-Length: 2\r\nContent-Type: text/plain\r\n\r\nhi")
        client.write(
            "POST / HTTP/1.1\r\nContent-Length: 11\r\nContent-Type: application/x-www-form-urlencoded\r\n\r\na=1&b=x%20y"
        )
        client.write("GET / HTTP/1.0\r\n\r\n")
        #expect(client.readText().components(separatedBy: "HTTP/1.1 200 OK").count == 5)
        let requests = receiver.requests
        try #require(requests.count == 4)
        #expect(requests.map(\.isWhole) == [true, true, true, true])
        #expect(throws: FormworkError.self) { try requests[0].form }
        #expect(throws: FormworkError.self) { try requests[1].form }
        #expect(requests[1].bytes == Array("hi".utf8))
        #expect(try requests[2].form.parts.map(\.text) == ["1", "x y"])
        #expect(requests[3].count == 0)
    }

    @Test("Answers come in the order of the script, then 200")
    func script() async throws {
        let receiver = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"]), .status(201)])
        let form = FormData().appending(name: "a", value: "1")
        var statuses: [Int] = []
        for _ in 0..<3 { statuses.append(try await self.upload(form, to: receiver).statusCode) }
        #expect(statuses == [503, 201, 200])
    }

    @Test("A redirect gets the same form again, and a retry does")
    func again() async throws {
        let form = FormData().appending(name: "a", value: String(repeating: "x", count: 100_000))
        let redirecting = try LoopbackReceiver(answers: [.redirect(to: "/next")])
        #expect(try await self.upload(form, to: redirecting).statusCode == 200)
        #expect(redirecting.requests.map(\.target) == ["/", "/next"])
        for request in redirecting.requests { try await expectForm(request, equals: form) }
        let failing = try LoopbackReceiver(answers: [.status(503, fields: ["Retry-After": "0"])])
        var request = URLRequest(url: failing.url)
        request.httpMethod = "POST"
        let options = UploadOptions(retry: RetryPolicy(count: 1))
        let (_, response) = try await URLSession.shared.upload(form.plan(), with: request, options: options)
        #expect(response.statusCode == 200)
        #expect(failing.requests.count == 2)
    }

    @Test("Who sends it is asked for")
    func unauthorized() throws {
        let receiver = try LoopbackReceiver(answers: [.unauthorized()])
        let client = try LoopbackConnection(to: receiver.url)
        client.write("PUT / HTTP/1.1\r\nContent-Length: 1\r\nConnection: close\r\n\r\na")
        #expect(
            client.readText()
                == "HTTP/1.1 401 Refused\r\nWWW-Authenticate: Basic realm=\"loopback\"\r\nContent-Length: 0\r\n"
                + "Connection: close\r\n\r\n")
    }

    @Test("An early answer comes before the body, and to a client that waits without 100")
    func early() async throws {
        let receiver = try LoopbackReceiver(answers: [.early(413), .early(413, after: 3), .early(413)])
        let waiting = try LoopbackConnection(to: receiver.url)
        waiting.write("PUT / HTTP/1.1\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        #expect(waiting.readText() == "HTTP/1.1 413 Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let sending = try LoopbackConnection(to: receiver.url)
        sending.write("PUT / HTTP/1.1\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n")
        sending.write("abcdef")
        #expect(
            sending.readText() == "HTTP/1.1 100 Continue\r\n\r\n"
                + "HTTP/1.1 413 Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        let form = FormData().appending(
            name: "video", source: .synthetic(SyntheticBytes(.zeros, count: 64 << 20)), filename: "v")
        #expect(try await self.upload(form, to: receiver).statusCode == 413)
        #expect(receiver.requests.map(\.count) == [0, 3, 0])
        #expect(receiver.requests.map(\.isWhole) == [false, false, false])
    }

    @Test("An early answer is there for a client that sends everything first")
    func lingering() throws {
        let receiver = try LoopbackReceiver(answers: [.early(413)])
        let client = try LoopbackConnection(to: receiver.url)
        client.write("PUT / HTTP/1.1\r\nContent-Length: 33554432\r\n\r\n" + String(repeating: "a", count: 32 << 20))
        client.finish()
        #expect(client.readText() == "HTTP/1.1 413 Refused\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test("A client that waits gets 100")
    func continues() throws {
        let receiver = try LoopbackReceiver()
        let client = try LoopbackConnection(to: receiver.url)
        client.write("PUT / HTTP/1.1\r\nContent-Length: 1\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n")
        #expect(client.readText(upTo: 25) == "HTTP/1.1 100 Continue\r\n\r\n")
        client.write("a")
        #expect(client.readText() == "HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    @Test("A connection is closed, or reset, after that many bytes")
    func cut() throws {
        let receiver = try LoopbackReceiver(answers: [.closing(after: 4), .reset(after: 4), .closing(after: 4)])
        let closed = try LoopbackConnection(to: receiver.url)
        closed.write("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabcd")
        #expect(closed.readText() == "")
        #expect(closed.lastError == 0)
        let reset = try LoopbackConnection(to: receiver.url)
        reset.write("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabcd")
        #expect(reset.readText() == "")
        #expect(reset.lastError == ECONNRESET)
        let chunked = try LoopbackConnection(to: receiver.url)
        chunked.write("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n9\r\nabcdefghi\r\n")
        _ = chunked.readText()
        #expect(receiver.requests.map(\.count) == [4, 4, 4])
        #expect(receiver.requests[2].bytes == Array("abcd".utf8))
        #expect(receiver.requests.allSatisfy { !$0.isWhole && $0.failure == nil })
        let error = #expect(throws: FormworkError.self) { try receiver.requests[0].form }
        #expect(receiver.requests[0].description == "PUT /, 4 bytes, cut: by the receiver's script")
        #expect(error?.message == "the receiver was scripted to read only 4 bytes of this body")
    }

    @Test("A receiver that has stopped answers nothing until it is closed")
    func stall() async throws {
        let receiver = try LoopbackReceiver(answers: [.stalling(after: 4)])
        let client = try LoopbackConnection(to: receiver.url)
        client.write("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabcdefghi")
        #expect(try await receiver.nextRequest().count == 4)
        #expect(!client.isReadable)
        receiver.close()
        #expect(client.readText() == "")
    }

    @Test("A client that goes away, or whose chunks are none, is the failure")
    func failures() async throws {
        let receiver = try LoopbackReceiver()
        var gone: LoopbackConnection? = try LoopbackConnection(to: receiver.url)
        gone?.write("PUT / HTTP/1.1\r\nContent-Length: 9\r\n\r\nabcd")
        gone = nil
        let request = try await receiver.nextRequest()
        #expect(request.count == 4)
        #expect(!request.isWhole)
        #expect(request.failure?.description == "the client closed the connection within the body [body offset 4]")
        let wrong = try LoopbackConnection(to: receiver.url)
        wrong.write("PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n")
        #expect(
            wrong.readText()
                == "HTTP/1.1 400 Refused\r\nContent-Length: 26\r\nConnection: close\r\n\r\n\"zz\" is not a chunk's size"
        )
        #expect(try await receiver.nextRequest().failure?.code == .malformedBody)
    }

    @Test(
        "What isn't HTTP/1.1 is answered 400, with the reason",
        arguments: [
            ("hello\r\n\r\n", "\"hello\" is not a request line of HTTP/1.1, which is all that is understood here"),
            ("PUT / HTTP/1.1\r\nno colon\r\n\r\n", "\"no colon\" is not a header field"),
            ("PUT / HTTP/1.1\r\nContent-Length: -1\r\n\r\n", "Content-Length is \"-1\", not a count of bytes"),
            ("PUT / HTTP/1.1\r\nContent-Length: +1\r\n\r\n", "Content-Length is \"+1\", not a count of bytes"),
            (
                "PUT / HTTP/1.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "Content-Length is \"1, 2\", not a count of bytes"
            ),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: gzip\r\n\r\n",
                "Transfer-Encoding is \"chunked, gzip\": \"chunked\" is all that is understood here"
            ),
            (
                "PUT / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
                "a request has Content-Length and Transfer-Encoding: drop one of them"
            ),
            (
                "PUT / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n\r\n",
                "Transfer-Encoding is \"gzip\": \"chunked\" is all that is understood here"
            ),
            (
                "PUT / HTTP/1.1\r\nA: " + String(repeating: "b", count: 70_000),
                "a request's header fields have more than 65536 bytes"
            ),
        ])
    func malformed(sent: String, reason: String) throws {
        let receiver = try LoopbackReceiver()
        let client = try LoopbackConnection(to: receiver.url)
        client.write(sent)
        let answer = client.readText()
        #expect(answer.hasPrefix("HTTP/1.1 400 Refused\r\n"))
        #expect(answer.hasSuffix("\r\n\r\n" + reason))
        #expect(receiver.requests.isEmpty)
    }

    @Test("Of what is longer than is kept there are length and checksum")
    func keeping() async throws {
        let receiver = try LoopbackReceiver(keeping: 1000)
        let form = FormData().appending(name: "small", value: String(repeating: "a", count: 1000))
            .appending(name: "large", value: String(repeating: "a", count: 1001))
        _ = try await self.upload(form, to: receiver)
        let request = try #require(receiver.requests.first)
        #expect(request.bytes == nil)
        #expect(try request.form["small"]?.bytes?.count == 1000)
        #expect(try request.form["large"]?.bytes == nil)
        #expect(try request.form["large"]?.count == 1001)
        #expect(try request.form["large"]?.checksum.hex == "cb6be185")
        try await expectForm(request, equals: form)
    }

    @Test("A large body passes, and its checksum is known beforehand")
    func large() async throws {
        let receiver = try LoopbackReceiver()
        let form = FormData().appending(
            name: "video", source: .synthetic(SyntheticBytes(.random(seed: 7), count: 256 << 20)), filename: "v.mp4")
        _ = try await self.upload(form, to: receiver)
        let part = try #require(try receiver.requests.first?.form["video"])
        #expect(part.count == 268_435_456)
        #expect(part.checksum.hex == "291641a5")
        #expect(part.contentType == "video/mp4")
    }

    @Test("Requests are waited for in turn; cancelling and closing end the wait")
    func waiting() async throws {
        let receiver = try LoopbackReceiver()
        let waits = Task { try await [receiver.nextRequest().target, receiver.nextRequest().target] }
        let client = try LoopbackConnection(to: receiver.url)
        client.write("GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\nGET /c HTTP/1.1\r\nConnection: close\r\n\r\n")
        #expect(try await waits.value == ["/a", "/b"])
        #expect(try await receiver.nextRequest().target == "/c")
        for limit in [Duration.zero, .milliseconds(20)] {
            let late = await #expect(throws: FormworkError.self) { try await receiver.nextRequest(within: limit) }
            #expect(late?.code == .timedOut)
            #expect(late?.message.hasPrefix("no further request ended within 0.") == true, "\(late as Any)")
        }
        let cancelled = Task { try await receiver.nextRequest() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let cancelledBefore = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await receiver.nextRequest()
        }
        await #expect(throws: CancellationError.self) { try await cancelledBefore.value }
        let closed = Task { try await receiver.nextRequest() }
        receiver.close()
        let error = await #expect(throws: FormworkError.self) { try await closed.value }
        #expect(error?.message == "the receiver is closed")
        await #expect(throws: FormworkError.self) { try await receiver.nextRequest() }
        receiver.close()
    }

    @Test("A receiver that was released no longer listens")
    func released() throws {
        var receiver: LoopbackReceiver? = try LoopbackReceiver()
        let url = try #require(receiver?.url)
        let client = try LoopbackConnection(to: url)
        receiver = nil
        #expect(client.readText() == "")
        // The listener's thread closes it.
        #expect(throws: POSIXError.self) { while true { _ = try LoopbackConnection(to: url) } }
    }

    @Test("A child process keeps no receiver open")
    func children() throws {
        let receiver = try LoopbackReceiver(answers: [.stalling(after: 0)])
        let client = try LoopbackConnection(to: receiver.url)
        client.write("GET / HTTP/1.1\r\n\r\n")
        let pid = try startSleeping()
        defer {
            kill(pid, SIGKILL)
            waitpid(pid, nil, 0)
        }
        receiver.close()
        #expect(client.readText() == "")
    }

    @Test(
        "A script that can't be sent is refused",
        arguments: [
            (LoopbackReceiver.Response.status(199), "the status 199 is not a final one: 200 to 599"),
            (.status(600), "the status 600 is not a final one: 200 to 599"),
            (.status(204, body: "x"), "an answer with the status 204 has no body: leave it out"),
            (.early(304, body: "x"), "an answer with the status 304 has no body: leave it out"),
            (.closing(after: -1), "an answer after -1 bytes: a count is not negative"),
            (.redirect(to: "/ "), "The value of Location begins or ends with a blank: trim it."),
        ])
    func refused(answer: LoopbackReceiver.Response, reason: String) {
        let error = #expect(throws: FormworkError.self) { try LoopbackReceiver(answers: [.status(200), answer]) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message == reason)
    }
}

extension LoopbackConnection {
    fileprivate convenience init(to url: URL) throws(POSIXError) { try self.init(to: UInt16(url.port ?? 0)) }
}

/// A process that inherits every descriptor it can, and sleeps until it is killed.
private func startSleeping() throws -> pid_t {
    var pid: pid_t = 0
    let arguments = [strdup("sleep"), strdup("1000"), nil]
    defer { for argument in arguments { free(argument) } }
    try #require(posix_spawnp(&pid, "sleep", nil, nil, arguments, nil) == 0)
    return pid
}
