import AsyncHTTPClient
import FormworkClient
import FormworkHummingbird
import FormworkNIO
import FormworkResumable
import Foundation
import Hummingbird
import HummingbirdTesting
import NIOCore
import NIOHTTP1
import Synchronization
import TestSupport
import Testing

@Suite("Resumed uploads", .timeLimit(.minutes(10)), .serialized)
struct ResumableTests {
    private let folder = Folder()

    /// The uploads that handlers received.
    private final class Seen: Sendable {
        private let state = Mutex<[[UInt8]]>([])
        var all: [[UInt8]] { self.state.withLock { $0 } }
        func add(_ bytes: [UInt8]) { self.state.withLock { $0.append(bytes) } }
    }

    private struct NotNow: Error {}

    private final class Folder: Sendable {
        let path = FilePath(NSTemporaryDirectory()).appending("formwork-hb-\(UInt64.random(in: .min ... .max))")
        deinit { try? FileManager.default.removeItem(atPath: self.path.string) }
        var names: [String] {
            ((try? FileManager.default.contentsOfDirectory(atPath: self.path.string)) ?? []).sorted()
        }
        func appending(_ name: String) -> FilePath { self.path.appending(name) }

        /// Waits until the unfinished uploads have so many bytes. What the server hasn't read of a request is lost when the
        /// next request takes its upload over.
        func hasUnfinished(_ count: Int) async throws {
            let folder = self.appending("unfinished").string
            for _ in 0..<2_000 {
                let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
                let sizes = names.compactMap {
                    try? FileManager.default.attributesOfItem(atPath: "\(folder)/\($0)")[.size] as? Int
                }
                if sizes.reduce(0, +) >= count { return }
                try await Task.sleep(for: .milliseconds(10))
            }
            Issue.record("no upload of \(count) bytes")
        }
    }

    private func noise(_ count: Int) -> [UInt8] {
        var generator = SampleGenerator(seed: 7)
        var bytes: [UInt8] = []
        while bytes.count < count {
            withUnsafeBytes(of: generator.next()) { bytes += $0 }
        }
        return Array(bytes.prefix(count))
    }

    /// Runs with a server, reached through a relay that cuts.
    private func serve(
        _ folder: Folder, cuts: [Int] = [], isPlain: Bool = false,
        _ body: @Sendable (_ url: String, _ seen: Seen, _ relay: CuttingRelay) async throws -> Void
    ) async throws {
        let seen = Seen()
        let failures = Mutex(1)
        let router = Router()
        router.resumableUploads("files", in: UploadStore(folder.appending("unfinished"))) { upload, _ in
            seen.add(try await upload.content.bytes(upTo: 100_000_000))
            return Response(
                status: .created, headers: [.contentType: "text/plain"],
                body: .init(byteBuffer: ByteBuffer(string: "thanks for \(upload.filename ?? "it")")))
        }
        router.resumableUploads("forms", in: UploadStore(folder.appending("unfinished"))) { upload, _ in
            let form = try await upload.form()
            return "\(form["title"] ?? "none"), \(form.files(named: "photo").count)"
        }
        router.group("users/:user").resumableUploads("inbox", into: folder.appending("inbox"))
        router.resumableUploads("fails", in: UploadStore(folder.appending("other"))) { upload, _ in
            let fails = failures.withLock { count in
                count -= 1
                return count >= 0
            }
            if fails { throw NotNow() }
            return HTTPResponse.Status.ok
        }
        router.resumableUploads("refuses", in: UploadStore(folder.appending("other"))) { _, _ -> String in
            throw HTTPError(.forbidden, message: "not you")
        }
        @Sendable func test(_ port: Int?) async throws {
            let relay = try CuttingRelay(to: #require(port), cuts: cuts)
            try await body("http://127.0.0.1:\(relay.port)", seen, relay)
        }
        if isPlain {
            try await Application(router: router).test(.live) { try await test($0.port) }
        } else {
            let app = Application(router: router, server: .http1ExpectContinue())
            try await app.test(.live) { try await test($0.port) }
        }
    }

    private func plan(_ bytes: [UInt8]) throws -> BodyPlan {
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "title", value: "Harbour")
        form.append(BodyPart(name: "photo", source: .bytes(bytes), filename: "harbour.jpg"))
        return try form.plan()
    }

    @Test(
        "AsyncHTTPClient: cut twice, by what the server offers and by tus",
        arguments: [ResumableChoice.auto, .ietf, .tus])
    func goesOn(choice: ResumableChoice) async throws {
        let folder = Folder()
        let plan = try self.plan(self.noise(6_000_000))
        let expected = try plan.makeReader().collect(upTo: 10_000_000)
        try await self.serve(folder, cuts: [1_000_000, 2_000_000]) { url, seen, relay in
            var resuming = UploadResuming(by: choice)
            resuming.delay = .zero
            let monitor = UploadMonitor()
            let response = try await HTTPClient.shared.upload(
                plan, with: HTTPClientRequest(url: url + "/files"), resuming: resuming,
                options: UploadOptions(monitor: monitor))
            #expect(relay.brokenCount == 2)
            #expect(response.status.code == (choice == .tus ? 204 : 201))
            #expect(response.isBodyComplete && response.retries >= 2)
            #expect(seen.all == [expected])
            let upload = try #require(response.upload)
            // A pooled connection that is gone by then is one more try.
            #expect(upload.resumptions >= 2 && upload.resumedFrom ?? 0 > 0)
            #expect(upload.protocolName == (choice == .tus ? "tus" : "draft-9"))
            #expect(monitor.current.acknowledged == Int64(expected.count))
            #expect(monitor.current.total == Int64(expected.count))
            #expect(monitor.current.start == upload.offset && upload.offset > 0)
            if choice != .tus {
                let text = try await response.response.body.collect(upTo: 100)
                #expect(String(buffer: text) == "thanks for it")
            }
        }
    }

    @Test("FormSender: one ordinary request that can be resumed after the server's 104")
    func sender() async throws {
        let folder = Folder()
        let plan = try self.plan(self.noise(6_000_000))
        let expected = try plan.makeReader().collect(upTo: 10_000_000)
        try await self.serve(folder, cuts: [1_000_000]) { url, seen, relay in
            var resuming = UploadResuming()
            resuming.delay = .zero
            let (status, upload) = try await FormSender().send(
                plan, with: HTTPRequest(to: url + "/files"), resuming: resuming
            ) { answer, trace in (answer.head.status.code, trace.upload) }
            #expect(status == 201 && relay.brokenCount == 1)
            #expect(upload?.resumptions ?? 0 >= 1 && upload?.protocolName == "draft-9")
            #expect(seen.all == [expected])
        }
    }

    @Test("FormSender by tus")
    func senderByTus() async throws {
        let folder = Folder()
        let plan = try self.plan(self.noise(3_000_000))
        try await self.serve(folder, cuts: [1_000_000]) { url, seen, relay in
            var resuming = UploadResuming(by: .tus)
            resuming.delay = .zero
            let upload = try await FormSender().send(
                plan, with: HTTPRequest(to: url + "/forms"), resuming: resuming
            ) { _, trace in trace.upload }
            #expect(upload?.resumptions ?? 0 >= 1 && relay.brokenCount == 1)
        }
    }

    @Test("A new process resumes, from a file and from the caller's own store", arguments: [true, false])
    func newProcess(isFile: Bool) async throws {
        let folder = Folder()
        try FileManager.default.createDirectory(atPath: folder.path.string, withIntermediateDirectories: true)
        let photo = folder.appending("harbour.jpg")
        try Data(self.noise(4_000_000)).write(to: URL(filePath: photo.string))
        let state = folder.appending("upload.state")
        let kept = Mutex<[UInt8]?>(nil)
        try await self.serve(folder, cuts: [1_500_000]) { url, seen, relay in
            @Sendable func attempt() async throws -> HTTPClient.UploadResponse {
                // Its boundary is another one each time.
                var form = FormData()
                form.append(name: "photo", file: photo)
                var resuming =
                    isFile
                    ? UploadResuming(file: state)
                    : UploadResuming {
                        kept.withLock { $0 }
                    } save: { bytes in
                        kept.withLock { $0 = bytes }
                    }
                resuming.maximumAttempts = 1
                return try await HTTPClient.shared.upload(
                    form.plan(), with: HTTPClientRequest(url: url + "/files"), resuming: resuming)
            }
            await #expect(throws: TransferError.self) { try await attempt() }
            #expect(relay.brokenCount == 1)
            #expect(isFile ? FileManager.default.fileExists(atPath: state.string) : kept.withLock { $0 != nil })
            try await folder.hasUnfinished(1_000_000)
            let response = try await attempt()
            #expect(response.status == .created)
            #expect(response.upload?.resumptions ?? 0 >= 1 && response.upload?.resumedFrom ?? 0 > 0)
            let body = try #require(seen.all.first)
            #expect(seen.all.count == 1)
            let end = try #require(body.firstRange(of: Array("\r\n\r\n".utf8))).upperBound
            #expect(Array(body[end..<end + 4_000_000]) == self.noise(4_000_000))
            #expect(isFile ? !FileManager.default.fileExists(atPath: state.string) : kept.withLock { $0 == nil })
        }
    }

    @Test("A state that another upload uses is refused, in each way to send", arguments: [true, false])
    func usedState(isSender: Bool) async throws {
        try FileManager.default.createDirectory(atPath: self.folder.path.string, withIntermediateDirectories: true)
        let photo = self.folder.appending("harbour.jpg")
        try Data(self.noise(100_000)).write(to: URL(filePath: photo.string))
        let state = self.folder.appending("upload.state")
        // The lock is that of the file itself.
        let link = self.folder.appending("link.state")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "upload.state")
        try await self.serve(self.folder) { url, seen, _ in
            @Sendable func attempt(_ state: FilePath) async throws {
                var form = FormData()
                form.append(name: "photo", file: photo)
                let resuming = UploadResuming(file: state)
                if isSender {
                    let request = try HTTPRequest(to: url + "/files")
                    _ = try await FormSender().send(form.plan(), with: request, resuming: resuming) { _, _ in }
                } else {
                    let request = HTTPClientRequest(url: url + "/files")
                    _ = try await HTTPClient.shared.upload(form.plan(), with: request, resuming: resuming)
                }
            }
            let other = try FileDescriptor.open(
                self.folder.appending("upload.state.lock"), .readWrite, options: .create, permissions: .ownerReadWrite)
            #expect(flock(other.rawValue, LOCK_EX | LOCK_NB) == 0)
            for path in [state, link] {
                let error = await #expect(throws: FormworkError.self) { try await attempt(path) }
                #expect(error?.code == .invalidArgument)
                #expect(
                    error.map { "\($0)" } == "\(state): another upload uses this saved state: wait for it to end")
            }
            #expect(seen.all == [])
            try other.close()
            try await attempt(state)
            #expect(seen.all.count == 1)
            #expect(self.folder.names.filter { $0.hasPrefix("upload") } == [])
        }
    }

    @Test("A file that changed in between is an error, and another form is too")
    func changed() async throws {
        let folder = Folder()
        try FileManager.default.createDirectory(atPath: folder.path.string, withIntermediateDirectories: true)
        let photo = folder.appending("harbour.jpg")
        try Data(self.noise(4_000_000)).write(to: URL(filePath: photo.string))
        try await self.serve(folder, cuts: [1_500_000]) { url, seen, _ in
            @Sendable func attempt(_ name: String = "photo") async throws {
                var form = FormData()
                form.append(name: name, file: photo)
                var resuming = UploadResuming(file: folder.appending("state"))
                resuming.maximumAttempts = 1
                _ = try await HTTPClient.shared.upload(
                    form.plan(), with: HTTPClientRequest(url: url + "/files"), resuming: resuming)
            }
            await #expect(throws: TransferError.self) { try await attempt() }
            await #expect { try await attempt("other") } throws: { FormworkError.Code.sourceChanged ~= $0 }
            try Data(self.noise(4_000_001)).write(to: URL(filePath: photo.string))
            let changed = await #expect(throws: FormworkError.self) { try await attempt() }
            #expect(
                changed.map { "\($0)" }
                    == "part 1 \"photo\": \(photo): the file changed since the upload began: delete the saved upload in "
                    + "\(folder.appending("state")) to start again")
            #expect(seen.all == [])
        }
    }

    @Test("A server that knows no protocol gets one ordinary request")
    func ordinaryServer() async throws {
        let router = Router()
        router.post("files") { request, _ in "\(try await request.body.collect(upTo: 1000).readableBytes)" }
        let app = Application(router: router)
        try await app.test(.live) { client in
            let plan = try self.plan([1, 2, 3])
            let response = try await HTTPClient.shared.upload(
                plan, with: HTTPClientRequest(url: "http://127.0.0.1:\(client.port!)/files"),
                resuming: UploadResuming())
            #expect(response.status == .ok && response.upload == nil)
            #expect(try await String(buffer: response.response.body.collect(upTo: 100)) == "\(plan.contentLength!)")
        }
    }

    @Test("Forms, folders, and requests of clients that know no protocol")
    func forms() async throws {
        let folder = Folder()
        try await self.serve(folder, isPlain: true) { url, seen, _ in
            let plan = try self.plan(Array("jpeg".utf8))
            for resuming in [UploadResuming(by: .ietf), UploadResuming(by: .tus), UploadResuming(by: .off)] {
                let response = try await HTTPClient.shared.upload(
                    plan, with: HTTPClientRequest(url: url + "/users/7/inbox?x=1"), resuming: resuming)
                #expect(response.status.code == (resuming.choice == .tus ? 204 : 201))
            }
            let inbox = folder.appending("inbox")
            let names = try FileManager.default.contentsOfDirectory(atPath: inbox.string).sorted()
            #expect(names == [".uploads", "harbour (1).jpg", "harbour (2).jpg", "harbour.jpg"])
            #expect(try Data(contentsOf: URL(filePath: inbox.appending("harbour (2).jpg").string)) == Data("jpeg".utf8))
            // A plain file, by a client without a protocol.
            var request = HTTPClientRequest(url: url + "/users/7/inbox")
            request.method = .PUT
            request.headers = [
                "Content-Type": "text/plain", "Content-Disposition": "attachment; filename=\"../a b.txt\"",
            ]
            request.body = .bytes(ByteBuffer(string: "hello"))
            let answer = try await HTTPClient.shared.execute(request, deadline: .now() + .seconds(60))
            #expect(answer.status == .created && answer.headers["Upload-Complete"].isEmpty)
            #expect(try Data(contentsOf: URL(filePath: inbox.appending("a b.txt").string)) == Data("hello".utf8))
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: inbox.appending(".uploads").string).filter {
                    $0.hasSuffix(".data")
                } == [])
            // The whole form.
            let form = try await HTTPClient.shared.upload(
                plan, with: HTTPClientRequest(url: url + "/forms"), resuming: UploadResuming(by: .ietf))
            #expect(try await String(buffer: form.response.body.collect(upTo: 100)) == "Harbour, 1")
        }
    }

    @Test("A server that never accepts a connection isn't tried again", arguments: [ResumableChoice.auto, .ietf, .tus])
    func unreached(choice: ResumableChoice) async throws {
        let client = HTTPClient(configuration: .init(timeout: .init(connect: .milliseconds(200))))
        let port = try LoopbackListener.freePort()
        var resuming = UploadResuming(by: choice)
        resuming.delay = .zero
        let monitor = UploadMonitor()
        let error = await #expect(throws: TransferError.self) {
            try await client.upload(
                try self.plan([1]), with: HTTPClientRequest(url: "http://127.0.0.1:\(port)/x"), resuming: resuming,
                options: UploadOptions(monitor: monitor))
        }
        #expect(error.map { "\($0)" } == "127.0.0.1:\(port): no connection (Connection refused)")
        #expect(monitor.current.attempt <= 1)
        try await client.shutdown()
    }

    @Test("A form's file may be as large as the store allows")
    func largeFile() async throws {
        try await self.serve(self.folder) { url, _, _ in
            var form = FormData()
            // 200 MiB is the limit for one file of a form that isn't resumable.
            form.append(name: "f", source: .synthetic(SyntheticBytes(.zeros, count: 201 << 20)), filename: "zeros")
            let request = HTTPClientRequest(url: url + "/users/7/inbox")
            let response = try await HTTPClient.shared.upload(
                try form.plan(), with: request, resuming: UploadResuming(by: .ietf))
            #expect(response.status.code == 201)
            let file = self.folder.appending("inbox").appending("zeros").string
            #expect(try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int == 201 << 20)
        }
    }

    @Test("A form that is malformed is the client's fault, and a handler's own refusal is final")
    func refusals() async throws {
        try await self.serve(self.folder) { url, _, _ in
            func put(_ path: String, _ type: String) async throws -> HTTPClientResponse {
                var request = HTTPClientRequest(url: url + path)
                request.method = .POST
                request.headers = [
                    "Content-Type": type, "Upload-Draft-Interop-Version": "8", "Upload-Complete": "?1",
                ]
                request.body = .bytes(ByteBuffer(string: "--b\r\nnonsense"))
                return try await HTTPClient.shared.execute(request, deadline: .now() + .seconds(60))
            }
            let malformed = try await put("/forms", "multipart/form-data; boundary=b")
            #expect(malformed.status == .badRequest)
            #expect(malformed.headers["Upload-Complete"] == ["?1"])
            #expect(malformed.headers["Content-Type"] == ["application/problem+json"])
            let refused = try await put("/refuses", "text/plain")
            #expect(refused.status == .forbidden && refused.headers["Upload-Complete"] == ["?1"])
            // A failure that isn't the client's fault may pass.
            let failed = try await put("/fails", "text/plain")
            #expect(failed.status == .internalServerError)
            #expect(failed.headers["Upload-Complete"] == ["?0"] && failed.headers["Upload-Offset"] == ["13"])
        }
    }

    @Test("An upload that failed to be processed is ended again")
    func endsAgain() async throws {
        try await self.serve(self.folder) { url, _, _ in
            var resuming = UploadResuming(by: .ietf)
            resuming.delay = .zero
            let response = try await HTTPClient.shared.upload(
                self.plan([1]), with: HTTPClientRequest(url: url + "/fails"), resuming: resuming)
            #expect(response.status == .ok && response.retries == 1)
        }
    }

    @Test("An upload is its target's alone, and other methods aren't allowed")
    func targets() async throws {
        try await self.serve(self.folder) { url, _, _ in
            func send(_ method: HTTPMethod, _ path: String, _ fields: HTTPHeaders) async throws -> HTTPClientResponse {
                var request = HTTPClientRequest(url: url + path)
                request.method = method
                request.headers = fields
                return try await HTTPClient.shared.execute(request, deadline: .now() + .seconds(60))
            }
            let version = ("Upload-Draft-Interop-Version", "8")
            let created = try await send(.POST, "/files/", [version.0: version.1, "Upload-Complete": "?0"])
            let location = try #require(created.headers.first(name: "Location"))
            #expect(created.status == .created && location.hasPrefix("/files/") && location.utf8.count == 39)
            #expect(try await send(.HEAD, location, [version.0: version.1]).status == .noContent)
            let elsewhere = location.replacing("/files/", with: "/forms/")
            #expect(try await send(.HEAD, elsewhere, [version.0: version.1]).status == .notFound)
            #expect(try await send(.DELETE, location, [version.0: version.1]).status == .noContent)
            #expect(try await send(.HEAD, location, [version.0: version.1]).status == .notFound)
            let options = try await send(.OPTIONS, "/files", [:])
            #expect(options.status == .noContent && options.headers["Tus-Version"] == ["1.0.0"])
            #expect(options.headers["Upload-Limit"] == ["max-age=86400"])
        }
    }

    @Test("A cut upload gets no answer, and the connection is closed", arguments: ["/files", "/inbox"])
    func cut(path: String) async throws {
        let (folder, seen) = (Folder(), Seen())
        let router = Router()
        router.resumableUploads("files", in: UploadStore(folder.appending("unfinished"))) { upload, _ in
            seen.add(try await upload.content.bytes(upTo: 100))
            return HTTPResponse.Status.created
        }
        router.resumableUploads("inbox", into: folder.appending("inbox"))
        try await Application(router: router, server: .http1ExpectContinue()).test(.live) { server in
            try await RawClient.with(port: #require(server.port)) { client, channel in
                try await channel.send("PUT \(path) HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n12345678")
                try await channel.close(mode: .output).get()
                #expect(try await client.lastAnswer() == "")
            }
        }
        #expect(seen.all.isEmpty)
        // Nothing is visible but the store's own folder.
        let inbox = folder.appending("inbox").string
        #expect(((try? FileManager.default.contentsOfDirectory(atPath: inbox)) ?? []).allSatisfy { $0 == ".uploads" })
    }

    @Test("A piece isn't stored as a whole file")
    func piece() async throws {
        try await self.serve(self.folder) { url, seen, _ in
            var request = HTTPClientRequest(url: url + "/files")
            request.method = .PUT
            request.headers = ["Content-Range": "bytes 5-9/100", "Content-Type": "text/plain"]
            request.body = .bytes(ByteBuffer(string: "hello"))
            let refused = try await HTTPClient.shared.execute(request, deadline: .now() + .seconds(60))
            #expect(refused.status == .badRequest && seen.all.isEmpty)
            #expect(
                try await String(buffer: refused.body.collect(upTo: 1000)).contains(
                    "Content-Range isn't supported here: send the whole content, or use a resumable upload."))
        }
    }
}
