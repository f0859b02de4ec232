import Foundation
import Glibc

/// A connection on the loopback, in calls that block. It is closed when its last owner lets go of it.
package final class LoopbackConnection: @unchecked Sendable {
    package let descriptor: CInt
    /// Microseconds to wait before each read of more.
    package var pause: UInt32 = 0
    /// Why a read got nothing; 0 at the end of what was sent.
    package private(set) var lastError: CInt = 0
    // SAFETY: only one thread at a time reads.
    private var pending: [UInt8] = []
    private var room = [UInt8](repeating: 0, count: 256 << 10)

    init(_ descriptor: CInt) {
        self.descriptor = descriptor
        // A test that went wrong must not leave a thread waiting for ever.
        var patience = timeval(tv_sec: 300, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    }

    /// Connects to a port of the loopback.
    /// - Throws: What the system said, such as `ECONNREFUSED`.
    package convenience init(to port: UInt16, at address: UInt32 = 0x7F00_0001) throws(POSIXError) {
        self.init(try connect(toLoopback: port, at: address))
    }

    deinit { close(self.descriptor) }

    // MARK: Reading

    private func more() -> Bool {
        if self.pause > 0 { usleep(self.pause) }
        let count = recv(self.descriptor, &self.room, self.room.count, 0)
        self.lastError = count < 0 ? errno : 0
        guard count > 0 else { return false }
        self.pending += self.room[..<count]
        return true
    }

    private func take(_ count: Int) -> [UInt8] {
        defer { self.pending.removeFirst(count) }
        return Array(self.pending.prefix(count))
    }

    /// Whether more was received than was read.
    package var isAhead: Bool { !self.pending.isEmpty }

    /// What has come and isn't read, or what comes next; empty at the end.
    package func read(upTo limit: Int = 65_536) -> [UInt8] {
        if self.isAhead { return self.take(min(limit, self.pending.count)) }
        let count = recv(self.descriptor, &self.room, min(limit, self.room.count), 0)
        self.lastError = count < 0 ? errno : 0
        return Array(self.room.prefix(max(0, count)))
    }

    /// What has come; `nil` once the peer has closed.
    package func readAvailable() -> [UInt8]? {
        if self.isAhead { return self.take(self.pending.count) }
        let count = recv(self.descriptor, &self.room, self.room.count, CInt(MSG_DONTWAIT))
        return count > 0 ? Array(self.room[..<count]) : count < 0 && errno == EAGAIN ? [] : nil
    }

    /// Everything up to, and with, `end`, or up to the connection's end.
    package func read(through end: String) -> [UInt8] {
        while true {
            if let range = self.pending.firstRange(of: end.utf8) { return self.take(range.upperBound) }
            guard self.more() else { return self.take(self.pending.count) }
        }
    }

    /// Everything up to the connection's end, or so many bytes.
    package func readText(upTo limit: Int = .max) -> String {
        while self.pending.count < limit, self.more() {}
        return String(decoding: self.take(min(limit, self.pending.count)), as: UTF8.self)
    }

    /// Whether something is there to be received, the end too.
    package var isReadable: Bool {
        var wanted = pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0)
        return self.isAhead || poll(&wanted, 1, 0) > 0
    }

    package func waitForEnd() {
        self.pending = []
        while self.more() { self.pending = [] }
    }

    // MARK: Requests

    /// The next request's header section; `nil` at the connection's end.
    package func nextHead() -> RequestHead? {
        let bytes = self.read(through: "\r\n\r\n")
        guard bytes.suffix(4).elementsEqual("\r\n\r\n".utf8) else {
            self.pending = bytes
            return nil
        }
        return RequestHead(text: String(decoding: bytes.dropLast(4), as: UTF8.self))
    }

    /// Reads the body that follows a head, without its chunks' framing.
    /// - Parameter take: Gets each piece, and says whether to go on.
    /// - Returns: Whether it came whole.
    package func readBody(of head: RequestHead, _ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        guard head["Transfer-Encoding"] == "chunked" else {
            return self.pass(Int(head["Content-Length"] ?? "") ?? 0, take)
        }
        while let size = Int(String(decoding: self.read(through: "\r\n").dropLast(2), as: UTF8.self), radix: 16) {
            guard self.pass(size, take), self.read(through: "\r\n") == [13, 10] else { return false }
            if size == 0 { return true }
        }
        return false
    }

    /// The body that follows a head; `nil` if the connection ends before, or `limit` bytes have come.
    package func readBody(of head: RequestHead, upTo limit: Int = .max) -> [UInt8]? {
        var body: [UInt8] = []
        let isWhole = self.readBody(of: head) { piece in
            body += piece
            return body.count < limit
        }
        return isWhole ? body : nil
    }

    private func pass(_ size: Int, _ take: (ArraySlice<UInt8>) -> Bool) -> Bool {
        var rest = size
        while rest > 0 {
            guard self.isAhead || self.more() else { return false }
            let count = min(rest, self.pending.count)
            rest -= count
            defer { self.pending.removeFirst(count) }
            guard take(self.pending[..<count]) else { return false }
        }
        return true
    }

    // MARK: Writing

    @discardableResult
    package func write(_ text: String) -> Bool { self.write(bytes: Array(text.utf8)) }

    /// - Returns: Whether all of it was sent.
    @discardableResult
    package func write(bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { send(self.descriptor, $0.baseAddress, $0.count, CInt(MSG_NOSIGNAL)) }
            guard count > 0 else { return false }
            rest = rest.dropFirst(count)
        }
        return true
    }

    /// Says that nothing more is sent.
    package func finish() { shutdown(self.descriptor, CInt(SHUT_WR)) }

    /// As servers do at their end: unread bytes at a close would reset the connection and take the answer with it.
    package func end() {
        self.finish()
        self.waitForEnd()
    }

    /// Goes away without a word.
    package func cut() {
        self.resetOnClose()
        shutdown(self.descriptor, CInt(SHUT_RDWR))
    }

    /// Has the close destroy the connection at once.
    package func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(self.descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }
}

/// A request's line and fields.
package struct RequestHead: Sendable {
    /// Without the empty line.
    package var text: String

    package var line: String { String(self.text.prefix { $0 != "\r\n" }) }
    package var method: String { String(self.text.prefix { $0 != " " }) }
    package var target: String { String(self.line.split(separator: " ")[1]) }

    /// All fields, their names in lower case.
    package var fields: [(name: String, value: String)] {
        self.text.split(separator: "\r\n").dropFirst().compactMap { line in
            guard let colon = line.firstIndex(of: ":") else { return nil }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            return (line[..<colon].lowercased(), value)
        }
    }

    /// The values of every field with this name.
    package func fields(_ name: String) -> [String] {
        self.fields.filter { $0.name == name.lowercased() }.map(\.value)
    }

    package subscript(name: String) -> String? { self.fields(name).first }
}
