import AsyncHTTPClient
import FormworkClient
import FormworkHummingbird
import Hummingbird
import HummingbirdTesting
import NIOCore
import Testing

@Suite("A form sent on while it arrives", .timeLimit(.minutes(10)), .serialized)
struct ProxyTests {
    /// Sends a form on: without its token, names in capitals.
    private func router(_ url: String) -> Router<BasicRequestContext> {
        let router = Router()
        router.post("proxy") { request, _ in
            var limits = ParsingLimits()
            limits.fileBytes = 1 << 30
            var form = FormData()
            let parts = try request.formParts(limits: limits).filter { $0.name != "token" }
            form.append(
                once: parts.map { received in
                    var part = BodyPart(received)
                    part.header.name = received.name?.uppercased()
                    return part
                })
            form.append(name: "via", value: "proxy")
            let answer = try await HTTPClient.shared.upload(
                form.plan(), with: HTTPClientRequest(url: url), options: UploadOptions(timeout: .seconds(300)))
            return String(buffer: try await answer.response.body.collect(upTo: 1 << 20))
        }
        return router
    }

    /// Runs a server that reads a form when the gate opens, and answers what it was, behind a proxy.
    private func serve<Result: Sendable>(
        _ gate: Gate, _ body: @escaping @Sendable (RawClient, any Channel) async throws -> Result
    ) async throws -> Result {
        let peer = Router()
        peer.post("/") { request, _ in
            try await gate.pass()
            return try await Self.describe(request)
        }
        return try await Application(router: peer).test(.live) { server in
            let url = "http://127.0.0.1:\(server.port!)/"
            let app = Application(router: self.router(url), server: .http1ExpectContinue())
            return try await app.test(.live) { try await RawClient.with(port: $0.port!, body) }
        }
    }

    private static func describe(_ request: Request) async throws -> String {
        var limits = ParsingLimits()
        limits.fileBytes = 1 << 30
        var lines = ""
        for try await part in try request.formParts(limits: limits) {
            var (count, sum) = (0, 0)
            for try await piece in part.content {
                count += piece.readableBytes
                sum += Int(piece.readableBytesView.first ?? 0)
            }
            lines += "\(part.name ?? "")/\(part.filename ?? "")/\(part.contentType ?? "")=\(count);"
            if sum == 0, count > 0 { lines += "zeros" }
        }
        return lines + "\n"
    }

    private func head(_ count: Int) -> String {
        "POST /proxy HTTP/1.1\r\nHost: a\r\nContent-Type: \(multipartType)\r\nContent-Length: \(count)\r\n\r\n"
    }

    @Test("Parts are changed and dropped on their way", .timeLimit(.minutes(10)))
    func transformed() async throws {
        let gate = Gate()
        gate.open()
        try await self.serve(gate) { client, channel in
            let body = multipart(
                "token\r\n\r\nsecret", "a\r\n\r\n12", "f; filename=\"x.txt\"\r\nContent-Type: text/css\r\n\r\n123",
                "e; filename=\"\"\r\n\r\n")
            try await channel.send(self.head(body.utf8.count) + body)
            let answer = try await client.answer(endingWith: "\n")
            #expect(answer.hasSuffix("A//=2;F/x.txt/text/css=3;E//=0;via//=5;\n"))
        }
    }

    @Test("A slow server behind the proxy slows the sender", .timeLimit(.minutes(10)))
    func backPressure() async throws {
        let gate = Gate()
        try await self.serve(gate) { client, channel in
            let start = "--x\r\nContent-Disposition: form-data; name=a; filename=b\r\n\r\n"
            let end = "\r\n--x--\r\n"
            try await channel.send(self.head(start.utf8.count + (200 << 20) + end.utf8.count) + start)
            let flood = Flood(ByteBuffer(repeating: 0x79, count: 1 << 20), times: 200, into: channel)
            // Of 200 MiB; what the kernel's buffers of two connections hold is most of it.
            #expect(try await flood.stall() < 30)
            gate.open()
            try await flood.end()
            try await channel.send(end)
            #expect(try await client.answer(endingWith: "\n").contains("A/b/=209715200;via//=5;"))
        }
    }

    @Test(
        "A body that is cut on its way in is cut on its way out, and is the sender's fault",
        .timeLimit(.minutes(10))
    )
    func cut() async throws {
        let gate = Gate()
        gate.open()
        try await self.serve(gate) { client, channel in
            let body = String(multipart("a\r\n\r\n12").dropLast(6))
            try await channel.send(self.head(body.utf8.count) + body)
            let answer = try await client.answer(endingWith: "}")
            #expect(answer.hasPrefix("HTTP/1.1 400 "))
            #expect(answer.contains("unexpectedEnd"))
        }
    }
}
