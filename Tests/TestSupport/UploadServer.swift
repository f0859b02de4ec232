import Foundation
import Glibc
import Synchronization

/// An HTTP/1.1 server on the loopback that keeps what it was sent, byte for byte, and answers by script.
package final class UploadServer: Sendable {
    /// What becomes of a request.
    package enum Answer: Sendable {
        /// Read it whole, then answer. Pauses between reads, in microseconds, make it a slow reader.
        case status(Int, _ fields: [String] = [], pause: UInt32 = 0)
        /// Answer without having read the body, and close.
        case early(Int, _ fields: [String] = [])
        /// Answer behind the form's last boundary, though its last chunk is still to come, and close.
        case behindForm(Int, _ fields: [String] = [])
        /// Close after this many bytes of the body; -1 means at once and unread, 0 behind the header section.
        case cut(after: Int)

        /// Read the header section and no more.
        package static var stall: Self { .status(200, pause: 600_000_000) }
    }

    /// A request as it came.
    @dynamicMemberLookup
    package struct Request: Sendable {
        package var head: RequestHead
        /// The body without its chunks' framing, as far as it was read; empty where bodies are only counted.
        package var body: [UInt8] = []
        package var count = 0
        package var isWhole = false

        package subscript<Value>(dynamicMember member: KeyPath<RequestHead, Value>) -> Value {
            self.head[keyPath: member]
        }

        package func fields(_ name: String) -> [String] { self.head.fields(name) }

        /// The form's close delimiter.
        fileprivate var lastBoundary: [UInt8] {
            Array("--\(self.head["Content-Type"]?.split(separator: "boundary=").last ?? "")--\r\n".utf8)
        }
    }

    private struct State {
        var requests: [Request] = []
        var answers: [String: [Answer]]
    }

    /// What is done with each piece of a body, of which `count` bytes came before.
    package typealias Keeping = @Sendable (inout Request, ArraySlice<UInt8>) -> Void

    private let listener: LoopbackListener
    private let keep: Keeping
    private let state: Mutex<State>

    /// - Parameter answers: By path, one request after the other; the last one stays.
    package init(_ answers: [String: [Answer]], keeping keep: @escaping Keeping = { $0.body += $1 }) throws {
        signal(SIGPIPE, SIG_IGN)
        self.keep = keep
        self.state = Mutex(State(answers: answers))
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [weak self] connection in self?.serve(connection) }
    }

    package convenience init(counting answers: [String: [Answer]]) throws {
        try self.init(answers, keeping: { _, _ in })
    }

    deinit { self.listener.stop() }

    package var port: UInt16 { self.listener.port }
    /// In the order in which they began.
    package var requests: [Request] { self.state.withLock { $0.requests } }

    package func address(_ path: String = "/") -> String { "http://127.0.0.1:\(self.port)\(path)" }

    package func url(_ path: String, host: String = "127.0.0.1") -> URL {
        URL(string: "http://\(host):\(self.port)\(path)")!
    }

    private func serve(_ connection: LoopbackConnection) {
        // Small, so that what is on its way is seen to be little.
        var size: CInt = 256 << 10
        setsockopt(connection.descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<CInt>.size))
        while let head = connection.nextHead() {
            var request = Request(head: head)
            let (answer, number) = self.state.withLock { state -> (Answer, Int) in
                state.requests.append(request)
                let number = state.requests.count - 1
                guard let first = state.answers[head.target]?.first else { return (.status(404), number) }
                if state.answers[head.target]!.count > 1 { state.answers[head.target]!.removeFirst() }
                return (first, number)
            }
            var (limit, end) = (Int.max, [UInt8]?.none)
            switch answer {
            case .status(_, _, let pause): connection.pause = pause
            case .early: limit = 0
            case .behindForm: end = request.lastBoundary
            case .cut(let count): limit = count
            }
            if limit > 0 {
                request.isWhole = connection.readBody(of: head) { piece in
                    let piece = piece.prefix(limit - request.count)
                    self.keep(&request, piece)
                    request.count += piece.count
                    // Copying the body for each piece would take for ever.
                    self.state.withLock { $0.requests[number].count = request.count }
                    return request.count < limit
                        && (end.map { !request.body.suffix($0.count).elementsEqual($0) } ?? true)
                }
            }
            connection.pause = 0
            let done = request
            self.state.withLock { $0.requests[number] = done }
            switch answer {
            case .status(let status, let fields, _):
                guard request.isWhole else { return }
                Self.answer(connection, status, fields)
            case .early(let status, let fields), .behindForm(let status, let fields):
                Self.answer(connection, status, fields + ["Connection: close"])
                // Nothing more is sent, and what still comes is left to the kernel, as servers do it.
                connection.finish()
                usleep(300_000)
                return
            case .cut: return
            }
        }
    }

    private static func answer(_ connection: LoopbackConnection, _ status: Int, _ fields: [String]) {
        let body = "answer \(status)"
        let lines = ["HTTP/1.1 \(status) Said", "Content-Length: \(body.utf8.count)"] + fields
        connection.write(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
    }
}
