import Foundation
@testable import FormworkReceiver
@testable import FormworkResumable
import TestSupport
import Testing

/// More uploads than are kept.
@Suite(.timeLimit(.minutes(10)))
struct CrowdTests {
    private static let tus = ["Tus-Resumable: 1.0.0", "Upload-Length: 5"]

    @Test func `Idle empty uploads are evicted, those with bytes are not`() async throws {
        var options = UploadStoreOptions()
        (options.maximumCount, options.idleTime) = (4, 0)
        try await TestReceiver.resuming(options: options) { receiver, store in
            let path = try await receiver.begin("POST /", Self.tus)
            let patch = ["Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream"]
            #expect(try await receiver.request("PATCH \(path)", patch + ["Upload-Offset: 0"], "hel").status == 204)
            for _ in 1...20 { #expect(try await receiver.request("POST /", Self.tus).status == 201) }
            #expect(await store.list().count == 4)
            #expect(try await receiver.request("PATCH \(path)", patch + ["Upload-Offset: 3"], "lo").status == 204)
        }
    }

    @Test func `Uploads that have just begun stay`() async throws {
        var options = UploadStoreOptions()
        (options.maximumCount, options.idleTime) = (2, 3_600)
        try await TestReceiver.resuming(options: options) { receiver, store in
            for _ in 1...2 { #expect(try await receiver.request("POST /", Self.tus).status == 201) }
            let names = await store.list().map { $0.name }
            let given = try await receiver.status("POST /", Self.tus)
            #expect(given == 503)
            #expect(await store.list().map { $0.name } == names)
        }
    }

    @Test func `Names of uploads that are gone are forgotten`() async {
        let unfinished = UnfinishedUploads(limit: 100)
        func note(_ name: String, of client: String) async {
            await unfinished.reserve(for: client) { _ in true }?.take(name)
        }
        for number in 1...3 { await note("a\(number)", of: "192.0.2.\(number)") }
        await note("b", of: "192.0.2.1")
        await unfinished.sweep(at: .now) { ["b"] }
        #expect(unfinished.count == 4, "not a minute later")
        await unfinished.sweep(at: .now + .seconds(61)) { nil }
        #expect(unfinished.count == 4, "nothing could be listed")
        await unfinished.sweep(at: .now + .seconds(122)) {
            // Begun while the others are listed.
            await note("c", of: "192.0.2.9")
            return ["b"]
        }
        #expect(unfinished.count == 2)
    }

    @Test func `A client's uploads may announce its share of all bytes together`() async {
        let unfinished = UnfinishedUploads(limit: 10, bytes: 100)
        func place(_ length: Int64, _ client: String = "a", isThere: Bool = true) async
            -> UnfinishedUploads.Reservation?
        {
            await unfinished.reserve(length, for: client) { _ in isThere }
        }
        let first = await place(60)
        first?.take("1")
        #expect(first != nil)
        #expect(await place(41) == nil)
        #expect(await place(100, "b") != nil)
        let second = await place(40)
        #expect(second != nil)
        #expect(await place(1) == nil)
        second?.giveBack()
        #expect(await place(40) != nil)
        unfinished.forget("1")
        #expect(await place(60) != nil)
    }

    @Test func `Uploads that begin at once, and those whose creation is cut, count as well`() async throws {
        try await TestReceiver.resuming({ $0.limits.unfinishedPerClient = 3 }) { receiver, store in
            let statuses = try await withThrowingTaskGroup(of: Int?.self) { group in
                for _ in 1...20 { group.addTask { try await receiver.request("POST /", Self.tus).status } }
                return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
            }
            #expect(statuses == [201: 3, 429: 17])
            #expect(await store.list().count == 3)
        }
        try await TestReceiver.resuming({ $0.limits.unfinishedPerClient = 3 }) { receiver, store in
            for number in 1...5 {
                let connection = try receiver.connect()
                let type = "Content-Type: application/offset+octet-stream"
                await connection.send(
                    "POST / HTTP/1.1\r\nHost: localhost\r\nTus-Resumable: 1.0.0\r\nUpload-Length: 100\r\n"
                        + "\(type)\r\nContent-Length: 100\r\n\r\nx")
                let count = min(number, 3)
                #expect(try await receiver.eventually { await store.list().count == count })
                if number > 3 { _ = await connection.receiveAll() }
                await connection.cut()
            }
            #expect(try await receiver.request("POST /", Self.tus).status == 429)
            #expect(await store.list().count == 3)
        }
    }

    @Test func `Complete uploads don't count`() async throws {
        try await TestReceiver.resuming({ $0.limits.unfinishedPerClient = 1 }) { receiver, _ in
            let draft = ["Upload-Draft-Interop-Version: 8", "Upload-Complete: ?1"]
            for number in 1...5 { #expect(try await receiver.request("PUT /f\(number)", draft, "x").status == 201) }
            for _ in 1...3 {
                let path = try await receiver.begin("POST /", Self.tus)
                let patch = [
                    "Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream", "Upload-Offset: 0",
                ]
                #expect(try await receiver.request("PATCH \(path)", patch, "hello").status == 204)
            }
        }
    }

    @Test func `One client has some of the uploads, and others have the rest`() async throws {
        try await TestReceiver.resuming({ options in
            options.limits.unfinishedPerClient = 2
            options.access.proxies = TrustedProxies([try #require(AddressBlock("127.0.0.1"))])
        }) { receiver, _ in
            let (one, other) = (["X-Forwarded-For: 192.0.2.1"], ["X-Forwarded-For: 192.0.2.2"])
            let first = try await receiver.request("POST /", Self.tus + one)
            #expect(first.status == 201)
            #expect(try await receiver.request("POST /", Self.tus + one).status == 201)
            #expect(try await receiver.request("POST /", Self.tus + one).status == 429)
            #expect(try await receiver.request("POST /", Self.tus + other).status == 201)
            // Completed uploads make room once they are checked again.
            let path = try #require(first.field("Location"))
            #expect(try await receiver.request("DELETE \(path)", ["Tus-Resumable: 1.0.0"]).status == 204)
            #expect(
                try await receiver.eventually { try await receiver.request("POST /", Self.tus + one).status == 201 })
        }
    }
}
