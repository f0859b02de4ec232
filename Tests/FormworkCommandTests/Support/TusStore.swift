import Foundation
import TestSupport

/// A tus server on loopback that stores files and reads no forms, like most of them.
final class TusStore: @unchecked Sendable {
    /// One upload, as it was announced and received.
    struct Upload {
        var metadata: [String: String]
        var length: Int
        var bytes: [UInt8] = []
    }

    // SAFETY: the lock guards both.
    private let lock = NSLock()
    private var kept: [Upload] = []
    private var seen: [String] = []
    private let listener: LoopbackListener
    private let options: String
    private let isBusy: Bool

    /// - Parameters:
    ///   - options: The fields of the answer to `OPTIONS`, each with its line end.
    ///   - status: The status of that answer.
    ///   - isBusy: Whether all creations are answered with 503.
    init(
        options: String = "Tus-Version: 1.0.0\r\nTus-Extension: creation\r\n", status: String = "204 No Content",
        isBusy: Bool = false
    ) throws {
        self.isBusy = isBusy
        self.options = "HTTP/1.1 \(status)\r\n\(options)"
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] connection in self?.serve(connection) }
    }

    deinit { self.listener.stop() }

    var port: UInt16 { self.listener.port }
    var url: String { "http://127.0.0.1:\(self.port)/files" }
    var uploads: [Upload] { self.lock.withLock { self.kept } }
    /// The heads of all requests.
    var heads: [String] { self.lock.withLock { self.seen } }

    private func serve(_ connection: LoopbackConnection) {
        guard let head = connection.nextHead() else { return }
        self.lock.withLock { self.seen.append(head.text + "\r\n\r\n") }
        guard let body = connection.readBody(of: head) else { return }
        connection.write(self.answer(head, body) + "\r\n\r\n")
        connection.end()
    }

    private func answer(_ head: RequestHead, _ body: [UInt8]) -> String {
        let tus = "Tus-Resumable: 1.0.0\r\nContent-Length: 0\r\nConnection: close"
        let number = Int(head.target.split(separator: "/").last ?? "") ?? -1
        return self.lock.withLock {
            switch head.method {
            case "OPTIONS": return self.options + "Content-Length: 0\r\nConnection: close"
            case "POST" where self.isBusy: return "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 20\r\n\(tus)"
            case "POST":
                var metadata: [String: String] = [:]
                for entry in (head["Upload-Metadata"] ?? "").split(separator: ",") {
                    let words = entry.split(separator: " ")
                    let value = words.count == 2 ? Data(base64Encoded: String(words[1])) ?? Data() : Data()
                    metadata[String(words[0])] = String(decoding: value, as: UTF8.self)
                }
                self.kept.append(Upload(metadata: metadata, length: Int(head["Upload-Length"] ?? "") ?? -1))
                return "HTTP/1.1 201 Created\r\nLocation: /files/\(self.kept.count - 1)\r\n\(tus)"
            case "HEAD" where self.kept.indices.contains(number):
                let upload = self.kept[number]
                return
                    "HTTP/1.1 200 OK\r\nUpload-Offset: \(upload.bytes.count)\r\nUpload-Length: \(upload.length)\r\n\(tus)"
            case "PATCH" where self.kept.indices.contains(number):
                self.kept[number].bytes += body
                return "HTTP/1.1 204 No Content\r\nUpload-Offset: \(self.kept[number].bytes.count)\r\n\(tus)"
            default: return "HTTP/1.1 404 Not Found\r\n\(tus)"
            }
        }
    }
}
