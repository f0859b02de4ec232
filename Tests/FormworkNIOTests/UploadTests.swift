import AsyncHTTPClient
import Foundation
import FormworkClient
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Testing

extension NIOTests {
    @Suite("Uploads by AsyncHTTPClient", .timeLimit(.minutes(10)))
    struct UploadTests {
        private let folder = TemporaryFolder()

        typealias Options = UploadOptions

        private func upload(
            _ plan: BodyPlan, to url: String, _ options: Options = Options(), fields: [(String, String)] = [],
            method: HTTPMethod = .GET, timeout: Duration = .seconds(120),
            configuration: HTTPClient.Configuration = HTTPClient.Configuration()
        ) async throws -> (answer: HTTPClient.UploadResponse, text: String) {
            try await withClient(configuration) { client in
                var request = HTTPClientRequest(url: url)
                request.method = method
                request.headers = HTTPHeaders(fields)
                var options = options
                options.timeout = timeout
                let answer = try await client.upload(plan, with: request, options: options)
                let text = try await answer.response.body.collect(upTo: 1000)
                return (answer, String(buffer: text))
            }
        }

        private func failure(_ body: () async throws -> Void) async -> FormworkError? {
            await #expect(throws: FormworkError.self) { try await body() }
        }

        @Test(
            "A URL without a scheme or a host is refused at once",
            arguments: ["127.0.0.1:8081/up", "/up", "https:///up"])
        func incompleteURL(url: String) async throws {
            let plan = try await form(.bytes([1])).plan()
            let error = await self.failure {
                _ = try await self.upload(plan, to: url, Options(retry: RetryPolicy(count: 3)))
            }
            #expect(error?.code == .invalidArgument)
            #expect(
                error?.message == "the request's URL needs a scheme and a host, as https://example.com/upload has")
        }

        @Test("A URL of another scheme than http is refused at once")
        func foreignScheme() async throws {
            let plan = try await form(.bytes([1])).plan()
            let error = await self.failure { _ = try await self.upload(plan, to: "ftp://127.0.0.1/") }
            #expect(error?.code == .invalidArgument)
            #expect(error?.message == "the request's URL begins with ftp:, but the client sends with http or https")
        }

        /// Answers the first request. The next one finds nothing.
        private func answerOnce(_ listener: LoopbackListener, _ text: String) {
            listener.acceptOne { connection in
                _ = connection.read()
                listener.stop()
                connection.write(text)
            }
        }

        @Test("A port beyond 65535 is refused, also one that a server gives")
        func impossiblePort() async throws {
            let plan = try await form(.bytes([1])).plan()
            let url = "http://127.0.0.1:99999/"
            let message = "the request's URL has a port that isn't a number from 1 to 65535"
            let plain = await self.failure { _ = try await self.upload(plan, to: url) }
            #expect(plain?.message == message)
            let resumed = await #expect(throws: TransferError.self) {
                try await withClient { client in
                    _ = try await client.upload(
                        plan, with: HTTPClientRequest(url: url), resuming: UploadResuming())
                }
            }
            #expect(resumed?.message == "\(url): the port must be a number from 1 to 65535")
            let listener = try LoopbackListener()
            let port = listener.port
            self.answerOnce(
                listener,
                "HTTP/1.1 201 Created\r\nTus-Resumable: 1.0.0\r\nLocation: \(url)\r\nContent-Length: 0\r\n\r\n")
            await #expect(throws: (any Error).self) {
                try await withClient { client in
                    var resuming = UploadResuming(by: .tus)
                    (resuming.maximumAttempts, resuming.delay) = (2, .milliseconds(1))
                    _ = try await client.upload(
                        plan, with: HTTPClientRequest(url: "http://127.0.0.1:\(port)/"), resuming: resuming)
                }
            }
        }

        /// The client's error for an address isn't that for a name.
        @Test("An empty upload to an address that refuses the connection is tried again")
        func refusedAddress() async throws {
            let listener = try LoopbackListener()
            let port = listener.port
            self.answerOnce(
                listener,
                "HTTP/1.1 204 No Content\r\nTus-Resumable: 1.0.0\r\nTus-Extension: creation\r\nConnection: close\r\n\r\n"
            )
            let plan = try BodyPlan(content: .bytes([]), contentType: "text/plain")
            var text = ""
            var configuration = HTTPClient.Configuration()
            // Otherwise the client tries again itself, for ten seconds.
            configuration.connectionPool.retryConnectionEstablishment = false
            do {
                try await withClient(configuration) { client in
                    var resuming = UploadResuming(by: .tus)
                    (resuming.maximumAttempts, resuming.delay) = (2, .milliseconds(1))
                    let request = HTTPClientRequest(url: "http://127.0.0.1:\(port)/")
                    _ = try await client.upload(plan, with: request, resuming: resuming)
                }
            } catch let error as TransferError { text = "\(error)" }
            #expect(
                text
                    == "the connection broke before the server answered; 2 tries made no progress (127.0.0.1:\(port): no "
                    + "connection (Connection refused))")
        }

        @Test("An empty body whose source has content is an error before any request", arguments: 0..<20)
        func contentOfAnEmptyBody(_: Int) async throws {
            let server = try UploadServer(["/": [.early(200)]])
            let plan = try BodyPlan(content: .file("/proc/self/status"), contentType: "text/plain")
            let plain = await self.failure { _ = try await self.upload(plan, to: server.address("/")) }
            let resumed = await self.failure {
                try await withClient { client in
                    let request = HTTPClientRequest(url: server.address("/"))
                    _ = try await client.upload(plan, with: request, resuming: UploadResuming())
                }
            }
            #expect(plain?.code == .sourceUnavailable && resumed?.code == .sourceUnavailable)
            #expect(server.requests.isEmpty)
        }

        // MARK: - What goes out

        @Test(
            "A known length goes out as exactly one length field, and the bytes are the ones that were planned",
            arguments: [(0, 144, 0x4b1b_17bd), (100, 244, 0xd978_4d59), (3_000_000, 3_000_144, 0x51ab_6f72)])
        func fixedLength(count: Int, length: Int, crc: UInt32) async throws {
            let server = try UploadServer(["/": [.status(201)]])
            let plan = try await form(.bytes(noise(count))).plan()
            let (answer, text) = try await self.upload(plan, to: server.address("/"))
            #expect(answer.status == .created && text == "answer 201" && answer.url == server.address("/"))
            #expect(answer.bytesSent == length && answer.isBodyComplete)
            let request = try #require(server.requests.first)
            #expect(request.method == "POST" && request.isWhole)
            #expect(
                request.fields("Content-Length") == ["\(length)"] && request.fields("Transfer-Encoding") == [])
            #expect(request.fields("Content-Type") == ["multipart/form-data; boundary=harbour"])
            #expect(request.count == length && request.crc == crc)
        }

        @Test("A request with a body set is sent by the client's own calls")
        func setBody() async throws {
            let server = try UploadServer(["/": [.status(200)]])
            try await withClient { client in
                var request = HTTPClientRequest(url: server.address("/"))
                request.method = .PUT
                request.setBody(try await form(.bytes(noise(500_000))).plan())
                for _ in 0..<2 {
                    #expect(try await client.execute(request, timeout: .seconds(300)).status == .ok)
                    let sent = try #require(server.requests.last)
                    #expect(
                        sent.method == "PUT" && sent.crc == 0x6d8b_22d5
                            && sent.fields("Content-Length").count == 1)
                }
            }
        }

        @Test("256 MiB of a file arrive as they are, in flat memory")
        func large() async throws {
            let block = noise(1 << 20)
            let plan = try await form(.file(self.folder.file("f", block, times: 256))).plan()
            let content = Int(try #require(plan.layout.first { $0.length == 256 << 20 }?.offset))
            let isEqual = Mutex(true)
            let server = try UploadServer(["/": [.status(200)]]) { request, piece in
                let isRepeated = piece.repeats(block, from: request.count - content, to: 256 << 20)
                isEqual.withLock { $0 = $0 && isRepeated }
            }
            var count = 0
            let growth = try await peakGrowth {
                let answer = try await self.upload(plan, to: server.address("/")).answer
                #expect(answer.status == .ok && answer.isBodyComplete)
                count = Int(answer.bytesSent)
            }
            let request = try #require(server.requests.first)
            #expect(request.isWhole && isEqual.withLock { $0 } && request.count == count)
            #expect(Int64(count) == plan.contentLength && count > 256 << 20)
            print("256 MiB: resident memory grew by \(growth >> 10) KiB")
            #expect(growth < 32 << 20)
            #expect(try await self.folder.isClosed())
        }

        @Test("A server that stops, or reads 1 MiB/s, holds memory and the disk up", arguments: [0, 1 << 20])
        func slowServer(rate: Int) async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 30))).plan()
            let answer = rate == 0 ? UploadServer.Answer.stall : .status(200, pause: 250_000)
            let server = try UploadServer(counting: ["/": [answer]])
            let growth = try await peakGrowth {
                let options = Options(reading: Progress.observer)
                let task = Task { try await self.upload(plan, to: server.address("/"), options) }
                try await Task.sleep(for: .seconds(3))
                let ahead = Progress.position - Int64(server.requests.first?.count ?? 0)
                print("\(rate) bytes/s: \(ahead >> 10) KiB read ahead of the server")
                #expect((1...(12 << 20)).contains(ahead), "the kernel's socket buffers and about 1 MiB")
                let begin = ContinuousClock.now
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(ContinuousClock.now - begin < .seconds(300))
            }
            print("\(rate) bytes/s: resident memory grew by \(growth >> 10) KiB")
            #expect(growth < 24 << 20)
            #expect(try await self.folder.isClosed())
        }

        @Test("An event loop that is busy finds little more to send when it is back")
        func busyLoop() async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 8 << 30))).plan()
            let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
            let server = try UploadServer(counting: ["/": [.status(200)]])
            let client = HTTPClient(eventLoopGroupProvider: .shared(group))
            let options = Options(reading: Progress.observer)
            let request = HTTPClientRequest(url: server.address("/"))
            let task = Task { try await client.upload(plan, with: request, options: options) }
            while Progress.position < 8 << 20 { try await Task.sleep(for: .milliseconds(1)) }
            let read = try await group.next().submit {
                let before = Progress.position
                usleep(700_000)
                return Progress.position - before
            }.get()
            print("busy loop: \(read >> 10) KiB read meanwhile")
            #expect(read <= 2 << 20)
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            try await client.shutdown()
            try await group.shutdownGracefully()
            #expect(try await self.folder.isClosed())
        }

        // MARK: - Sent again

        @Test("301, 302 and 303 that the client follows make POST a GET without a body", arguments: [301, 302, 303])
        func redirectByClient(status: Int) async throws {
            let answers: [String: [UploadServer.Answer]] = [
                "/a": [.status(status, ["Location: /b"])], "/b": [.status(200)],
            ]
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = .follow(max: 5, allowCycles: false)
            let server = try UploadServer(answers)
            let plan = try await form(.text("x")).plan()
            let answer = try await self.upload(plan, to: server.address("/a"), configuration: configuration).answer
            #expect(answer.status == .ok && answer.url == server.address("/b"))
            #expect(answer.bytesSent == 0 && answer.isBodyComplete)
            let next = try #require(server.requests.last)
            #expect(server.requests.count == 2 && next.method == "GET" && next.target == "/b" && next.count == 0)
            for name in ["Content-Type", "Content-Length", "Transfer-Encoding"] {
                #expect(next.fields(name) == [])
            }
            let put = try await self.upload(
                plan, to: server.address("/a"), method: .PUT, configuration: configuration
            ).answer
            let last = try #require(server.requests.last)
            #expect(put.status == .ok && last.method == (status == 303 ? "GET" : "PUT"))
            #expect((last.count > 0) == (status != 303))
        }

        @Test("Redirects end: at the limit, at 0, and where they lead nowhere")
        func redirectLimit() async throws {
            let answers: [String: [UploadServer.Answer]] = [
                "/": [.status(307, ["Location: /again"])], "/again": [.status(307, ["Location: /"])],
                "/self": [.status(307, ["Location: /self"])], "/early": [.early(307, ["Location: /early"])],
                "/file": [.status(307, ["Location: file:///etc/passwd"])],
                "/none": [.status(308)],
            ]
            let server = try UploadServer(answers)
            let plan = try await form(.text("x")).plan()
            let error = await #expect(throws: HTTPClientError.self) {
                try await self.upload(plan, to: server.address("/"), Options(maximumRedirects: 3))
            }
            #expect(error == .redirectLimitReached && server.requests.count == 4)
            // The client sees this itself, before it hands anything back.
            let cycle = await #expect(throws: HTTPClientError.self) {
                try await self.upload(plan, to: server.address("/self"))
            }
            #expect(cycle == .redirectCycleDetected)
            let large = try await form(.bytes(noise(30_000_000))).plan()
            let early = await #expect(throws: HTTPClientError.self) {
                try await self.upload(large, to: server.address("/early"))
            }
            #expect(early == .redirectCycleDetected)
            for (path, limit, status) in [("/", 0, 307), ("/file", 20, 307), ("/none", 20, 308)] {
                let answer = try await self.upload(plan, to: server.address(path), Options(maximumRedirects: limit))
                    .answer
                #expect(Int(answer.status.code) == status)
            }
        }

        @Test("An upload is followed to its end, each try from the start")
        func progress() async throws {
            let server = try UploadServer(["/": [.status(503, ["Retry-After: 0"]), .status(200)]])
            let plan = try await form(.bytes(noise(3_000_000))).plan()
            let monitor = UploadMonitor()
            let options = Options(retry: RetryPolicy(count: 1), monitor: monitor)
            async let answer = self.upload(plan, to: server.address("/"), options)
            var moments: [UploadProgress] = []
            for await moment in monitor.progress(every: .zero) { moments.append(moment) }
            #expect(try await answer.answer.status == .ok)
            #expect(moments.last?.sent == 3_000_144 && moments.last?.acknowledged == 3_000_144)
            #expect(moments.last?.fractionCompleted == 1 && moments.last?.attempt == 2)
            #expect(moments.contains { $0.sent > 0 && $0.sent < 3_000_144 })
        }

        @Test("A form is uploaded by one call, which reports its progress; one that can't be planned ends it")
        func formWithProgress() async throws {
            let server = try UploadServer(["/": [.status(200)]])
            let request = HTTPClientRequest(url: server.address("/"))
            let large = try form(.bytes(noise(3_000_000)))
            var moments: [UploadProgress] = []
            let answer = try await HTTPClient.shared.upload(large, with: request) { moments.append($0) }
            #expect(answer.status == .ok && answer.bytesSent == 3_000_144)
            #expect(moments.last?.acknowledged == 3_000_144 && moments.count > 1)
            let monitor = UploadMonitor()
            let missing = FormData().appending(name: "a", file: "/none")
            await #expect(throws: FormworkError.self) {
                try await HTTPClient.shared.upload(missing, with: request, options: Options(monitor: monitor)) {
                    _ in
                }
            }
            // It has ended.
            for await _ in monitor.progress {}
        }

        @Test("Without a place to connect to, the tries end with the client's own error")
        func retriesWithoutServer() async throws {
            let url = "http://127.0.0.1:\(try LoopbackListener.freePort())/"
            let plan = try await form(.text("x")).plan()
            let options = Options(retry: RetryPolicy(count: 2, delay: .milliseconds(1)))
            let error = await #expect(throws: IOError.self) {
                var configuration = HTTPClient.Configuration()
                configuration.timeout.connect = .milliseconds(200)
                return try await self.upload(plan, to: url, options, configuration: configuration)
            }
            #expect(error?.errnoCode == ECONNREFUSED)
        }

        @Test("A one-shot body isn't tried again after a cut, and the part is named")
        func oneShotRetries() async throws {
            let server = try UploadServer(["/": [.cut(after: 1000), .status(200)]])
            let options = Options(retry: RetryPolicy(count: 2, delay: .zero))
            let plan = try await form(.chunks(once: ChunkSource([noise(5000)]))).plan()
            let error = await self.failure { _ = try await self.upload(plan, to: server.address("/"), options) }
            #expect(error?.code == .notReplayable && error?.part?.name == "content" && error?.cause != nil)
            #expect(server.requests.count == 1)
        }

        // MARK: - What goes wrong

        @Test("An early refusal comes back as the answer, and ends the sending")
        func earlyRefusal() async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 30))).plan()
            let server = try UploadServer(counting: ["/": [.early(413)]])
            for length in [Options.Length.whenKnown, .chunked] {
                let (answer, text) = try await self.upload(plan, to: server.address("/"), Options(length: length))
                #expect(answer.status == .payloadTooLarge && text == "answer 413")
                #expect(!answer.isBodyComplete && (0..<100 << 20).contains(answer.bytesSent))
            }
            #expect(try await self.folder.isClosed())
        }

        /// AsyncHTTPClient keeps a few itself: those that wait for a connection which ended after the answer.
        @Test("A body refused early is released once its answer was read or dropped", arguments: [true, false])
        func earlyRefusalsEnd(reads: Bool) async throws {
            final class Canary: Sendable {}
            struct Cage { weak var canary: Canary? }
            var cages: [Cage] = []
            let block = noise(1 << 20)
            let server = try UploadServer(counting: ["/": [.early(413)]])
            try await withClient(HTTPClient.Configuration()) { client in
                for _ in 0..<20 {
                    let canary = Canary()
                    cages.append(Cage(canary: canary))
                    let plan = try await form(
                        .chunks(length: 64 << 20) { [canary] _ in
                            withExtendedLifetime(canary) {
                                ChunkSource(Array(repeating: block, count: 64))
                            }
                        }
                    ).plan()
                    let request = HTTPClientRequest(url: server.address("/"))
                    let answer = try await client.upload(
                        plan, with: request, options: Options(timeout: .seconds(300)))
                    #expect(answer.status == .payloadTooLarge)
                    if reads { _ = try await answer.response.body.collect(upTo: 1000) }
                }
                for _ in 0..<1000 where cages.count(where: { $0.canary != nil }) > 10 {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            #expect(cages.count { $0.canary != nil } <= 10)
        }

        @Test("A file that changed is an error, also behind an early 200")
        func earlySuccessOfChangedFile() async throws {
            let path = try self.folder.sparseFile("f", count: 1_300_000)
            let plan = try await form(.file(path)).plan()
            _ = try self.folder.sparseFile("f", count: 1_300_001)
            let server = try UploadServer(["/": [.early(200)]])
            let error = await self.failure { _ = try await self.upload(plan, to: server.address("/")) }
            #expect(error?.code == .sourceChanged)
        }

        @Test("An early 200 and a broken connection are errors that say how far it came")
        func partial() async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 30))).plan()
            let answers: [String: [UploadServer.Answer]] = [
                "/200": [.early(200)], "/cut": [.cut(after: 100_000)],
            ]
            let server = try UploadServer(counting: answers)
            for (path, words) in [("/200", "answered 200 before"), ("/cut", "connection failed before")] {
                let error = await self.failure { _ = try await self.upload(plan, to: server.address(path)) }
                #expect(
                    error?.code == .writeFailed && error?.message.contains(words) ?? false,
                    "\(path) \(error as Any)")
                #expect((0..<100 << 20).contains(error?.offset ?? -1), "\(error as Any)")
            }
            #expect(try await self.folder.isClosed())
        }

        @Test("A redirect to another page before the whole body is not a success", arguments: [true, false])
        func earlyRedirect(clientFollows: Bool) async throws {
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 30))).plan()
            let answers: [String: [UploadServer.Answer]] = [
                "/": [.early(303, ["Location: /login"])], "/login": [.status(200)],
            ]
            var configuration = HTTPClient.Configuration()
            configuration.redirectConfiguration = clientFollows ? .follow(max: 5, allowCycles: false) : .disallow
            let server = try UploadServer(counting: answers)
            let error = await self.failure {
                _ = try await self.upload(plan, to: server.address("/"), configuration: configuration)
            }
            #expect(error?.message == "the server answered 303 before it had all of the body")
            guard !clientFollows else { return }
            let answer = try await self.upload(
                plan, to: server.address("/"), Options(maximumRedirects: 0), configuration: configuration
            ).answer
            #expect(answer.status == .seeOther && !answer.isBodyComplete)
        }

        @Test("A file that changes fails the upload, and no request arrives whole")
        func changedFile() async throws {
            let server = try UploadServer(["/": [.status(200)]])
            for length in [Options.Length.whenKnown, .chunked] {
                let path = try self.folder.file("f", noise(1 << 20), times: 8)
                let before = try await form(.file(path)).plan()
                #expect(truncate(path.string, 200_000) == 0)
                // Changed while it is sent: the observer is called with the first bytes.
                let other = try self.folder.file("g", noise(1 << 20), times: 8)
                let during = try await form(.file(other)).plan()
                let touch = ReaderOptions(
                    progress: { progress in
                        if progress.sent > 2 << 20 { _ = utimes(other.string, nil) }
                    }, progressInterval: .zero)
                for (plan, options) in [
                    (before, Options(length: length)),
                    (during, Options(length: length, reading: touch)),
                ] {
                    let error = await self.failure {
                        _ = try await self.upload(plan, to: server.address("/"), options)
                    }
                    #expect(error?.code == .sourceChanged && error?.part?.name == "content", "\(error as Any)")
                }
            }
            #expect(!server.requests.contains { $0.isWhole })
            #expect(try await self.folder.isClosed())
        }

        @Test(
            "Cancelling ends an upload that waits for its source, and the time limit one that waits for its server")
        func waiting() async throws {
            let server = try UploadServer(["/": [.status(200)], "/stall": [.stall]])
            let endless = try await form(.chunks { _ in ChunkSource([noise(10)], stops: true) }).plan()
            for length in [Options.Length.whenKnown, .fixed] {
                let task = Task { try await self.upload(endless, to: server.address("/"), Options(length: length)) }
                try await Task.sleep(for: .milliseconds(100))
                let begin = ContinuousClock.now
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
                #expect(ContinuousClock.now - begin < .seconds(300))
                let late = await #expect(throws: HTTPClientError.self) {
                    try await self.upload(
                        endless, to: server.address("/"), Options(length: length), timeout: .milliseconds(300))
                }
                #expect(late == .deadlineExceeded)
            }
            let plan = try await form(.file(self.folder.sparseFile("f", count: 1 << 30))).plan()
            let error = await #expect(throws: HTTPClientError.self) {
                try await self.upload(plan, to: server.address("/stall"), timeout: .milliseconds(300))
            }
            #expect(error == .deadlineExceeded)
            #expect(try await self.folder.isClosed())
        }
    }
}

extension ArraySlice<UInt8> {
    /// Whether it is a piece of a block that comes again and again, as far as it lies between 0 and `end`.
    fileprivate func repeats(_ block: [UInt8], from start: Int, to end: Int) -> Bool {
        self.withUnsafeBytes { bytes in
            block.withUnsafeBytes { block in
                var index = Swift.max(0, -start)
                while index < bytes.count, start + index < end {
                    let offset = (start + index) % block.count
                    let length = Swift.min(block.count - offset, bytes.count - index, end - start - index)
                    if memcmp(bytes.baseAddress! + index, block.baseAddress! + offset, length) != 0 { return false }
                    index += length
                }
                return true
            }
        }
    }
}

/// How far the one upload that is watched has come.
private enum Progress {
    private static let value = Mutex<Int64>(0)
    static var position: Int64 { self.value.withLock { $0 } }
    static var observer: ReaderOptions {
        self.value.withLock { $0 = 0 }
        return ReaderOptions(
            progress: { progress in self.value.withLock { $0 = progress.sent } }, progressInterval: .zero)
    }
}
