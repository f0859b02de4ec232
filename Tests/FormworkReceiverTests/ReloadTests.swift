@testable import FormworkReceiver
import Logging
import ServiceLifecycle
import Synchronization
import TestSupport
import Testing

/// A token and a certificate that change while the receiver runs.
@Suite(.timeLimit(.minutes(10)))
struct ReloadTests {
    @Test func `An upload in progress continues with its old token`() async throws {
        try await TestReceiver.run({ $0.token = try AccessToken("old") }) { receiver in
            let connection = try receiver.connect()
            await connection.send(
                "PUT /a HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer old\r\nContent-Length: 2\r\n\r\n1")
            #expect(
                try await receiver.eventually {
                    try await receiver.request("GET /files.json", ["Authorization: Bearer old"]).body.contains(
                        "receiving")
                })
            try receiver.service.reload(nil, token: AccessToken("new"))
            #expect(try await receiver.request("PUT /b", ["Authorization: Bearer old"], "1").status == 401)
            #expect(try await receiver.request("PUT /b", ["Authorization: Bearer new"], "1").status == 201)
            await connection.send("2")
            #expect(await connection.receive(until: "}]}").hasPrefix("HTTP/1.1 201 "))
            #expect(receiver.folder.names == ["a", "b"])
        }
    }

    @Test func `New connections get the new certificate, and open ones stay`() async throws {
        let folder = TemporaryFolder()
        let storage = WatchedStorage(base: try FolderStorage(folder.path))
        try await TestReceiver.run({ try $0.useTLS() }, in: folder, storage: storage) { receiver in
            let old = try SecurePeer(port: receiver.port)
            try old.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/a") + HTTP2Bytes.data("hel"))
            #expect(try await receiver.eventually { storage.written.value == 3 })
            var options = ReceiverOptions()
            try options.useTLS()
            try receiver.service.reload(options.address.tls, token: nil)
            try old.send(HTTP2Bytes.data("lo", ends: true))
            #expect(try await receiver.eventually { receiver.folder.names == ["a"] })
            let new = try SecurePeer(port: receiver.port)
            try new.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/b") + HTTP2Bytes.data("hello", ends: true))
            #expect(try await receiver.eventually { receiver.folder.names == ["a", "b"] })
            try old.finish()
            try new.finish()
        }
    }
}
