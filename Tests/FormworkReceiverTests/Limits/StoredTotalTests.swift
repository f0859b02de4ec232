import FormworkResumable
import Foundation
import TestSupport
import Testing

@testable import FormworkReceiver

/// The limit of all bytes that are stored.
@Suite(.timeLimit(.minutes(10)))
struct StoredTotalTests {
    private static let tus = "Tus-Resumable: 1.0.0"
    private static let octets = "Content-Type: application/offset+octet-stream"

    private static func limit(_ options: inout ReceiverOptions, _ count: Int) throws {
        try FormLimit.read("total=\(count)").apply(to: &options.limits)
    }

    @Test func `More than the total is refused at every door`() async throws {
        try await TestReceiver.resuming({ try Self.limit(&$0, 10) }) { receiver, store in
            #expect(try await receiver.request("PUT /a", [], "1234567").status == 201)
            let refused = try await receiver.request("PUT /b", [], "1234")
            #expect(refused.status == 507, "\(refused)")
            let chunked = ["Transfer-Encoding: chunked"]
            #expect(try await receiver.request("PUT /b", chunked, "4\r\n1234\r\n0\r\n\r\n").status == 507)
            let type = ["Content-Type: multipart/form-data; boundary=b"]
            let form = formBody([("f;b", "12"), ("g;c", "34")])
            #expect(try await receiver.request("POST /", type, form).status == 507)
            #expect(try await receiver.request("POST /", [Self.tus, "Upload-Length: 4"]).status == 507)
            #expect(await store.list().isEmpty)
            // Framing doesn't count.
            #expect(try await receiver.request("POST /", type, formBody([("f;b", "12")])).status == 201)
            #expect(try await receiver.request("PUT /c", [], "1").status == 201)
            #expect(try await receiver.request("PUT /d", [], "1").status == 507)
            #expect(try await receiver.request("PUT /d", [], "").status == 201)
            #expect(receiver.folder.names == ["a", "b", "c", "d"])
        }
    }

    @Test func `What is there at the start counts, and what is removed doesn't`() async throws {
        let folder = TemporaryFolder()
        let inner = folder.path.appending("in").appending("deep")
        try FileManager.default.createDirectory(atPath: inner.string, withIntermediateDirectories: true)
        for (path, count) in [(inner, 5), (folder.path, 3)] {
            try Data(count: count).write(to: URL(filePath: path.appending("old").string))
        }
        // Neither hidden files nor what a link leads to are uploads.
        try Data(count: 100).write(to: URL(filePath: folder.path.appending(".hidden").string))
        try FileManager.default.createSymbolicLink(
            atPath: folder.path.appending("link").string, withDestinationPath: "/usr")
        try await TestReceiver.run({ try Self.limit(&$0, 10) }, in: folder) { receiver in
            #expect(try await receiver.request("PUT /a", [], "123").status == 507)
            #expect(try await receiver.request("PUT /a", [], "12").status == 201)
            #expect(try await receiver.request("PUT /b", [], "1").status == 507)
            try FileManager.default.removeItem(atPath: inner.string)
            #expect(try await receiver.eventually { try await receiver.request("PUT /b", [], "12345").status == 201 })
        }
    }

    @Test func `An upload that fails gives its bytes back`() async throws {
        try await TestReceiver.run({ try Self.limit(&$0, 10) }) { receiver in
            for _ in 0..<5 {
                let chunks = "8\r\n12345678\r\n8\r\n12345678\r\n0\r\n\r\n"
                let status = try await receiver.status("PUT /a", ["Transfer-Encoding: chunked"], chunks)
                #expect(status == 507)
            }
            #expect(try await receiver.request("PUT /a", [], "1234567890").status == 201)
        }
    }

    @Test func `A complete upload for which there is no room is kept until there is`() async throws {
        try await TestReceiver.resuming({ try Self.limit(&$0, 10) }) { receiver, _ in
            let fields = [Self.tus, "Upload-Length: 8", "Upload-Metadata: filename YQ=="]
            let path = try await receiver.begin("POST /", fields)
            #expect(try await receiver.request("PUT /b", [], "123").status == 201)
            let append = [Self.tus, Self.octets, "Upload-Offset: 0"]
            #expect(try await receiver.request("PATCH \(path)", append, "12345678").status == 507)
            try FileManager.default.removeItem(atPath: receiver.folder.path.appending("b").string)
            #expect(
                try await receiver.eventually {
                    let offset = try await receiver.request("HEAD \(path)", [Self.tus]).field("Upload-Offset") ?? ""
                    let append = [Self.tus, Self.octets, "Upload-Offset: \(offset)"]
                    let rest = "12345678".dropFirst(Int(offset) ?? 0)
                    return try await receiver.request("PATCH \(path)", append, String(rest)).status == 204
                })
            #expect(try receiver.folder.text(of: "a") == "12345678")
        }
    }

    @Test func `The objects below the prefix count`() async throws {
        let store = try FakeStore()
        try await BucketUploadsTests.with(store) { storages in
            _ = try await storages[0].client.put([UInt8](repeating: 1, count: 4), key: "in/old", if: .isNew)
            _ = try await storages[0].client.put([UInt8](repeating: 1, count: 40), key: "in/.formwork-x/y", if: .isNew)
            _ = try await storages[0].client.put([UInt8](repeating: 1, count: 40), key: "other", if: .isNew)
            try await TestReceiver.run({ try Self.limit(&$0, 10) }, storage: storages[0]) { receiver in
                let status = try await receiver.status("PUT /a", [], "1234567")
                #expect(status == 507)
                #expect(try await receiver.request("PUT /a", [], "123456").status == 201)
                #expect(try await receiver.request("PUT /b", [], "1").status == 507)
            }
        }
    }
}
