import Formwork

/// HTTP/1.1 on one connection, one request after another, used by one thread.
struct LoopbackConnection: ~Copyable {
    private static let headLimit = 64 << 10
    private static let lineLimit = 8 << 10

    private let socket: LoopbackSocket
    private var buffer = [UInt8](repeating: 0, count: 256 << 10)
    /// The bytes that were received and not used.
    private var filled = 0..<0

    init(_ socket: consuming LoopbackSocket) { self.socket = socket }

    /// Receives more bytes after the unused ones.
    /// - Returns: Whether there were more.
    private mutating func receive() throws(ConnectionEnd) -> Bool {
        if self.filled.isEmpty {
            self.filled = 0..<0
        } else if self.filled.upperBound == self.buffer.count {
            let rest = Array(self.buffer[self.filled])
            self.buffer.replaceSubrange(0..<rest.count, with: rest)
            self.filled = 0..<rest.count
        }
        let count = try self.socket.receive(into: &self.buffer, from: self.filled.upperBound)
        self.filled = self.filled.lowerBound..<self.filled.upperBound + count
        return count > 0
    }

    /// The next request's head; `nil` if the client has closed the connection after the previous request.
    mutating func head() throws -> RequestHead? {
        var searched = 0
        while true {
            // A client may send an extra line end after a body (RFC 9112 §2.2).
            while searched == 0, let first = self.buffer[self.filled].first, first == 0x0D || first == 0x0A {
                self.filled.removeFirst()
            }
            let bytes = self.buffer[self.filled]
            if let end = MessageHead.end(in: bytes, from: bytes.startIndex + searched) {
                let section = bytes[..<end.lowerBound]
                self.filled = end.upperBound..<self.filled.upperBound
                return try RequestHead(MessageHead(section))
            }
            searched = max(0, bytes.count - 3)
            guard bytes.count < Self.headLimit else {
                throw FormworkError(
                    .malformedBody, "a request's header fields have more than \(Self.headLimit, "byte")")
            }
            if try !self.receive() {
                if self.filled.isEmpty { return nil }
                throw ConnectionEnd.peer
            }
        }
    }

    /// Reads a body of this framing, at most `limit` bytes of it.
    /// - Parameter take: Called with the bytes, piece by piece.
    /// - Returns: Whether that was the whole body.
    /// - Throws: ``ConnectionEnd``, and `FormworkError` for an invalid chunk.
    mutating func body(
        _ framing: RequestHead.Framing, upTo limit: Int64, _ take: (RawSpan) -> Void
    ) throws -> Bool {
        if framing == .none { return true }
        guard limit > 0 else { return framing == .length(0) }
        var left = limit
        switch framing {
        case .none: return true
        case .length(let length):
            try self.stretch(min(length, left), take)
            return length <= left
        case .chunked:
            while true {
                let size = try self.chunkSize()
                guard size > 0 else {
                    while try !self.line().isEmpty {}
                    return true
                }
                guard left > 0 else { return false }
                try self.stretch(min(size, left), take)
                if size > left { return false }
                left -= size
                guard try self.line().isEmpty else {
                    throw FormworkError(.malformedBody, "a chunk has more bytes than its size says")
                }
            }
        }
    }

    private mutating func stretch(_ count: Int64, _ take: (RawSpan) -> Void) throws(ConnectionEnd) {
        var left = count
        while left > 0 {
            if self.filled.isEmpty, try !self.receive() { throw .peer }
            let step = Int(min(left, Int64(self.filled.count)))
            self.buffer.withRawSpan { take($0.extracting(self.filled.lowerBound..<self.filled.lowerBound + step)) }
            self.filled = self.filled.lowerBound + step..<self.filled.upperBound
            left -= Int64(step)
        }
    }

    private mutating func chunkSize() throws -> Int64 {
        let line = try self.line()
        let digits = line.prefix { $0 != UInt8(ascii: ";") && !$0.isBlank }
        guard digits.first != UInt8(ascii: "+"), let size = Int64(String(decoding: digits, as: UTF8.self), radix: 16),
            size >= 0
        else {
            throw FormworkError(.malformedBody, "\"\(String(decoding: line, as: UTF8.self))\" is not a chunk's size")
        }
        return size
    }

    /// The next line, without its end.
    private mutating func line() throws -> [UInt8] {
        while true {
            let bytes = self.buffer[self.filled]
            if let end = bytes.firstIndex(of: 0x0A) {
                self.filled = end + 1..<self.filled.upperBound
                let line = bytes[..<end]
                return Array(line.last == 0x0D ? line.dropLast() : line)
            }
            guard bytes.count < Self.lineLimit else {
                throw FormworkError(.malformedBody, "a chunk's line has more than \(Self.lineLimit, "byte")")
            }
            if try !self.receive() { throw ConnectionEnd.peer }
        }
    }

    /// Sends an answer's head and body.
    func send(_ bytes: [UInt8]) throws(ConnectionEnd) { try self.socket.send(bytes) }

    /// Ends our side, and discards what arrives until the client closes. If unread bytes were left when the connection
    /// is closed, the client would lose the answer (RFC 9112 §9.6).
    mutating func linger() {
        self.socket.finish()
        self.filled = 0..<0
        while (try? self.receive()) ?? false { self.filled = 0..<0 }
    }

    /// Reads nothing more until the client is gone.
    func stall() { self.socket.waitUntilGone() }

    /// Makes closing the connection a reset.
    func resetOnClose() { self.socket.resetOnClose() }
}
