import Foundation
import TestSupport

/// An HTTP server for one request, on loopback: keeps every byte it gets.
final class Receiver: @unchecked Sendable {
    // SAFETY: `received` is written before the semaphore is signalled and read after it was waited for.
    private var received: [UInt8] = []
    private let listener: LoopbackListener
    private let done = DispatchSemaphore(value: 0)

    /// - Parameters:
    ///   - earlyAnswer: Answered, and the connection closed, as soon as this many bytes came; `nil` waits for the
    ///     whole request.
    ///   - length: The announced length of the answer's body; `nil` for that of `text`.
    convenience init(
        answering status: String = "200 OK", after earlyAnswer: Int? = nil, text: String = "ok", length: Int? = nil
    ) throws {
        let fields = "Content-Length: \(length ?? text.utf8.count)\r\nConnection: close"
        try self.init(raw: "HTTP/1.1 \(status)\r\n\(fields)\r\n\r\n\(text)", after: earlyAnswer)
    }

    /// - Parameter raw: All bytes of the answer.
    init(raw: String, after earlyAnswer: Int? = nil) throws {
        self.listener = try LoopbackListener()
        Thread.detachNewThread { self.serve(raw, earlyAnswer) }
    }

    var port: UInt16 { self.listener.port }

    /// Everything that came, once the connection is over.
    func request() -> (head: String, body: [UInt8]) {
        self.done.wait()
        let text = self.received
        let end = text.indices.first { text[$0...].starts(with: "\r\n\r\n".utf8) } ?? text.endIndex
        return (String(decoding: text[..<end], as: UTF8.self), Array(text[min(end + 4, text.count)...]))
    }

    private func serve(_ answer: String, _ earlyAnswer: Int?) {
        defer { self.done.signal() }
        guard let connection = self.listener.accept() else { return }
        while !self.isComplete(earlyAnswer) {
            let piece = connection.read()
            if piece.isEmpty { break }
            self.received += piece
        }
        connection.write(answer)
        connection.end()
        self.listener.stop()
    }

    private func isComplete(_ earlyAnswer: Int?) -> Bool {
        if let earlyAnswer { return self.received.count >= earlyAnswer }
        guard let end = self.received.firstRange(of: Array("\r\n\r\n".utf8)) else { return false }
        let head = String(decoding: self.received[..<end.lowerBound], as: UTF8.self).lowercased()
        let bodyCount = self.received.count - end.upperBound
        if let line = head.split(separator: "\r\n").first(where: { $0.hasPrefix("content-length:") }) {
            return bodyCount >= Int(line.drop { !$0.isNumber }) ?? 0
        }
        // The head's last line may end like a last chunk: only the body counts.
        return self.received[end.upperBound...].suffix(7).elementsEqual("\r\n0\r\n\r\n".utf8)
    }
}
