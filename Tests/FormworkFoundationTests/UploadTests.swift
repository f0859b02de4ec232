import Foundation
import FormworkFoundation
import FormworkMigration
import FoundationNetworking
import Synchronization
import TestSupport
import Testing

@Suite("Uploads by URLSession", .timeLimit(.minutes(10)))
struct UploadTests {
    private let session = URLSession(configuration: .ephemeral)

    private func upload(
        _ plan: BodyPlan, to url: URL, _ options: UploadOptions = UploadOptions(), _ fields: [String: String] = [:]
    ) async throws -> (Data, HTTPURLResponse) {
        var request = URLRequest(url: url)
        for (name, value) in fields { request.setValue(value, forHTTPHeaderField: name) }
        return try await self.session.upload(plan, with: request, options: options)
    }

    private func failure(_ body: () async throws -> Void) async -> FormworkError? {
        await #expect(throws: FormworkError.self) { try await body() }
    }

    @Test("An empty body whose source has content is an error before any request", arguments: 0..<20)
    func contentOfAnEmptyBody(_: Int) async throws {
        let server = try UploadServer(["/": [.early(200)]])
        let plan = try BodyPlan(content: .file("/proc/self/status"), contentType: "text/plain")
        for length in [UploadOptions.Length.fixed, .chunked] {
            let error = await self.failure {
                _ = try await self.upload(plan, to: server.url("/"), UploadOptions(length: length))
            }
            #expect(error?.code == .sourceUnavailable)
        }
        #expect(server.requests.isEmpty)
    }

    // MARK: - What goes out

    @Test("A known length goes out as exactly one length field, small or large", arguments: [0, 100, 3_000_000])
    func fixedLength(count: Int) async throws {
        let server = try UploadServer(["/": [.status(201)]])
        let plan = try await form(.bytes(noise(count))).plan()
        let (data, response) = try await self.upload(plan, to: server.url("/"))
        #expect(response.statusCode == 201 && String(decoding: data, as: UTF8.self) == "answer 201")
        let request = try #require(server.requests.first)
        #expect(request.line == "POST / HTTP/1.1")
        #expect(request.fields("Content-Length") == ["\(try #require(plan.contentLength))"])
        #expect(request.fields("Transfer-Encoding") == [] && request.fields("Expect") == [])
        #expect(request.fields("Content-Type") == [plan.contentType])
        #expect(request.body == (try await plan.bytes(upTo: 4_000_000)))
    }

    @Test("An upload is followed to its end, by Foundation's Progress too")
    func progress() async throws {
        let server = try UploadServer(["/": [.status(201)]])
        let plan = try await form(.bytes(noise(3_000_000))).plan()
        let length = try #require(plan.contentLength)
        #expect(length > 3_000_000)
        let monitor = UploadMonitor()
        let progress = Progress(following: monitor)
        var moments: [UploadProgress] = []
        async let answer = self.upload(plan, to: server.url("/"), UploadOptions(monitor: monitor))
        for await moment in monitor.progress(every: .zero) { moments.append(moment) }
        #expect(try await answer.1.statusCode == 201)
        #expect(moments.last?.sent == length && moments.last?.fractionCompleted == 1)
        #expect(
            zip(moments, moments.dropFirst()).allSatisfy { $0.sent <= $1.sent && $0.acknowledged <= $1.acknowledged })
        #expect(moments.last?.acknowledged == length && moments.last?.attempt == 1)
        for _ in 0..<500 where progress.completedUnitCount < length { try await Task.sleep(for: .milliseconds(10)) }
        #expect(progress.completedUnitCount == length && progress.totalUnitCount == length)
        #expect(progress.isFinished)
    }

    @Test("What may pass is tried again with the same bytes, as often as allowed")
    func retries() async throws {
        let server = try UploadServer([
            "/busy": [.status(503, ["Retry-After: 0"]), .status(429, ["Retry-After: 0"]), .status(200)],
            "/never": [.status(503)], "/wrong": [.status(400)], "/silent": [.cut(after: .max), .status(200)],
        ])
        let plan = try await form(.bytes(noise(100_000))).plan()
        let bytes = try await plan.bytes(upTo: 200_000)
        let options = UploadOptions(retry: RetryPolicy(count: 2, delay: .milliseconds(1)))
        for (path, status, requests) in [
            ("/busy", 200, 3), ("/never", 503, 3), ("/wrong", 400, 1), ("/silent", 200, 2),
        ] {
            let before = server.requests.count
            #expect(try await self.upload(plan, to: server.url(path), options).1.statusCode == status)
            let sent = server.requests.dropFirst(before)
            #expect(sent.count == requests && sent.allSatisfy { $0.body == bytes }, "\(path)")
        }
        let once = try await form(.chunks(once: AsyncStream<[UInt8]> { $0.finish() })).plan()
        let chunked = UploadOptions(length: .chunked, retry: RetryPolicy(count: 2, delay: .milliseconds(1)))
        #expect(try await self.upload(once, to: server.url("/never"), chunked).1.statusCode == 503)
    }

    @Test("The time-out is for all tries and pauses together, and for collecting the body")
    func timeout() async throws {
        let server = try UploadServer([
            "/busy": [.status(503, ["Retry-After: 1000"])], "/moved": [.status(307, ["Location: /stuck"])],
            "/stuck": [.status(200, pause: 5_000_000)],
        ])
        let plan = try await form(.bytes(noise(100_000))).plan()
        let hour = UploadOptions(retry: RetryPolicy(count: 5), timeout: .seconds(500))
        #expect(try await self.upload(plan, to: server.url("/busy"), hour).1.statusCode == 503, "no time for a pause")
        let large = try await form(.bytes(noise(20_000_000))).plan()
        let short = UploadOptions(timeout: .milliseconds(300))
        await #expect(throws: URLError(.timedOut)) { try await self.upload(large, to: server.url("/moved"), short) }
        let endless = try await form(
            .chunks(
                once: AsyncStream<[UInt8]> {
                    try? await Task.sleep(for: .seconds(300))
                    return nil
                })
        ).plan()
        await #expect(throws: URLError(.timedOut)) { try await self.upload(endless, to: server.url("/busy"), short) }
    }

    @Test("Chunks go out where they are wanted, or the length is unknown; fixed collects, in memory or in a file")
    func lengths() async throws {
        let server = try UploadServer(["/": [.status(200)]])
        let content = noise(300_000)
        let known = try await form(.bytes(content)).plan()
        let expected = try await known.bytes(upTo: 400_000).count
        for (options, isKnown, isChunked) in [
            (UploadOptions(length: .chunked), true, true), (UploadOptions(length: .chunked), false, true),
            (UploadOptions(), false, false),
            (UploadOptions(length: .fixed, memoryThreshold: 1000), false, false),
        ] {
            let once = try await form(.chunks(once: paused([content, noise(5)]))).plan()
            let response = try await self.upload(isKnown ? known : once, to: server.url("/"), options).1
            let request = try #require(server.requests.last)
            #expect(response.statusCode == 200 && request.isWhole)
            #expect(request.body.count == expected + (isKnown ? 0 : 5))
            #expect(request.body.firstRange(of: content) != nil)
            #expect(request.fields("Transfer-Encoding") == (isChunked ? ["chunked"] : []))
            #expect(request.fields("Content-Length") == (isChunked ? [] : ["\(request.body.count)"]))
        }
    }

    @Test("A request with a body set is sent by URLSession's own calls, with one length field")
    func setBody() async throws {
        let server = try UploadServer(["/": [.status(200)]])
        let plan = try await form(.text("x")).plan()
        var request = URLRequest(url: server.url("/"))
        request.httpMethod = "PUT"
        request.setBody(plan)
        _ = try await self.session.data(for: request)
        let sent = try #require(server.requests.first)
        #expect(sent.line == "PUT / HTTP/1.1")
        #expect(sent.body == (try await plan.bytes(upTo: 1000)))
        #expect(sent.fields("Content-Length").count == 1 && sent.fields("Transfer-Encoding") == [])
    }

    // MARK: - Sent again

    @Test("307 and 308 send the same body again, byte for byte", arguments: [307, 308])
    func redirectWithBody(status: Int) async throws {
        let server = try UploadServer(["/a": [.status(status, ["Location: /b?c=d"])], "/b?c=d": [.status(200)]])
        let plan = try await form(.bytes(noise(500_000))).plan()
        for length in [UploadOptions.Length.fixed, .chunked] {
            let response = try await self.upload(
                plan, to: server.url("/a"), UploadOptions(length: length), ["Authorization": "x", "Cookie": "y=z"]
            ).1
            #expect(response.statusCode == 200 && response.url == server.url("/b?c=d"))
            let sent = server.requests.suffix(2)
            #expect(sent.map(\.line) == ["POST /a HTTP/1.1", "POST /b?c=d HTTP/1.1"])
            for request in sent {
                #expect(request.isWhole)
                #expect(request.body == (try await plan.bytes(upTo: 1 << 20)))
                #expect(request.fields("Content-Type") == [plan.contentType])
                #expect(request.fields("Authorization") == ["x"], "the same origin keeps its credentials")
            }
        }
    }

    @Test("301, 302 and 303 make POST a GET without a body; only 303 does so to PUT", arguments: [301, 302, 303])
    func redirectWithoutBody(status: Int) async throws {
        let server = try UploadServer(["/a": [.status(status, ["Location: /b"])], "/b": [.status(200)]])
        let plan = try await form(.text("x")).plan()
        #expect(try await self.upload(plan, to: server.url("/a")).1.statusCode == 200)
        let next = server.requests[1]
        #expect(next.line == "GET /b HTTP/1.1" && next.count == 0)
        for name in ["Content-Type", "Content-Length", "Transfer-Encoding"] { #expect(next.fields(name) == []) }

        var request = URLRequest(url: server.url("/a"))
        request.httpMethod = "PUT"
        _ = try await self.session.upload(plan, with: request)
        #expect(server.requests[3].line == "\(status == 303 ? "GET" : "PUT") /b HTTP/1.1")
        #expect((server.requests[3].count > 0) == (status != 303))
    }

    @Test(
        "Another origin gets the body and no credentials, unless the caller trusts redirects", arguments: [false, true])
    func otherOrigin(isTrusted: Bool) async throws {
        let asks = UploadServer.Answer.status(401, ["WWW-Authenticate: Basic realm=\"r\""])
        let other = try UploadServer(["/b": [isTrusted ? .status(200) : asks]])
        let server = try UploadServer(["/a": [.status(307, ["Location: \(other.address("/b"))"])]])
        let options = UploadOptions(trustsRedirects: isTrusted, authentication: .basic(user: "u", password: "p"))
        let response = try await self.upload(
            form(.text("x")).plan(), to: server.url("/a"), options, ["Authorization": "x", "Cookie": "y=z"]
        ).1
        #expect(response.statusCode == (isTrusted ? 200 : 401), "its 401 is not answered")
        let request = try #require(other.requests.first)
        #expect(other.requests.count == 1 && request.isWhole && request.count > 0)
        #expect(request.fields("Authorization") == (isTrusted ? ["x"] : []))
        #expect(request.fields("Cookie") == (isTrusted ? ["y=z"] : []))
        #expect(request.fields("Host") == ["127.0.0.1:\(other.port)"])
    }

    @Test("Redirects end: at the limit, at 0, and where they lead nowhere")
    func redirectLimit() async throws {
        let server = try UploadServer([
            "/": [.status(307, ["Location: /"])], "/file": [.status(307, ["Location: file:///etc/passwd"])],
            "/none": [.status(308)],
        ])
        let plan = try await form(.text("x")).plan()
        let error = await #expect(throws: URLError.self) {
            try await self.upload(plan, to: server.url("/"), UploadOptions(maximumRedirects: 3))
        }
        #expect(error?.code == .httpTooManyRedirects && server.requests.count == 4)
        let options = UploadOptions(maximumRedirects: 0)
        #expect(try await self.upload(plan, to: server.url("/"), options).1.statusCode == 307)
        #expect(try await self.upload(plan, to: server.url("/file")).1.statusCode == 307)
        #expect(try await self.upload(plan, to: server.url("/none")).1.statusCode == 308)
    }

    @Test("A 401 is answered once, with the whole body", arguments: [nil, "Basic realm=\"r\"", "Bearer"])
    func authentication(challenge: String?) async throws {
        let fields = challenge.map { ["WWW-Authenticate: \($0)"] } ?? []
        let server = try UploadServer(["/": [.status(401, fields), .status(200)], "/no": [.status(401, fields)]])
        let plan = try await form(.bytes(noise(400_000))).plan()
        let options = UploadOptions(authentication: .basic(user: "ü", password: "p:q"))
        #expect(try await self.upload(plan, to: server.url("/"), options).1.statusCode == 200)
        let sent = server.requests
        #expect(sent.map(\.isWhole) == [true, true] && sent[0].body == sent[1].body && sent[0].count > 400_000)
        #expect(sent[1].fields("Authorization") == ["Basic w7w6cDpx"])
        let (data, response) = try await self.upload(plan, to: server.url("/no"), options)
        #expect(response.statusCode == 401)
        #expect(String(decoding: data, as: UTF8.self) == (challenge?.hasPrefix("Basic") ?? false ? "" : "answer 401"))
        #expect(server.requests.count == 4, "the same credentials are not tried twice")
        let none = UploadOptions(authentication: .init { _, _ in nil })
        #expect(try await self.upload(plan, to: server.url("/no"), none).1.statusCode == 401)
    }

    @Test("A kept connection that turns out dead gets the whole body again, or a clear error")
    func deadConnection() async throws {
        let plan = try await form(.text("x")).plan()
        // Whether libcurl begins again depends on what the kernel told it when; either is right.
        for _ in 0..<5 {
            let server = try UploadServer(["/": [.status(200)], "/dead": [.cut(after: -1), .status(200)]])
            _ = try await self.upload(plan, to: server.url("/"))
            let answer = try? await self.upload(plan, to: server.url("/dead"))
            #expect((answer?.1.statusCode == 200) == (server.requests.count == 3))
            #expect(server.requests.filter { $0.count > 0 }.allSatisfy { $0.body == server.requests[0].body })

            let once = try await form(.stream(once: DripStream(noise(10)))).plan()
            let second = try UploadServer(["/": [.status(200)], "/dead": [.cut(after: -1), .status(200)]])
            _ = try await self.upload(plan, to: second.url("/"))
            await #expect(throws: (any Error).self) {
                try await self.upload(once, to: second.url("/dead"), UploadOptions(length: .chunked))
            }
            #expect(second.requests.dropFirst().allSatisfy { !$0.isWhole })
        }
    }

    @Test("What can be read once is never sent twice", arguments: ["/307", "/401"])
    func oneShot(path: String) async throws {
        let server = try UploadServer([
            "/307": [.status(307, ["Location: /"])], "/401": [.status(401), .status(200)], "/": [.status(200)],
        ])
        let options = UploadOptions(length: .chunked, authentication: .basic(user: "u", password: "p"))
        func plan() throws -> BodyPlan { try form(.stream(once: DripStream(noise(5000)))).plan() }
        let error = await self.failure { _ = try await self.upload(plan(), to: server.url(path), options) }
        #expect(error?.code == .notReplayable && error?.part?.name == "content")
        #expect(path == "/307" || error?.message.contains(": send Authorization with the first request,") == true)
        #expect(server.requests.count == 1)

        // Collected, it can.
        var fixed = options
        (fixed.length, fixed.memoryThreshold) = (.fixed, 100)
        let collected = try UploadServer([
            "/307": [.status(307, ["Location: /"])], "/401": [.status(401), .status(200)], "/": [.status(200)],
        ])
        #expect(try await self.upload(plan(), to: collected.url(path), fixed).1.statusCode == 200)
        #expect(collected.requests.count == 2 && collected.requests[0].body == collected.requests[1].body)
        #expect(collected.requests[1].count > 5000)
    }

    // MARK: - What goes wrong

    @Test("An early refusal comes back as the answer", arguments: [1000, 20_000_000])
    func earlyRefusal(count: Int) async throws {
        let server = try UploadServer(counting: ["/": [.early(413)]])
        let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: Int64(count)))).plan()
        for length in [UploadOptions.Length.fixed, .chunked] {
            let (data, response) = try await self.upload(plan, to: server.url("/"), UploadOptions(length: length))
            #expect(response.statusCode == 413 && String(decoding: data, as: UTF8.self) == "answer 413")
        }
    }

    @Test("An early 200 to a short body is the answer", arguments: [200, 100_000, 1_300_000])
    func earlySuccess(count: Int) async throws {
        let server = try UploadServer(counting: ["/": [.early(200)]])
        let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: Int64(count)))).plan()
        for _ in 0..<5 {
            let (data, response) = try await self.upload(plan, to: server.url("/"))
            #expect(response.statusCode == 200 && String(decoding: data, as: UTF8.self) == "answer 200")
        }
    }

    @Test("An early 200 and a broken connection are errors that say how far it came")
    func partial() async throws {
        let server = try UploadServer(counting: ["/200": [.early(200)], "/cut": [.cut(after: 100_000)]])
        let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: 20_000_000))).plan()
        for (path, words) in [("/200", "answered 200 before"), ("/cut", "connection failed before")] {
            let error = await self.failure { _ = try await self.upload(plan, to: server.url(path)) }
            #expect(error?.code == .writeFailed && error?.message.contains(words) ?? false, "\(path) \(error as Any)")
            #expect((0..<20_000_000).contains(error?.offset ?? -1))
        }
    }

    @Test("A redirect to another page before the whole body is no success", arguments: [301, 302, 303])
    func earlyRedirect(status: Int) async throws {
        let server = try UploadServer(counting: ["/": [.early(status, ["Location: /login"])], "/login": [.status(200)]])
        let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: 20_000_000))).plan()
        for length in [UploadOptions.Length.fixed, .chunked] {
            let error = await self.failure {
                _ = try await self.upload(plan, to: server.url("/"), UploadOptions(length: length))
            }
            #expect(error?.code == .writeFailed)
            #expect(error?.message == "the server answered \(status) before it had all of the body")
            #expect((0..<20_000_000).contains(error?.offset ?? -1))
        }
        #expect(server.requests.allSatisfy { $0.line == "POST / HTTP/1.1" }, "the other page isn't asked for")
        let options = UploadOptions(maximumRedirects: 0)
        #expect(try await self.upload(plan, to: server.url("/"), options).1.statusCode == status)
    }

    @Test("An early redirect that takes the body along is followed", arguments: [307, 308])
    func earlyRedirectWithBody(status: Int) async throws {
        let server = try UploadServer(counting: ["/": [.early(status, ["Location: /b"])], "/b": [.status(200)]])
        let plan = try await form(.synthetic(SyntheticBytes(.zeros, count: 20_000_000))).plan()
        #expect(try await self.upload(plan, to: server.url("/")).1.statusCode == 200)
        #expect(server.requests.map(\.line) == ["POST / HTTP/1.1", "POST /b HTTP/1.1"])
        #expect(server.requests[1].isWhole && server.requests[1].count == Int(plan.contentLength ?? 0))
    }

    /// Whether Foundation asks once more before it sees the answer is left to chance, so there are many.
    @Test("An answer behind a form's last boundary, before the last chunk, has the body", arguments: [200, 303])
    func behindForm(status: Int) async throws {
        let server = try UploadServer(["/": [.behindForm(status, ["Location: /b"])], "/b": [.status(200)]])
        for _ in 0..<100 {
            let plan = try await form(.chunks { _ in paused([noise(10)]) }).plan()
            let options = UploadOptions(length: .chunked)
            #expect(try await self.upload(plan, to: server.url("/"), options).1.statusCode == 200)
        }
    }

    @Test("A source's failure is the upload's, and no request of its arrives whole")
    func sources() async throws {
        let server = try UploadServer(["/": [.status(200)]])
        let folder = TemporaryFolder()
        let path = try folder.file("f", noise(500_000))
        let changed = try await form(.file(path)).plan()
        #expect(truncate(path.string, 200_000) == 0)
        let gone = try await form(.file(folder.file("g", noise(10)))).plan()
        #expect(unlink(folder.path.appending("g").string) == 0)
        for length in [UploadOptions.Length.fixed, .chunked] {
            let options = UploadOptions(length: length)
            for (plan, code) in await [
                (changed, .sourceChanged), (gone, .sourceChanged),
                (try form(.stream(once: DripStream(noise(99)), length: 100)).plan(), .lengthMismatch),
                (try form(.stream(once: DripStream(noise(101)), length: 100)).plan(), .lengthMismatch),
                (try form(.chunks { _ in paused([noise(9)], failure: Errno.ioError) }).plan(), .sourceUnavailable),
            ] as [(BodyPlan, FormworkError.Code)] {
                let error = await self.failure { _ = try await self.upload(plan, to: server.url("/"), options) }
                #expect(error?.code == code && error?.part?.name == "content", "\(error as Any)")
            }
        }
        #expect(!server.requests.contains { $0.isWhole })
    }

    @Test("A slow reader and a slow source meet")
    func slow() async throws {
        let server = try UploadServer(["/": [.status(200, pause: 2000)]])
        let chunks = (0..<100).map { _ in noise(10_000) }
        let plan = try await form(.chunks(length: 1_000_000) { _ in paused(chunks) }).plan()
        let options = UploadOptions(length: .chunked)
        #expect(try await self.upload(plan, to: server.url("/"), options).1.statusCode == 200)
        #expect(server.requests[0].body.firstRange(of: chunks.joined()) != nil)
    }

    @Test("Cancelling ends an upload that waits for its source, for the server, or hasn't begun")
    func cancelling() async throws {
        let slow = UploadServer.Answer.status(200, pause: 100_000)
        let server = try UploadServer(counting: ["/": [.status(200)], "/slow": [slow]])
        let waiting = try await form(.chunks { _ in paused([noise(10)], stops: true) }).plan()
        let large = try await form(.synthetic(SyntheticBytes(.zeros, count: 1 << 40))).plan()
        for (plan, path, milliseconds, length) in [
            (waiting, "/", 50, .chunked), (waiting, "/", 50, .fixed),
            (large, "/slow", 100, .fixed), (large, "/", 0, .fixed),
        ] as [(BodyPlan, String, Int, UploadOptions.Length)] {
            let task = Task { try await self.upload(plan, to: server.url(path), UploadOptions(length: length)) }
            if milliseconds > 0 { try await Task.sleep(for: .milliseconds(milliseconds)) }
            let begin = ContinuousClock.now
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
            #expect(ContinuousClock.now - begin < .seconds(300))
        }
        #expect(try await self.upload(form(.text("x")).plan(), to: server.url("/")).1.statusCode == 200)
    }

    @Test("Whoever watches the progress may cancel, and no other upload waits for it", arguments: [0, 2_000_000])
    func cancellingFromProgress(position: Int64) async throws {
        let server = try UploadServer(counting: ["/": [.status(200)]])
        let large = try await form(.synthetic(SyntheticBytes(.zeros, count: 1 << 40))).plan()
        let chunks = try await form(
            .chunks { _ in paused([[UInt8]](repeating: noise(400_000), count: 9)) }
        )
        .plan()
        for (plan, length) in [(large, .fixed), (large, .chunked), (chunks, .chunked)]
            as [(BodyPlan, UploadOptions.Length)]
        {
            // Where Foundation stands when it hears of it is left to chance.
            for _ in 0..<20 {
                let upload = Mutex<Task<Int, any Error>?>(nil)
                let observed = ReaderOptions(
                    progress: { progress in
                        if progress.sent > position { upload.withLock { $0 }?.cancel() }
                    }, progressInterval: .zero)
                let options = UploadOptions(length: length, reading: observed)
                let task = upload.withLock { upload in
                    let task = Task { try await self.upload(plan, to: server.url("/"), options).1.statusCode }
                    upload = task
                    return task
                }
                await #expect(throws: CancellationError.self) { try await task.value }
            }
            #expect(try await self.upload(form(.text("x")).plan(), to: server.url("/")).1.statusCode == 200)
        }
    }

    @Test("Hundreds at once wait for each other, and for nobody's thread")
    func manyAtOnce() async throws {
        let server = try UploadServer(counting: ["/": [.status(200)]])
        let plan = try await form(.bytes(noise(1000))).plan()
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<600 { group.addTask { try await self.upload(plan, to: server.url("/")).1.statusCode } }
            for try await status in group { #expect(status == 200) }
        }
        #expect(server.requests.count == 600)
    }

    /// Foundation for Linux ends the process where one of its tasks is cancelled in the wrong moment: while it looks in
    /// the session's cache, which it does before all else, or while it asks where a redirect goes.
    @Test("Cancelling is safe at every moment", arguments: ["/", "/303", "/307", "/401", "/413"])
    func cancellingAnywhere(path: String) async throws {
        let server = try UploadServer(counting: [
            "/": [.status(200)], "/303": [.status(303, ["Location: /"])], "/307": [.status(307, ["Location: /"])],
            "/401": [.status(401, ["WWW-Authenticate: Basic realm=\"r\""])], "/413": [.early(413)],
        ])
        let plan = try await form(.bytes(noise(10_000))).plan()
        await withTaskGroup(of: Void.self) { group in
            for microseconds in 0..<400 {
                if microseconds >= 8 { await group.next() }
                group.addTask {
                    let upload = Task { try await self.upload(plan, to: server.url(path)).1.statusCode }
                    if microseconds % 4 > 0 { try? await Task.sleep(for: .microseconds(microseconds * 8)) }
                    upload.cancel()
                    switch await upload.result {
                    case .success(let status): #expect([200, 401, 413].contains(status))
                    case .failure(let error): #expect(error is CancellationError)
                    }
                }
            }
        }
        #expect(try await self.upload(plan, to: server.url("/")).1.statusCode == 200)
    }

    @Test("A collected body leaves no file: after success, failure, cancellation, or a source that fails")
    func temporaryFiles() async throws {
        let slow = UploadServer.Answer.status(200, pause: 100_000)
        let server = try UploadServer(["/": [.status(200)], "/cut": [.cut(after: 10)], "/slow": [slow]])
        let folder = TemporaryFolder()
        let options = UploadOptions(length: .fixed, memoryThreshold: 1000, temporaryFolder: folder.path)
        func plan(failure: Errno? = nil, stops: Bool = false, count: Int = 1_000_000) throws -> BodyPlan {
            try form(.chunks(once: paused([noise(count)], failure: failure, stops: stops))).plan()
        }
        #expect(try await self.upload(plan(), to: server.url("/"), options).1.statusCode == 200)
        await #expect(throws: (any Error).self) { try await self.upload(plan(), to: server.url("/cut"), options) }
        let error = await self.failure {
            _ = try await self.upload(plan(failure: .ioError), to: server.url("/"), options)
        }
        #expect(error?.code == .sourceUnavailable)
        for (plan, path) in [(try plan(stops: true), "/"), (try plan(count: 20_000_000), "/slow")] {
            let task = Task { try await self.upload(plan, to: server.url(path), options) }
            for _ in 0..<500 where try folder.traces.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
            let traces = try folder.traces
            #expect(traces.count == 1, "it is there meanwhile: \(traces)")
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
        for _ in 0..<100 where try !folder.traces.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
        let traces = try folder.traces
        #expect(traces == [])

        let missing = UploadOptions(length: .fixed, memoryThreshold: 0, temporaryFolder: folder.path.appending("no"))
        let refused = await self.failure { _ = try await self.upload(plan(), to: server.url("/"), missing) }
        #expect(refused?.code == .writeFailed)
    }
}
