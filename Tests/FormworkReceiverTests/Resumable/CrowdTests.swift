#if Transfer
import Foundation
@testable import FormworkReceiver
import FormworkResumable
import HTTPTypes
import SystemPackage
import TestSupport
import Testing

/// More uploads than are kept.
@Suite(.timeLimit(.minutes(10)))
struct CrowdTests {
    private static let tus = ["Tus-Resumable: 1.0.0", "Upload-Length: 5"]

    @Test func `Idle empty uploads are evicted, those with bytes are not`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        var options = UploadStoreOptions()
        (options.maximumCount, options.idleTime) = (4, 0)
        let store = UploadStore(uploads.path, options: options)
        try await TestReceiver.run(in: folder, store: store) { receiver in
            let kept = try await receiver.request("POST /", Self.tus)
            let path = try #require(kept.field("Location"))
            let patch = ["Tus-Resumable: 1.0.0", "Content-Type: application/offset+octet-stream"]
            #expect(try await receiver.request("PATCH \(path)", patch + ["Upload-Offset: 0"], "hel").status == 204)
            for _ in 1...20 { #expect(try await receiver.request("POST /", Self.tus).status == 201) }
            #expect(await store.list().count == 4)
            #expect(try await receiver.request("PATCH \(path)", patch + ["Upload-Offset: 3"], "lo").status == 204)
        }
    }

    @Test func `Uploads that have just begun stay`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        var options = UploadStoreOptions()
        (options.maximumCount, options.idleTime) = (2, 3_600)
        let store = UploadStore(uploads.path, options: options)
        try await TestReceiver.run(in: folder, store: store) { receiver in
            for _ in 1...2 { #expect(try await receiver.request("POST /", Self.tus).status == 201) }
            let names = await store.list().map { $0.name }
            let refused = try await receiver.request("POST /", Self.tus)
            #expect(refused.status == 503)
            #expect(await store.list().map { $0.name } == names)
        }
    }

    @Test func `Names of uploads that are gone are forgotten`() async {
        let unfinished = UnfinishedUploads(limit: 100)
        func note(_ name: String, of client: String) {
            unfinished.note([.location: UnfinishedUploads.path + name], of: client)
        }
        for number in 1...3 { note("a\(number)", of: "192.0.2.\(number)") }
        note("b", of: "192.0.2.1")
        await unfinished.sweep(at: .now) { ["b"] }
        #expect(unfinished.count == 4, "not a minute later")
        await unfinished.sweep(at: .now + .seconds(61)) { nil }
        #expect(unfinished.count == 4, "nothing could be listed")
        await unfinished.sweep(at: .now + .seconds(122)) {
            // Begun while the others are listed.
            note("c", of: "192.0.2.9")
            return ["b"]
        }
        #expect(unfinished.count == 2)
    }

    @Test func `One client has some of the uploads, and others have the rest`() async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        let store = UploadStore(uploads.path)
        try await TestReceiver.run(
            { options in
                options.limits.unfinishedPerClient = 2
                options.proxies = TrustedProxies([try #require(AddressBlock("127.0.0.1"))])
            }, in: folder, store: store
        ) { receiver in
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
#endif
