#if Command
import Formwork

/// The head of a captured HTTP/1.x message: a request's, or a response's with any 1xx heads before it.
struct MessageHead {
    /// In bytes. Real heads are smaller, and proxies stop at 64 KiB.
    private static let limit = 256 << 10

    private var fields: [(name: String, value: String)] = []

    /// Reads the head from the input.
    /// - Returns: `nil` when the input doesn't begin with one.
    init?(_ input: RawInput) throws(FormworkError) {
        guard try Self.begins(input) else { return nil }
        while true {
            let (lines, count) = try Self.lines(of: input)
            input.skip(count)
            self.fields = lines.dropFirst().compactMap { line in
                guard let colon = line.firstIndex(of: ":") else { return nil }
                let value = line[line.index(after: colon)...].utf8.trimmingBlanks
                return (line[..<colon].lowercased(), String(Substring(value)))
            }
            // `100 Continue` and its like have no body: another head follows.
            guard lines[0].hasPrefix("HTTP/"), lines[0].split(separator: " ").dropFirst().first?.first == "1",
                try Self.begins(input)
            else { return }
        }
    }

    var contentType: String? { self.value("content-type") }
    var contentEncoding: String? { self.value("content-encoding") }
    var isChunked: Bool { self.value("transfer-encoding")?.lowercased().hasSuffix("chunked") ?? false }

    /// - Throws: `malformedBody` for one that isn't a number.
    func contentLength() throws(FormworkError) -> Int64? {
        guard let text = self.value("content-length") else { return nil }
        guard let length = Int64(text), length >= 0, text.first != "+" else {
            throw FormworkError(
                .malformedBody, "the captured Content-Length isn't a number: \"\(text.shortened(to: 40))\"")
        }
        return length
    }

    private func value(_ name: String) -> String? { self.fields.first { $0.name == name }?.value }

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

    /// The lines up to the empty one, and their size in bytes. LF alone ends a line too, as captures are often text
    /// files.
    private static func lines(of input: RawInput) throws(FormworkError) -> ([String], count: Int) {
        var wanted = 1
        while true {
            let bytes = try input.lookAhead(wanted)
            if let end = self.end(of: bytes) {
                let head = bytes[..<end].split(separator: 0x0A).map { line in
                    String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
                }
                return (head.filter { !$0.isEmpty }, end)
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

    private static func end(of bytes: [UInt8]) -> Int? {
        var from = 0
        while let lf = bytes[from...].firstIndex(of: 0x0A) {
            let next = bytes[(lf + 1)...]
            if next.first == 0x0A { return lf + 2 }
            if next.starts(with: [0x0D, 0x0A]) { return lf + 3 }
            from = lf + 1
        }
        return nil
    }
}
#endif
