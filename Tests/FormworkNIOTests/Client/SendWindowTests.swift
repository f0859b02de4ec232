@testable import FormworkClient
import NIOCore
import TestSupport
import Testing

extension NIOTests {
    @Suite("A body over HTTP/2 whose window becomes smaller", .timeLimit(.minutes(10)))
    struct SendWindowTests {
        @Test("A stream isn't ended while its window is negative, and is ended when there is room again")
        func negative() async throws {
            let (chunks, more) = AsyncStream<[UInt8]>.makeStream()
            more.yield(noise(1_000))
            let server = try ScriptedServer([
                { server, connection in
                    var frames = Frames(connection)
                    frames.wait { $0.type == 0 && $0.count == 1_000 }
                    // INITIAL_WINDOW_SIZE 0: the stream's window is now -1,000.
                    connection.write(bytes: [0, 0, 6, 4, 0, 0, 0, 0, 0, 0, 4, 0, 0, 0, 0])
                    // The client has taken it when it acknowledges it.
                    frames.wait { $0.type == 4 && $0.flags == 1 }
                    more.finish()
                    // What it sends next is an answer to this ping, not the end of the stream.
                    connection.write(bytes: [0, 0, 8, 6, 0, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
                    server.note(frames.wait { $0.type == 0 || $0.type == 6 }.type)
                    // WINDOW_UPDATE of 1,000 for stream 1: the window is 0.
                    connection.write(bytes: [0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0, 3, 232])
                    let end = frames.wait { $0.type == 0 }
                    server.note(end.count)
                    server.note(end.flags)
                    // HEADERS with :status 204, which ends the stream.
                    connection.write(bytes: [0, 0, 1, 1, 5, 0, 0, 0, 1, 0x89])
                    connection.waitForEnd()
                }
            ])
            let plan = try BodyPlan(content: .chunks(once: chunks), contentType: "a/b")
            let status = try await FormClient(options: .init(version: .http2)).exchange(
                HTTPRequest(to: server.url()), body: ExchangeBody(plan)
            ) { $0.head.status.code }
            #expect(status == 204)
            // The ping's answer; then the end of the stream, without bytes.
            #expect(server.counts == [6, 0, 1])
        }
    }
}
