import Foundation
import FormworkResumable
import NIOCore
import NIOEmbedded
import ServiceLifecycle
import TestSupport
import Testing

@testable import FormworkReceiver

/// Cases only HTTP/2 has: streams that end with their connection, and connections without streams.
@Suite(.timeLimit(.minutes(10)))
struct HTTP2Tests {
    @Test func `A file comes by HTTP/2, without a length`() async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/a") + HTTP2Bytes.data("hello", ends: true))
            #expect(try await receiver.eventually { receiver.folder.names == ["a"] })
            #expect(try receiver.folder.text(of: "a") == "hello")
            try peer.finish()
        }
    }

    /// With the 65,535 bytes of RFC 9113 section 6.9.2 an upload gets that much through in one round trip.
    @Test func `A stream's window is 1 MiB, and the connection's 4 MiB`() async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/a") + HTTP2Bytes.data("hello"))
            // The connection's grows by what is missing at its first bytes: 4,194,304 - 65,530. The stream's grows when its
            // body is read, before or after its first bytes arrive: 1,048,576 - 65,535, or 5 more.
            let update: [UInt8] = [8, 0, 0, 0, 0, 0, 0, 0x3F, 0, 6]
            let room: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 1, 0, 0x0F, 0]
            #expect(
                try await receiver.eventually {
                    let bytes = Array(peer.output.utf8)
                    return bytes.firstRange(of: room) != nil && bytes.firstRange(of: update) != nil
                })
            try peer.finish()
        }
    }

    enum Cut: Sendable { case politely, atOnce, reset }

    @Test(arguments: [Cut.politely, .atOnce, .reset])
    func `A file that is cut is not stored, and why is logged in words`(cut: Cut) async throws {
        let folder = TemporaryFolder()
        let storage = WatchedStorage(base: try FolderStorage(folder.path))
        try await TestReceiver.run({ try $0.useTLS() }, in: folder, storage: storage) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/a") + HTTP2Bytes.data("hello"))
            #expect(try await receiver.eventually { storage.written.value == 5 })
            switch cut {
            case .politely: try peer.finish()
            case .atOnce: peer.cut()
            case .reset: try peer.send(HTTP2Bytes.reset(8))
            }
            #expect(try await receiver.eventually { receiver.log.all.contains { $0.contains("status=") } })
            #expect(receiver.log.all.contains { $0.contains("client went away") && $0.contains("status=400") })
            let isReset = receiver.log.all.contains { $0.contains("reason=the client reset the stream: CANCEL") }
            #expect(isReset == (cut == .reset), "\(receiver.log.all)")
            #expect(!receiver.log.all.contains { $0.contains("status=201") })
            #expect(folder.names == [])
        }
    }

    @Test func `An upload that can be resumed isn't whole when it is cut`() async throws {
        try await TestReceiver.resuming({ try $0.useTLS() }) { receiver, store in
            let peer = try SecurePeer(port: receiver.port)
            let fields = [("upload-draft-interop-version", "8"), ("upload-complete", "?1")]
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/a", fields) + HTTP2Bytes.data("hello"))
            #expect(try await receiver.eventually { await store.list().last?.offset == 5 })
            try peer.finish()
            #expect(try await receiver.eventually { !peer.isOpen })
            try await Task.sleep(for: .milliseconds(300))
            #expect(await store.list().map(\.isFinished) == [false])
            #expect(receiver.folder.names == [])
        }
    }

    /// RFC 9113 section 8.1. A stream that is reset with another code has failed for its client, whatever was answered.
    @Test(arguments: [
        // The service answers, or the check of the head does.
        ("/a", [("content-length", "99999999")] as [(String, String)]), ("/a", [("host", "other.example")]),
        ("/.uploads/none", []),
    ])
    func `A refused sender that sends on is told to stop, without an error`(
        path: String, fields: [(String, String)]
    ) async throws {
        try await TestReceiver.run { options in
            options.limits.bodyBytes = 1000
            try options.useTLS()
        } _: { receiver in
            let peer = try SecurePeer(port: receiver.port)
            let piece = HTTP2Bytes.data(String(repeating: "x", count: 16_384))
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", path, fields) + piece)
            #expect(try await receiver.eventually { Array(peer.output.utf8).count > 100 })
            #expect(Array(peer.output.utf8).firstRange(of: HTTP2Bytes.reset(0)) == nil)
            // Another request comes in between, on the same connection.
            try peer.send(HTTP2Bytes.head("PUT", "/b", stream: 3))
            for _ in 0..<64 { try peer.send(piece) }
            #expect(
                try await receiver.eventually { Array(peer.output.utf8).firstRange(of: HTTP2Bytes.reset(0)) != nil })
            // What was under way is ignored.
            for _ in 0..<16 { try peer.send(piece) }
            try peer.send(HTTP2Bytes.data("hello", ends: true, stream: 3))
            #expect(try await receiver.eventually { receiver.folder.names == ["b"] })
            #expect(Array(peer.output.utf8).firstRange(of: HTTP2Bytes.reset(8)) == nil)
            #expect(peer.isOpen)
            try peer.finish()
        }
    }

    @Test func `A body that isn't as long as announced ends its stream, and no other`() async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/b", stream: 1))
            try peer.send(HTTP2Bytes.head("PUT", "/a", [("content-length", "5")], stream: 3))
            try peer.send(HTTP2Bytes.data("hel", ends: true, stream: 3))
            // PROTOCOL_ERROR
            let reset = HTTP2Bytes.reset(1, stream: 3)
            #expect(try await receiver.eventually { Array(peer.output.utf8).firstRange(of: reset) != nil })
            try peer.send(HTTP2Bytes.data("hello", ends: true, stream: 1))
            #expect(try await receiver.eventually { receiver.folder.names == ["b"] })
            #expect(peer.isOpen)
            try peer.finish()
        }
    }

    private var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        let words = text.split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4_096 : 0
    }

    @Test func `Frames of unknown types don't fill the memory, and the connection works`() async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + [0, 0x10, 0, 0x77, 0, 0, 0, 0, 0])
            let before = self.residentBytes
            // Each write ends within a frame: the rest of one, 63 frames, and the head of the next.
            let frame: [UInt8] = Array(repeating: 0, count: 0x1000) + [0, 0x10, 0, 0x77, 0, 0, 0, 0, 0]
            let piece = Array(repeatElement(frame, count: 64).joined())
            for _ in 0..<256 { try peer.send(piece) }
            try peer.send(Array(repeating: 0, count: 0x1000))
            try peer.send(HTTP2Bytes.head("PUT", "/a") + HTTP2Bytes.data("hello", ends: true))
            #expect(try await receiver.eventually { receiver.folder.names == ["a"] })
            // 64 MiB were sent.
            #expect(self.residentBytes - before < 24 << 20)
            try peer.finish()
        }
    }

    /// The window of 1 MiB comes when the upload is read.
    @Test func `A stream whose upload waits for memory has a window of 64 KiB`() async throws {
        let memory = ReceiverMemory(limit: ReceiverMemory.readBytes)
        let lease = await memory.admit()
        try await TestReceiver.run({
            try $0.useTLS()
            $0.memory = memory
        }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface + HTTP2Bytes.head("PUT", "/a"))
            for _ in 0..<4 { try peer.send(HTTP2Bytes.data(String(repeating: "x", count: 16_383))) }
            try await Task.sleep(for: .milliseconds(300))
            // WINDOW_UPDATE of stream 1.
            let update: [UInt8] = [0, 0, 4, 8, 0, 0, 0, 0, 1]
            #expect(Array(peer.output.utf8).firstRange(of: update) == nil)
            withExtendedLifetime(lease) {}
        }
    }

    /// The same size as with HTTP/1.1, which refuses more than 80 KiB.
    @Test func `A head of 70 KiB is accepted, and one of 90 KiB is answered 431`() async throws {
        // A field of 1 KiB that is put into the dynamic table, and then named by its index there: 62.
        let field: [UInt8] = [0x40, 1, 0x78, 0x7F, 0x80, 0x07] + Array(repeating: 0x61, count: 1_023)
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(HTTP2Bytes.preface)
            let long = field + Array(repeating: 0xBE, count: 89)
            try peer.send(HTTP2Bytes.head("PUT", "/a", block: long) + HTTP2Bytes.data("hello", ends: true))
            #expect(
                try await receiver.eventually {
                    receiver.log.all.contains { $0.hasPrefix("refused ") && $0.contains("status=431") }
                })
            #expect(try await receiver.eventually { peer.output.contains("The head is too long.") })
            let short = Array(repeating: UInt8(0xBE), count: 70)
            try peer.send(HTTP2Bytes.acknowledgement + HTTP2Bytes.acknowledgement)
            try peer.send(
                HTTP2Bytes.head("PUT", "/b", block: short, stream: 3) + HTTP2Bytes.data("hello", ends: true, stream: 3))
            #expect(try await receiver.eventually { receiver.folder.names == ["b"] })
            #expect(peer.isOpen)
            try peer.finish()
        }
    }

    @Test(arguments: [["-T", "large"], ["-F", "f=@large"]])
    func `curl has the answer to an upload that is refused early, and uses the connection again`(
        words: [String]
    ) async throws {
        try await TestReceiver.run { options in
            options.limits.bodyBytes = 1000
            try options.useTLS()
        } _: { receiver in
            let folder = TemporaryFolder()
            try folder.file("large", String(repeating: "x", count: 12_000_000))
            try folder.file("small", "hello")
            let url = "https://localhost:\(receiver.port)/"
            let each = [
                "-sS", "-k", "--http2", "-H", "Expect:", "-o", "/dev/null", "-w", "%{http_code} %{num_connects} ",
            ]
            let first = each + words + [url + (words[0] == "-T" ? "a" : "")]
            let curl = Process()
            curl.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            let requests: [[String]] = [first, first, each + ["-T", "small", url + "b"]]
            curl.arguments = ["curl"] + requests.joined(separator: ["--next"])
            curl.currentDirectoryURL = URL(fileURLWithPath: folder.path.string)
            let (output, errors) = (Pipe(), Pipe())
            (curl.standardOutput, curl.standardError) = (output, errors)
            try curl.run()
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            let problems = String(decoding: try errors.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            curl.waitUntilExit()
            #expect(text == "413 1 413 0 201 0 " && problems == "", "\(text) \(problems)")
            #expect(curl.terminationStatus == 0)
            #expect(receiver.folder.names == ["b"])
        }
    }

    @Test func `A connection that never negotiates is closed`() async throws {
        try await TestReceiver.run({ options in
            options.pace.idleTime = .milliseconds(300)
            try options.useTLS()
        }) { receiver in
            let connection = try receiver.connect()
            #expect(try await receiver.eventually { await connection.receiveAvailable() == nil })
        }
    }

    @Test func `A connection that never negotiates doesn't keep the receiver from stopping`() async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            let connection = try receiver.connect()
            // The receiver has accepted that one once it has answered this one.
            let other = try SecurePeer(port: receiver.port, offering: "http/1.1")
            try other.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            #expect(try await receiver.eventually { other.output.hasPrefix("HTTP/1.1 200 ") })
            await receiver.group.triggerGracefulShutdown()
            #expect(try await receiver.eventually { receiver.hasEnded.value })
            await connection.cut()
        }
    }

    @Test(arguments: ["", "PRI * HTTP/2.0\r\n", String(decoding: HTTP2Bytes.preface, as: UTF8.self)])
    func `A connection without a stream is closed, whether it answers pings or not`(sent: String) async throws {
        try await TestReceiver.run({ options in
            options.pace.idleTime = .milliseconds(300)
            try options.useTLS()
        }) { receiver in
            let peer = try SecurePeer(port: receiver.port)
            try peer.send(sent)
            #expect(try await receiver.eventually { !peer.isOpen })
        }
    }

    @Test func `TLS before 1.2 isn't spoken`() async throws {
        try await TestReceiver.run({ try $0.useTLS() }) { receiver in
            for (version, isSpoken) in [("-tls1_1", false), ("-tls1_2", true), ("-tls1_3", true)] {
                let peer = try SecurePeer(
                    port: receiver.port, offering: "http/1.1", [version, "-cipher", "ALL:@SECLEVEL=0"])
                if isSpoken { try peer.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n") }
                #expect(try await receiver.eventually { !peer.isOpen })
                #expect(peer.output.hasPrefix("HTTP/1.1 200 ") == isSpoken)
            }
        }
    }
}
