import Formwork

/// The head of a captured HTTP/1.x message: a request's, or a response's with any 1xx heads before it.
enum CapturedHead {
    /// In bytes. Real heads are smaller, and proxies stop at 64 KiB.
    private static let limit = 256 << 10

    /// Reads the head from the input.
    /// - Returns: `nil` when the input doesn't begin with one.
    static func read(_ input: RawInput) throws(FormworkError) -> MessageHead? {
        guard try Self.begins(input) else { return nil }
        while true {
            let head = try Self.next(input)
            // `100 Continue` and its like have no body: another head follows.
            guard head.startLine[0].hasPrefix("HTTP/"), head.startLine.dropFirst().first?.first == "1",
                try Self.begins(input)
            else { return head }
        }
    }

    /// Whether the first line is `METHOD target HTTP/x` or `HTTP/x status`.
    private static func begins(_ input: RawInput) throws(FormworkError) -> Bool {
        var start = try input.lookAhead(5)
        // A method is in capitals, so the first byte rules out most bodies without waiting for more.
        guard let first = start.first, (0x41...0x5A).contains(first) else { return false }
        while !start.contains(0x0A), start.count < 16 << 10 {
            let count = start.count
            start = try input.lookAhead(count + 1)
            if start.count == count { return false }
        }
        let words = start.prefix { $0 != 0x0A && $0 != 0x0D }.split(separator: 0x20)
        let version = "HTTP/".utf8
        guard let method = words.first else { return false }
        if method.starts(with: version) { return words.count >= 2 }
        return words.count == 3 && words[2].starts(with: version)
            && method.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) || $0 == 0x2D }
    }

    private static func next(_ input: RawInput) throws(FormworkError) -> MessageHead {
        var wanted = 1
        while true {
            let bytes = try input.lookAhead(wanted)
            if let end = MessageHead.end(in: bytes[...], from: 0) {
                input.skip(end.upperBound)
                return try MessageHead(bytes[..<end.lowerBound], skipsInvalidLines: true)
            }
            guard bytes.count >= wanted else {
                throw FormworkError(
                    .truncatedBody, "the capture ends inside its header section, after \(bytes.count, "byte")")
            }
            guard bytes.count <= self.limit else {
                throw FormworkError(.limitExceeded, "the captured header section has more than \(self.limit, "byte")")
            }
            wanted = bytes.count + 1
        }
    }
}

extension MessageHead {
    /// - Throws: `malformedBody` for two that differ.
    func contentType() throws(FormworkError) -> String? {
        let values = self.values("Content-Type")
        guard Set(values).count < 2 else {
            throw FormworkError(
                .malformedBody,
                "the captured head has two Content-Type fields that differ: choose one with --content-type")
        }
        return values.first
    }
    var contentEncoding: String? { self.value("Content-Encoding") }
    var isChunked: Bool { self.value("Transfer-Encoding")?.lowercased().hasSuffix("chunked") ?? false }
}
