import FormworkHTTP
import FormworkResumable
import Foundation
import NIOCore
import ServiceLifecycle
import TestSupport
import Testing

@testable import FormworkReceiver

/// Clients that vanish or dawdle, storages that fail, and a receiver that is stopped: nothing partial is ever left.
@Suite(.timeLimit(.minutes(10)))
struct FaultTests {
    @Test(arguments: [
        "PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhello",
        "PUT /a HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n"
            + "Content-Type: multipart/form-data; boundary=b\r\n\r\n--b\r\n"
            + "Content-Disposition: form-data; name=\"f\"; filename=\"a\"\r\n\r\nhello\r\n--b\r\n",
    ])
    func `A client that vanishes leaves nothing, and is logged`(request: String) async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send(request)
            #expect(try await receiver.isReceiving())
            await connection.cut()
            #expect(try await receiver.eventually { receiver.log.all.contains { $0.contains("status=400") } })
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A body that stops is answered 408`() async throws {
        try await TestReceiver.run({ $0.pace.idleTime = .milliseconds(300) }) { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nhello")
            let answer = RawAnswer(await connection.receiveAll())
            #expect(answer.status == 408)
            #expect(answer.field("Connection") == "close")
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A body that trickles is answered 408`() async throws {
        try await TestReceiver.run({ options in
            (options.pace.idleTime, options.pace.bytesPerSecond) = (.milliseconds(400), 1_000)
        }) { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n")
            async let answer = connection.receiveAllBeside()
            for _ in 0..<40 {
                await connection.send("a")
                try await Task.sleep(for: .milliseconds(50))
            }
            #expect(RawAnswer(await answer).status == 408)
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A head that never ends closes the connection`() async throws {
        try await TestReceiver.run({ $0.pace.idleTime = .milliseconds(300) }) { receiver in
            let connection = try receiver.connect()
            await connection.send("GET / HTTP/1.1\r\nX-Slow: ")
            #expect(await connection.receiveAll() == "")
        }
    }

    @Test func `If one file of a form can't be finished, those before it are withdrawn`() async throws {
        let folder = TemporaryFolder()
        let storage = FailingStorage(base: try FolderStorage(folder.path), fault: .committing("b"))
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            let answer = try await receiver.request(
                "POST /", ["Content-Type: multipart/form-data; boundary=b"],
                formBody([("f;a", "1"), ("f;b", "2"), ("f;c", "3")]))
            #expect(answer.status == 500)
            #expect(!answer.body.contains("secret"))
            #expect(receiver.folder.names == [])
            #expect(receiver.log.all.contains { $0.contains("secret") })
        }
    }

    @Test func `A full disk is 507, and nothing is left`() async throws {
        let folder = TemporaryFolder()
        let storage = FailingStorage(base: try FolderStorage(folder.path), fault: .full)
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            let answer = try await receiver.request("PUT /a", [], "hello")
            #expect(answer.status == 507)
            #expect(!answer.body.contains("disk7"))
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `A body for which there is no room is answered 507 before a byte of it is read`() async throws {
        try await TestReceiver.run({ ($0.limits.bodyBytes, $0.limits.fileBytes) = (.max, .max) }) { receiver in
            for head in ["PUT /a", "POST /\r\nContent-Type: multipart/form-data; boundary=b"] {
                let lines = head.split(separator: "\r\n", maxSplits: 1)
                let connection = try receiver.connect()
                await connection.send(
                    "\(lines[0]) HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\nContent-Length: 4611686018427387904\r\n"
                        + lines.dropFirst().map { "\($0)\r\n" }.joined() + "\r\n")
                // No 100 before it.
                #expect(RawAnswer(await connection.receiveAll()).status == 507)
            }
            #expect(receiver.folder.names == [])
        }
    }

    @Test(arguments: ["Content-Length: 1", "Transfer-Encoding: chunked"])
    func `Space that must stay free isn't used`(framing: String) async throws {
        let folder = TemporaryFolder()
        let storage = try FolderStorage(folder.path, freeBytes: .max)
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            let body = framing.hasPrefix("C") ? "1" : "1\r\n1\r\n0\r\n\r\n"
            let given = try await receiver.status("PUT /a", [framing], body)
            #expect(given == 507)
            #expect(folder.names == [])
        }
    }

    @Test(
        arguments: [
            ("SlowDown", 503, 503), ("QuotaExceeded", 403, 507), ("NoSuchBucket", 404, 502),
            ("InternalError", 500, 502),
        ] as [(String, UInt, Int)])
    func `Messages of an object store are not shown to clients`(code: String, status: UInt, told: Int) {
        let error = S3Error(
            operation: "PutObject",
            reason: .answer(status: status, code: code, message: "bucket-7", requestID: "request-7"))
        for cause in [error, FormworkError(.writeFailed, "s3://bucket-7/", cause: error)] as [any Error] {
            let failure = FailedUpload(cause)
            #expect(failure.problem.status == told)
            #expect(failure.problem.detail?.contains("object store") == true)
            #expect(failure.problem.detail?.contains("7") == false)
            #expect(failure.reason.contains("bucket-7"))
        }
    }

    @Test func `An upload that another receiver is completing is tried again`() async {
        await #expect(throws: UploadIsBusy.self) { try await StorageProblem.marking { throw UploadIsBusy() } }
        let failure = FailedUpload(UploadIsBusy())
        #expect(failure.problem.status == 503 && failure.isBusy && !failure.isConnectionLost)
        #expect(failure.reason == "another receiver is completing this upload")
    }

    @Test func `Stopping lets an upload finish, and accepts no other`() async throws {
        try await TestReceiver.run { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel")
            #expect(try await receiver.isReceiving())
            await receiver.group.triggerGracefulShutdown()
            #expect(try await receiver.eventually { (try? receiver.connect()) == nil })
            await connection.send("lo")
            let answer = RawAnswer(await connection.receiveAll())
            #expect(answer.status == 201)
            #expect(answer.field("Connection") == "close")
            #expect(receiver.folder.names == ["a"])
        }
    }

    @Test func `Uploads that aren't finished after the grace period are dropped`() async throws {
        try await TestReceiver.run({ $0.grace = .milliseconds(200) }) { receiver in
            let connection = try receiver.connect()
            await connection.send("PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n\r\nhel")
            #expect(try await receiver.isReceiving())
            await receiver.group.triggerGracefulShutdown()
            #expect(await connection.receiveAll().isEmpty)
            let reason = "the upload was dropped: the receiver is stopping"
            let isLogged = try await receiver.eventually { receiver.log.all.contains { $0.contains(reason) } }
            #expect(isLogged && !receiver.log.all.contains { $0.contains("another request") })
            // The client got none.
            #expect(!receiver.log.all.contains { $0.contains(reason) && $0.contains("status=") })
            #expect(receiver.folder.names == [])
        }
    }

    @Test(arguments: [
        "POST /|Tus-Resumable: 1.0.0|Upload-Length: 5|Content-Type: application/offset+octet-stream",
        "PUT /a|Upload-Draft-Interop-Version: 8|Upload-Complete: ?1",
    ])
    func `A resumable upload that is dropped at the stop is logged, and kept`(head: String) async throws {
        let uploads = TemporaryFolder()
        try await TestReceiver.run({ $0.grace = .milliseconds(200) }, store: UploadStore(uploads.path)) { receiver in
            let connection = try receiver.connect()
            let lines = head.split(separator: "|")
            let fields = ["Host: localhost", "Content-Length: 5"] + lines.dropFirst()
            await connection.send("\(lines[0]) HTTP/1.1\r\n\(fields.joined(separator: "\r\n"))\r\n\r\nhel")
            let hasArrived = try await receiver.eventually {
                try uploads.names.contains { try $0.hasSuffix(".data") && uploads.text(of: $0) == "hel" }
            }
            #expect(hasArrived)
            await receiver.group.triggerGracefulShutdown()
            _ = await connection.receiveAll()
            let reason = "reason=the receiver is stopping; what has arrived of the upload is kept"
            let isLogged = try await receiver.eventually { receiver.log.all.contains { $0.contains(reason) } }
            #expect(isLogged && !receiver.log.all.contains { $0.contains(reason) && $0.contains("status=") })
            #expect(uploads.names.count == 2)
        }
    }
}

extension RawConnection {
    /// Everything until the peer closes, while another task sends.
    func receiveAllBeside() async -> String {
        var answer = ""
        while true {
            let part = await self.receiveAvailable()
            if let part { answer += part } else { return answer }
            if part == "" { try? await Task.sleep(for: .milliseconds(20)) }
        }
    }
}
