import Foundation

/// The requests that arrive on a connection of one of the tests' own servers.
struct ArrivingRequests {
    let connection: Int32
    private var pending: [UInt8] = []
    private var buffer = [UInt8](repeating: 0, count: 65_536)

    init(_ connection: Int32) { self.connection = connection }

    /// Waits for more bytes.
    /// - Returns: Whether there are any.
    mutating func more() -> Bool {
        let count = recv(self.connection, &self.buffer, self.buffer.count, 0)
        guard count > 0 else { return false }
        self.pending += self.buffer[..<count]
        return true
    }

    /// The next request's line and fields; `nil` at the connection's end.
    mutating func head() -> (line: String, fields: [String: String])? {
        let blank = Array("\r\n\r\n".utf8)
        while self.pending.firstRange(of: blank) == nil { guard self.more() else { return nil } }
        guard let end = self.pending.firstRange(of: blank) else { return nil }
        let lines = String(decoding: self.pending[..<end.lowerBound], as: UTF8.self).components(separatedBy: "\r\n")
        self.pending.removeFirst(end.upperBound)
        var fields: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { continue }
            fields[line[..<colon].lowercased()] =
                line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        }
        return (lines[0], fields)
    }

    /// The body that follows; `nil` if the connection ends before, or `limit` bytes have come.
    mutating func body(_ fields: [String: String], upTo limit: Int = .max) -> [UInt8]? {
        let length = Int(fields["content-length"] ?? "") ?? 0
        while self.pending.count < length { guard self.pending.count < limit, self.more() else { return nil } }
        defer { self.pending.removeFirst(length) }
        return Array(self.pending.prefix(length))
    }

    /// - Returns: Whether all of it was sent.
    func answer(_ bytes: [UInt8]) -> Bool {
        send(self.connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }
}
