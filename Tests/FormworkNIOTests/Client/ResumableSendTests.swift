@testable import FormworkResumable
@testable import FormworkClient
@testable import FormworkNIO
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

extension NIOTests {
    @Suite("Going on where it was cut", .timeLimit(.minutes(10)))
    struct ResumableSendTests {

        static let version = "Upload-Draft-Interop-Version: 9\r\n"
        static let offer = "HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /u/1\r\n\(version)\r\n"

        /// The part of the body that a server kept.
        final class Kept: Sendable {
            private let state = Mutex<[UInt8]>([])
            var bytes: [UInt8] { self.state.withLock { $0 } }
            func add(_ bytes: some Sequence<UInt8>) { self.state.withLock { $0 += bytes } }
        }

        /// Takes some bytes of a request, and hangs up.
        func cutting(_ kept: Kept, behind count: Int, _ before: String = "") -> Script {
            { server, connection in
                var (head, body) = connection.readHead()
                server.note(head)
                connection.write(before)
                while body.count < count { body += connection.read() }
                kept.add(body.prefix(count))
                connection.resetOnClose()
            }
        }

        func answering(_ answer: String, _ kept: Kept? = nil) -> Script {
            { server, connection in
                let (head, body) = connection.readRequest()
                server.note(head)
                kept?.add(body)
                connection.write(answer)
            }
        }

        static func ok(_ status: String, _ fields: String...) -> String {
            "HTTP/1.1 \(status)\r\n\(fields.map { $0 + "\r\n" }.joined())Content-Length: 0\r\n\r\n"
        }

        struct Seen: Sendable {
            var status: Int
            var trace: FormSender.Trace
            var text: String
            var isBodyComplete: Bool
        }

        func send(
            _ plan: BodyPlan, to url: String, _ options: ResumingOptions,
            saved: Told = Told(), monitor: UploadMonitor = UploadMonitor(), fields: HTTPFields = [:],
            sender: FormSender = FormSender(), asksFrom threshold: Int64? = nil
        ) async throws -> Seen {
            var (options, sender) = (options, sender)
            options.delays = [.zero]
            sender.client.options.expectationThreshold = threshold
            sender.options.monitor = monitor
            options.save = { link in
                saved.add(link.flatMap { try? HTTPRequest(to: $0.url).path } ?? "over")
            }
            return try await sender.send(
                plan, with: HTTPRequest(to: url, headerFields: fields), resuming: options
            ) { answer, trace in
                let text = try await answer.body.collect(upTo: 100)
                return Seen(
                    status: answer.head.status.code, trace: trace, text: String(buffer: text.bytes),
                    isBodyComplete: answer.isBodyComplete)
            }
        }

        func plan(_ count: Int) throws -> BodyPlan { try form(.bytes(noise(count))).plan() }

        func bytes(_ plan: BodyPlan) throws -> [UInt8] { try plan.bytes(upTo: 100_000_000) }

        @Test("While the offset is asked for, the progress shows what was sent")
        func progressWhileAsking() async throws {
            let (monitor, seen) = (UploadMonitor(), Told())
            let server = try ScriptedServer([
                self.cutting(
                    Kept(), behind: 1_000_000,
                    Self.offer),
                { server, connection in
                    server.note(connection.readRequest().head)
                    let progress = monitor.current
                    seen.add("\(progress.acknowledged >= 1_000_000) \(progress.total ?? -1)")
                    connection.write(
                        Self.ok("204 No Content", "Upload-Offset: 1000000", "Upload-Complete: ?0"))
                },
                self.answering("HTTP/1.1 201 Created\r\nUpload-Complete: ?1\r\nContent-Length: 4\r\n\r\ndone"),
            ])
            let answer = try await self.send(
                self.plan(5_000_000), to: server.url("/up"), ResumingOptions(.auto), monitor: monitor)
            #expect(answer.status == 201 && seen.words == ["true 5000144"])
        }

        @Test("A long pause ends when the server accepts connections again")
        func linkIsBack() async throws {
            // Bound, but not listening: connections are refused.
            let listener = try LoopbackListener(isListening: false)
            Thread.detachNewThread {
                Thread.sleep(forTimeInterval: 2)
                try? listener.listen()
                while let connection = listener.accept() {
                    // The look whether the server is there sends nothing.
                    guard !connection.readRequest().head.isEmpty else { continue }
                    connection.write(Self.ok("201 Created", "Connection: close"))
                    break
                }
            }
            var options = ResumingOptions(.auto)
            // Longer than this suite may take.
            options.delays = [.seconds(5000)]
            let plan = try self.plan(1000)
            let url = "http://127.0.0.1:\(listener.port)/"
            let status = try await FormSender().send(
                plan, with: HTTPRequest(to: url), resuming: options
            ) { answer, _ in answer.head.status.code }
            #expect(status == 201)
        }

        @Test("auto: an ordinary request that is resumed twice after a 104")
        func draft() async throws {
            let kept = Kept()
            let length = 5_000_144
            let server = try ScriptedServer([
                self.cutting(
                    kept, behind: 1_000_000,
                    Self.offer),
                self.answering(
                    Self.ok(
                        "204 No Content", "Upload-Offset: 1000000", "Upload-Complete: ?0",
                        "Upload-Limit: max-age=60")),
                self.cutting(kept, behind: 2_000_000),
                self.answering(Self.ok("204 No Content", "Upload-Offset: 3000000", "Upload-Complete: ?0")),
                self.answering(
                    "HTTP/1.1 201 Created\r\nUpload-Complete: ?1\r\nContent-Length: 4\r\n\r\ndone", kept),
            ])
            let plan = try self.plan(5_000_000)
            let saved = Told()
            let monitor = UploadMonitor()
            let seen = try await self.send(
                plan, to: server.url("/up"), ResumingOptions(.auto), saved: saved, monitor: monitor,
                fields: [.authorization: "Basic eDp5"])
            #expect(seen.status == 201 && seen.text == "done")
            #expect(try kept.bytes == self.bytes(plan))
            let upload = seen.trace.upload
            #expect(upload?.resumedFrom == 3_000_000 && upload?.resumptions == 2)
            #expect(upload?.url == server.url("/u/1") && upload?.protocolName == "draft-9")
            #expect(seen.trace.requests == 5 && seen.trace.retries == 2)
            #expect(monitor.current.acknowledged == Int64(length))
            #expect(saved.words.last == "over" && saved.words.first == "/u/1")
            let lines = server.requests.map { String($0.prefix { $0 != "\r\n" }) }
            #expect(
                lines == [
                    "POST /up HTTP/1.1", "HEAD /u/1 HTTP/1.1", "PATCH /u/1 HTTP/1.1", "HEAD /u/1 HTTP/1.1",
                    "PATCH /u/1 HTTP/1.1",
                ])
            #expect(server.requests.allSatisfy { $0.contains("Authorization: Basic eDp5") })
            #expect(server.requests[4].contains("Upload-Offset: 3000000\r\n"))
            #expect(server.requests[4].contains("Content-Length: 2000144\r\n"))
            #expect(server.requests[4].contains("Content-Type: application/partial-upload\r\n"))
        }

        @Test("tus: created, cut, asked, and gone on with")
        func tus() async throws {
            let kept = Kept()
            let server = try ScriptedServer([
                self.answering(Self.ok("201 Created", "Location: /t/1", "Tus-Resumable: 1.0.0")),
                self.cutting(kept, behind: 700_000),
                self.answering(
                    Self.ok("200 OK", "Upload-Offset: 700000", "Upload-Length: 3000144", "Tus-Resumable: 1.0.0")),
                self.answering(Self.ok("204 No Content", "Upload-Offset: 3000144", "Tus-Resumable: 1.0.0"), kept),
            ])
            let plan = try self.plan(3_000_000)
            let seen = try await self.send(plan, to: server.url("/t"), ResumingOptions(.tus))
            #expect(seen.status == 204 && seen.trace.upload?.resumedFrom == 700_000)
            #expect(try kept.bytes == self.bytes(plan))
            #expect(server.requests[0].contains("Upload-Length: 3000144\r\n"))
        }

        @Test("A 104 reports progress, and limits split the upload into pieces")
        func limits() async throws {
            let kept = Kept()
            let server = try ScriptedServer([
                { server, connection in
                    _ = connection.readHead()
                    connection.write(
                        "HTTP/1.1 104 Upload Resumption Supported\r\nLocation: /u/1\r\n\(Self.version)"
                            + "Upload-Limit: max-append-size=1000000\r\n\r\n")
                    connection.waitForEnd()
                },
                self.answering(Self.ok("204 No Content", "Upload-Offset: 0", "Upload-Complete: ?0")),
                self.answering(Self.ok("204 No Content", "Upload-Offset: 1000000", "Upload-Complete: ?0"), kept),
                self.answering(Self.ok("204 No Content", "Upload-Offset: 2000000", "Upload-Complete: ?0"), kept),
                self.answering(Self.ok("201 Created", "Upload-Complete: ?1"), kept),
            ])
            let plan = try self.plan(2_100_000)
            let seen = try await self.send(plan, to: server.url("/up"), ResumingOptions(.auto))
            #expect(seen.status == 201)
            #expect(try kept.bytes == self.bytes(plan))
            let progress = try ScriptedServer([
                { _, connection in
                    _ = connection.readHead()
                    connection.write(Self.offer)
                    _ = connection.read()
                    connection.write(
                        "HTTP/1.1 104 Upload Resumption Supported\r\nUpload-Offset: 1234\r\n\(Self.version)\r\n")
                    usleep(200_000)
                    connection.write("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
                    connection.waitForEnd()
                }
            ])
            let monitor = UploadMonitor()
            let refused = try await self.send(
                self.plan(30_000_000), to: progress.url(), ResumingOptions(.auto), monitor: monitor)
            #expect(refused.status == 403)
            #expect(monitor.current.acknowledged == 1234 && monitor.current.isReportedByServer)
            #expect(monitor.current.sent > 1234)
        }

        @Test("A server that offers nothing gets the body once, and a redirect moves the upload")
        func plain() async throws {
            let kept = Kept()
            let server = try ScriptedServer([
                self.answering(Self.ok("307 Temporary Redirect", "Location: /there")),
                self.cutting(kept, behind: 1000),
            ])
            let error = await #expect(throws: TransferError.self) {
                try await self.send(self.plan(100_000), to: server.url("/up"), ResumingOptions(.auto))
            }
            #expect(error?.code == .interrupted)
            #expect(server.requests.count == 2 && server.requests[1].hasPrefix("POST /there HTTP/1.1\r\n"))
        }

        @Test("A finished upload whose answer was lost is not sent again")
        func answerLost() async throws {
            let kept = Kept()
            let server = try ScriptedServer([
                self.answering(Self.ok("201 Created", "Location: /t/1", "Tus-Resumable: 1.0.0")),
                self.cutting(kept, behind: 10_144),
                self.answering(Self.ok("200 OK", "Upload-Offset: 10144", "Upload-Length: 10144")),
            ])
            let saved = Told()
            let seen = try await self.send(
                self.plan(10_000), to: server.url(), ResumingOptions(.tus), saved: saved)
            #expect(seen.status == 200 && seen.trace.upload?.isAnswerLost == true)
            #expect(saved.words == ["/t/1", "over"])
        }

        @Test("A source that fails is not tried again")
        func changed() async throws {
            let server = try ScriptedServer([
                { _, connection in
                    _ = connection.readHead()
                    connection.write(Self.offer)
                    connection.waitForEnd()
                }
            ])
            let folder = TemporaryFolder()
            let path = try folder.file("f", noise(1000))
            var body = FormData()
            body.append(name: "f", file: path)
            let plan = try await body.plan()
            _ = try folder.file("f", noise(500))
            let error = await #expect(throws: FormworkError.self) {
                try await self.send(plan, to: server.url(), ResumingOptions(.auto))
            }
            #expect(error?.code == .sourceChanged)
        }
    }
}
