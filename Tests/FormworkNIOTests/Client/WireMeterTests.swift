@testable import FormworkClient
import Glibc
import NIOCore
import TestSupport
import Testing

extension NIOTests {
    @Suite("How much of a body the connection took", .timeLimit(.minutes(10)))
    struct WireMeterTests {
        private static let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
        /// The window of a new stream, and of a new connection (RFC 9113 section 6.9.2).
        private static let window = 65_535
        private static let body = noise(300_000)

        /// HEADERS with a `:status` of three digits, which ends the stream.
        private static func headers(_ status: String) -> [UInt8] { [0, 0, 5, 1, 5, 0, 0, 0, 1, 8, 3] + status.utf8 }

        private func plan(_ bytes: [UInt8] = Self.body) throws -> BodyPlan {
            try BodyPlan(content: .bytes(bytes), contentType: "a/b")
        }

        /// A connection whose peer reads all that the first window has, and then writes these bytes.
        private static func after(window bytes: [UInt8]) -> Script {
            { _, connection in
                var frames = Frames(connection)
                connection.write(bytes: Self.settings)
                frames.waitForBody(of: Self.window)
                connection.write(bytes: bytes)
                connection.waitForEnd()
            }
        }

        @Test("A server that reads slowly, but all the time, isn't taken for one that has stalled")
        func slow() async throws {
            let server = try ScriptedServer([
                { _, connection in
                    var size: CInt = 65_536
                    setsockopt(connection.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
                    var count = connection.readHead().body.count
                    // 400 KB/s for three seconds.
                    for _ in 0..<150 {
                        count += connection.read(upTo: 8192).count
                        usleep(20_000)
                    }
                    while count < 8_000_000 {
                        let piece = connection.read()
                        // The client gave up.
                        guard !piece.isEmpty else { return }
                        count += piece.count
                    }
                    connection.write(ExchangeTests.ok())
                }
            ])
            let monitor = UploadMonitor()
            let plan = try self.plan(noise(8_000_000))
            let options = FormClient.Options(stallTimeout: .seconds(2), expectationThreshold: nil)
            async let seen = FormClient(options: options).exchange(
                HTTPRequest(to: server.url()), body: ExchangeBody(plan), monitor: monitor
            ) { $0.bytesSent }
            var silence = Duration.zero
            var offsets: Set<Int64> = []
            for _ in 0..<25 {
                try await Task.sleep(for: .milliseconds(100))
                silence = max(silence, monitor.current.lastActivity.duration(to: .now))
                offsets.insert(monitor.current.acknowledged)
            }
            #expect(try await seen == 8_000_000)
            #expect(silence < .seconds(2))
            // The peer had at most 1 MB and its buffer by then, and each look finds some more.
            #expect(offsets.count > 8 && offsets.max() ?? 0 < 3_000_000)
        }

        @Test("An early answer over HTTP/2 comes after the bytes for which there were windows")
        func earlyAnswer() async throws {
            let server = try ScriptedServer([Self.after(window: Self.headers("413"))])
            let seen = try await FormClient(options: .init(version: .http2)).exchange(
                HTTPRequest(to: server.url()), body: ExchangeBody(self.plan())
            ) { ($0.head.status.code, $0.bytesSent, $0.isBodyComplete) }
            #expect(seen == (413, 65_535, false))
        }

        @Test(
            "A reset, GOAWAY and a stall over HTTP/2 are reported with the bytes for which there were windows",
            arguments: [
                // RST_STREAM: INTERNAL_ERROR.
                [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 2],
                // GOAWAY: the last stream is 0, ENHANCE_YOUR_CALM.
                [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 11],
                [],
            ] as [[UInt8]])
        func failure(_ bytes: [UInt8]) async throws {
            let server = try ScriptedServer([Self.after(window: bytes)])
            let monitor = UploadMonitor()
            let options = FormClient.Options(version: .http2, stallTimeout: .seconds(1))
            let error = await #expect(throws: TransferError.self) {
                try await FormClient(options: options).exchange(
                    HTTPRequest(to: server.url()), body: ExchangeBody(self.plan()), monitor: monitor
                ) { $0.bytesSent }
            }
            #expect(error?.bytesSent == 65_535)
            if bytes.isEmpty { #expect(monitor.current.acknowledged == 65_535) }
        }

        @Test(
            "A request that a server of HTTP/2 didn't process is repeated without being asked to, a few times",
            arguments: [
                // RST_STREAM: REFUSED_STREAM.
                [0, 0, 4, 3, 0, 0, 0, 0, 1, 0, 0, 0, 7],
                // GOAWAY: the last stream is 0, NO_ERROR.
                [0, 0, 8, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
            ] as [[UInt8]])
        func unprocessed(_ bytes: [UInt8]) async throws {
            let refuse = Self.after(window: bytes)
            let client = FormClient(options: .init(version: .http2))
            let server = try ScriptedServer([refuse, refuse, Self.after(window: Self.headers("204"))])
            let plan = try self.plan([UInt8](repeating: 1, count: Self.window))
            let sent = try await FormSender(client: client).send(plan, with: HTTPRequest(to: server.url())) {
                ($0.head.status.code, $1.requests)
            }
            #expect(sent == (204, 3))
            let never = try ScriptedServer([refuse, refuse, refuse, refuse])
            await #expect(throws: TransferError.self) {
                try await FormSender(client: client).send(plan, with: HTTPRequest(to: never.url())) { $1.requests }
            }
            // A body that can be read only once is used up.
            let once = try ScriptedServer([refuse])
            let stream = AsyncStream { continuation in
                continuation.yield([UInt8](repeating: 1, count: Self.window))
                continuation.finish()
            }
            let single = try BodyPlan(content: .chunks(once: stream), contentType: "a/b")
            await #expect(throws: TransferError.self) {
                try await FormSender(client: client).send(single, with: HTTPRequest(to: once.url())) { $1.requests }
            }
        }
    }
}
