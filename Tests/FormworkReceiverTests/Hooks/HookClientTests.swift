import FormworkCore
import Testing

@testable import FormworkReceiver

/// Why a hook gave no answer, as the log says it.
@Suite(.timeLimit(.minutes(10)))
struct HookClientTests {
    private func answer(_ reply: HookServer.Reply) async throws -> HookClient.Reply {
        let server = try HookServer { _, _ in reply }
        let client = HookClient(server.url, try HookSecret(Hooks.secret), limit: .seconds(60), connections: 1)
        let answer: Result<HookClient.Reply, any Error>
        do { answer = .success(try await client.post(HookEvent(.asked, .test()))) } catch { answer = .failure(error) }
        await client.close()
        server.close()
        return try answer.get()
    }

    @Test(arguments: [
        (HookServer.Reply.close, "it closed the connection without an answer"),
        (.cut("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"), "it closed the connection in the middle of its answer"),
        (
            .cut("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
            "it closed the connection in the middle of its answer"
        ),
        (.cut("HTTP/1.1 200 OK\r\nContent-Le"), "it closed the connection in the middle of its answer"),
        (.cut("SSH-2.0-OpenSSH_9.2\r\n"), "its answer isn't HTTP"),
        (.cut("HTTP/1.1 099 Early\r\nContent-Length: 0\r\n\r\n"), "its answer isn't HTTP"),
        (.answer(200, String(repeating: "x", count: 70_000)), "its answer has more than 65536 bytes"),
    ])
    func `The reason says where the connection ended`(reply: HookServer.Reply, reason: String) async throws {
        let failure = await #expect(throws: MissingResponse.self) { try await self.answer(reply) }
        #expect(failure?.description == reason)
    }

    @Test(arguments: [
        HookServer.Reply.answer(403, String(repeating: "x", count: 70_000)),
        .cut("HTTP/1.1 403 Forbidden\r\nContent-Length: 9\r\n\r\n{"),
        .cut("HTTP/1.1 403 Forbidden\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nab"),
    ])
    func `A refusal is one by its status, whatever its body is`(reply: HookServer.Reply) async throws {
        let answer = try await self.answer(reply)
        #expect(answer.status == 403 && answer.body.isEmpty)
    }
}
