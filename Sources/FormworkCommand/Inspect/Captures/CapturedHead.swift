import Formwork

/// The head of a captured HTTP/1.x message: a request's, or a response's with any 1xx heads before it.
enum CapturedHead {
    /// In bytes. Real heads are smaller, and proxies stop at 64 KiB.
    private static let limit = 256 << 10

    /// Reads the head from the input.
    /// - Returns: `nil` when the input doesn't begin with one.
    static func read(_ input: RawInput) throws(FormworkError) -> (head: MessageHead, hasBareLineFeeds: Bool)? {
        guard try Self.begins(input) else { return nil }
        while true {
            let read = try Self.next(input)
            // `100 Continue` and its like have no body: another head follows.
            guard read.head.startLine[0].hasPrefix("HTTP/"), read.head.startLine.dropFirst().first?.first == "1",
                try Self.begins(input)
            else { return read }
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

    private static func next(_ input: RawInput) throws(FormworkError) -> (head: MessageHead, hasBareLineFeeds: Bool) {
        var wanted = 1
        while true {
            let bytes = try input.lookAhead(wanted)
            if let end = MessageHead.end(in: bytes[...], from: 0) {
                input.skip(end.upperBound)
                let section = bytes[..<end.upperBound]
                return (
                    try MessageHead(bytes[..<end.lowerBound], skipsInvalidLines: true),
                    zip([0] + section, section).contains { $0 != 0x0D && $1 == 0x0A }
                )
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
    var isChunked: Bool { self.value("Transfer-Encoding")?.lowercased().hasSuffix("chunked") ?? false }

    /// What receivers read differently in the head of a captured form, as half sentences.
    var doubts: [String] {
        func shown(_ text: String?) -> String { "\"\(DisplayText(text ?? "", limit: 60).text)\"" }
        let (line, types, lengths) = (self.invalidLine, self.values("Content-Type"), self.values("Content-Length"))
        let (coding, transfer) = (self.value("Content-Encoding"), self.value("Transfer-Encoding"))
        let doubts: KeyValuePairs = [
            "the line \(shown(line)) of the captured head isn't a header field": line != nil,
            "the Content-Encoding of the capture is \(shown(coding))": coding?.lowercased() ?? "identity" != "identity",
            "the Transfer-Encoding of the capture is \(shown(transfer))": transfer?.lowercased() ?? "chunked"
                != "chunked",
            "the capture has a Transfer-Encoding and a Content-Length": transfer != nil && !lengths.isEmpty,
            "the body of the capture has no Content-Type": types.isEmpty && line == nil,
            "the captured head has two Content-Type fields": types.count > 1,
            // If they differ, they aren't a count.
            "the captured head has two Content-Length fields": lengths.count > 1 && (try? self.contentLength()) != nil,
        ]
        return doubts.filter(\.value).map { "\($0.key), and receivers differ in how they read it" }
    }
}
