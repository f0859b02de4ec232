import Foundation
import FormworkFoundation
import FormworkMigration
import Glibc
import Synchronization
import TestSupport

/// An HTTP/1.1 server on the loopback that keeps what it was sent, byte for byte, and answers by script.
final class UploadServer: Sendable {
    /// What becomes of a request.
    enum Answer: Sendable {
        /// Read it whole, then answer. Pauses between reads, in microseconds, make it a slow reader.
        case status(Int, _ fields: [String] = [], pause: UInt32 = 0)
        /// Answer without having read the body, and close.
        case early(Int, _ fields: [String] = [])
        /// Answer behind the form's last boundary, though its last chunk is still to come, and close.
        case behindForm(Int, _ fields: [String] = [])
        /// Close after this many bytes of the body; -1 means at once and unread, 0 behind the header section.
        case cut(after: Int)
    }

    /// A request as it came.
    struct Request: Sendable {
        /// The header section with its last CRLF.
        var head: String
        /// The body without its chunks' framing, as far as it was read; empty where bodies are only counted.
        var body: [UInt8] = []
        var count = 0
        var isWhole = false

        var line: String { String(self.head.prefix { $0 != "\r\n" }) }
        /// The form's close delimiter.
        var lastBoundary: [UInt8] {
            let type = self.fields("Content-Type").first ?? ""
            return Array("--\(type.split(separator: "boundary=").last ?? "")--\r\n".utf8)
        }

        /// The values of every field with this name.
        func fields(_ name: String) -> [String] {
            self.head.split(separator: "\r\n").dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":"), line[..<colon].lowercased() == name.lowercased() else {
                    return nil
                }
                return line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
    }

    private struct State {
        var requests: [Request] = []
        var answers: [String: [Answer]]
    }

    private let listener: LoopbackListener
    private let keepsBodies: Bool
    private let state: Mutex<State>

    /// - Parameter answers: By path, one request after the other; the last one stays.
    init(_ answers: [String: [Answer]], keepsBodies: Bool = true) throws {
        signal(SIGPIPE, SIG_IGN)
        self.keepsBodies = keepsBodies
        self.state = Mutex(State(answers: answers))
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] connection in
            Thread.detachNewThread { [weak self] in
                // A test that went wrong must not leave a thread waiting for ever.
                var patience = timeval(tv_sec: 300, tv_usec: 0)
                setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
                self?.serve(connection)
                close(connection)
            }
        }
    }

    deinit { self.listener.stop() }

    var port: UInt16 { self.listener.port }
    var requests: [Request] { self.state.withLock { $0.requests } }

    func url(_ path: String, host: String = "127.0.0.1") -> URL { URL(string: "http://\(host):\(self.port)\(path)")! }

    private func serve(_ connection: CInt) {
        var input = Input(connection, keepsBodies: self.keepsBodies)
        while let head = input.readHead() {
            var request = Request(head: head)
            let path = String(request.line.split(separator: " ")[1])
            let answer = self.state.withLock { state -> Answer in
                guard let first = state.answers[path]?.first else { return .status(404) }
                if state.answers[path]!.count > 1 { state.answers[path]!.removeFirst() }
                return first
            }
            var limit = Int.max
            switch answer {
            case .status(_, _, let pause): input.pause = pause
            case .early: limit = 0
            case .behindForm: input.end = request.lastBoundary
            case .cut(let count): limit = count
            }
            if limit > 0 { input.readBody(of: &request, limit) }
            let done = request
            self.state.withLock { $0.requests.append(done) }
            switch answer {
            case .status(let status, let fields, _):
                guard request.isWhole else { return }
                Self.answer(connection, status, fields)
            case .early(let status, let fields), .behindForm(let status, let fields):
                Self.answer(connection, status, fields + ["Connection: close"])
                // Nothing more is sent, and what still comes is left to the kernel, as servers do it.
                shutdown(connection, CInt(SHUT_WR))
                usleep(100_000)
                return
            case .cut: return
            }
        }
    }

    private static func answer(_ connection: CInt, _ status: Int, _ fields: [String]) {
        let body = "answer \(status)"
        let lines = ["HTTP/1.1 \(status) Said", "Content-Length: \(body.utf8.count)"] + fields
        let text = Array((lines.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
        _ = text.withUnsafeBytes { write(connection, $0.baseAddress, $0.count) }
    }
}

/// A connection's bytes, with what was read too much kept.
private struct Input {
    let connection: CInt
    let keepsBodies: Bool
    var pause: UInt32 = 0
    /// Where a body in chunks is not read further, though its last chunk is still to come; `nil` to read all.
    var end: [UInt8]?
    private var buffer: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 256 << 10)

    init(_ connection: CInt, keepsBodies: Bool) { (self.connection, self.keepsBodies) = (connection, keepsBodies) }

    private mutating func more() -> Bool {
        if self.pause > 0 { usleep(self.pause) }
        let count = self.room.withUnsafeMutableBytes { read(self.connection, $0.baseAddress, $0.count) }
        guard count > 0 else { return false }
        self.buffer += self.room[..<count]
        return true
    }

    /// Up to and with `end`.
    private mutating func take(through end: [UInt8]) -> [UInt8]? {
        while true {
            if let range = self.buffer.firstRange(of: end) {
                defer { self.buffer.removeSubrange(..<range.upperBound) }
                return Array(self.buffer[..<range.upperBound])
            }
            guard self.more() else { return nil }
        }
    }

    mutating func readHead() -> String? {
        self.pause = 0
        return self.take(through: Array("\r\n\r\n".utf8)).map { String(decoding: $0.dropLast(2), as: UTF8.self) }
    }

    mutating func readBody(of request: inout UploadServer.Request, _ limit: Int) {
        if request.fields("Transfer-Encoding") == ["chunked"] {
            while let line = self.take(through: [13, 10]),
                let size = Int(String(decoding: line.dropLast(2), as: UTF8.self), radix: 16)
            {
                if size == 0 {
                    request.isWhole = self.take(through: [13, 10]) != nil
                    return
                }
                guard self.take(size, into: &request, limit), self.take(through: [13, 10]) != nil else { return }
                if let end = self.end, request.body.suffix(end.count) == end[...] { return }
            }
        } else {
            let size = request.fields("Content-Length").first.flatMap { Int($0) } ?? 0
            request.isWhole = self.take(size, into: &request, limit)
        }
    }

    private mutating func take(_ size: Int, into request: inout UploadServer.Request, _ limit: Int) -> Bool {
        var rest = size
        while rest > 0, request.count < limit {
            if self.buffer.isEmpty, !self.more() { return false }
            let count = min(rest, self.buffer.count, limit - request.count)
            if self.keepsBodies { request.body += self.buffer[..<count] }
            request.count += count
            rest -= count
            self.buffer.removeSubrange(..<count)
        }
        return rest == 0
    }
}
