import Foundation
@testable import FormworkReceiver
import SystemPackage
import TestSupport

/// TLS by `openssl s_client`, and nothing on top: a test writes each byte of HTTP itself.
final class SecurePeer {
    private let process = Process()
    private let input = Pipe()
    private let folder = TemporaryFolder()

    /// - Parameter words: More of the command's words.
    init(port: Int, offering alpn: String = "h2", _ words: [String] = []) throws {
        try self.folder.file("output", "")
        self.process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        self.process.arguments =
            ["openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-alpn", alpn, "-quiet", "-no_ign_eof"] + words
        self.process.standardInput = self.input
        self.process.standardOutput = FileHandle(forWritingAtPath: self.folder.path.appending("output").string)
        self.process.standardError = FileHandle.nullDevice
        try self.process.run()
    }

    deinit { self.cut() }

    /// Whether the connection is open.
    var isOpen: Bool { self.process.isRunning }
    /// 0 if the handshake succeeded; read after the connection has closed.
    var status: Int32 { self.process.terminationStatus }
    /// The bytes received.
    var output: String { (try? self.folder.text(of: "output")) ?? "" }

    func send(_ bytes: [UInt8]) throws { try self.input.fileHandleForWriting.write(contentsOf: Data(bytes)) }
    func send(_ text: String) throws { try self.send(Array(text.utf8)) }

    /// Says goodbye: `close_notify`, and then FIN.
    func finish() throws { try self.input.fileHandleForWriting.close() }
    /// FIN alone.
    func cut() {
        // Not SIGTERM: a thread of the tests may have it blocked, and a child inherits that.
        if self.process.isRunning { kill(self.process.processIdentifier, SIGKILL) }
    }
}

extension ReceiverOptions {
    /// TLS with a certificate of its own for localhost, `cert.pem` in the folder.
    mutating func useTLS(_ folder: TemporaryFolder = TemporaryFolder()) throws {
        let (key, certificate) = (folder.path.appending("key.pem"), folder.path.appending("cert.pem"))
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments =
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost"
            .split(separator: " ").map(String.init) + ["-keyout", key.string, "-out", certificate.string]
        process.standardError = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        self.address.tls = try withExtendedLifetime(folder) {
            try ReceiverOptions.tls(certificates: certificate, key: key)
        }
    }
}

/// HTTP/2 as it is on the wire (RFC 9113, RFC 7541).
enum HTTP2Bytes {
    /// The client's preface, and empty settings.
    static let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8) + Self.frame(4, 0, stream: 0, [])
    /// The client has applied the server's settings.
    static let acknowledgement = Self.frame(4, 1, stream: 0, [])

    /// A head without its end.
    static func head(
        _ method: String, _ path: String, _ fields: [(String, String)] = [], block more: [UInt8] = [], stream: UInt8 = 1
    ) -> [UInt8] {
        // Literals without indexing; names 1, 2 and 4 of the static table, and 7, which is `:scheme: https`.
        var block: [UInt8] = [0x87, 0x02] + Self.text(method) + [0x04] + Self.text(path)
        block += [0x01] + Self.text("localhost")
        for (name, value) in fields { block += [0x00] + Self.text(name) + Self.text(value) }
        return Self.frame(1, 0x4, stream: stream, block + more)
    }

    static func data(_ text: String, ends: Bool = false, stream: UInt8 = 1) -> [UInt8] {
        Self.frame(0, ends ? 0x1 : 0, stream: stream, Array(text.utf8))
    }

    /// The server's frame that ends a stream.
    static func reset(_ code: UInt8, stream: UInt8 = 1) -> [UInt8] {
        Self.frame(3, 0, stream: stream, [0, 0, 0, code])
    }

    private static func frame(_ type: UInt8, _ flags: UInt8, stream: UInt8, _ payload: [UInt8]) -> [UInt8] {
        [0, UInt8(payload.count >> 8), UInt8(payload.count & 0xFF), type, flags, 0, 0, 0, stream] + payload
    }

    private static func text(_ text: String) -> [UInt8] { [UInt8(text.utf8.count)] + Array(text.utf8) }
}
