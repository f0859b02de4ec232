#if Command
import Formwork

/// The body in what was given: bare, in a captured HTTP message, or in a HAR file.
final class BodyInput {
    private enum Framing {
        case untilEnd
        case length(left: Int64)
        case chunked(ChunkedCoding)
        /// The body is in memory.
        case memory
    }

    /// What errors call it.
    let name: String
    /// What a capture says; `nil` for a bare body.
    private(set) var contentType: String?
    private(set) var contentEncoding: String?
    private(set) var contentLength: Int64?

    private let raw: RawInput
    private var framing = Framing.untilEnd
    private var ahead: [UInt8] = []
    /// Whether bytes behind the body were read with its last ones.
    private var hasSurplus = false

    /// - Parameters:
    ///   - entry: The entry of a HAR file, from 1.
    ///   - isBare: Whether the caller knows what is in it: JSON is not looked into then.
    init(_ file: String?, entry: Int?, isBare: Bool) throws {
        let raw = try RawInput(file)
        (self.raw, self.name) = (raw, raw.name)
        if !isBare, try Self.isJSON(raw) {
            try self.openArchive(entry)
        } else if entry != nil {
            throw ExitStatus(2, "formwork: --entry: \(raw.name) is no HAR file")
        } else {
            try TextInput.naming(raw.name) { () throws(FormworkError) in try self.openMessage() }
        }
    }

    /// The body's next bytes; none at its end.
    func next() throws(FormworkError) -> [UInt8] {
        guard self.ahead.isEmpty else {
            defer { self.ahead = [] }
            return self.ahead
        }
        return try self.read()
    }

    /// The bytes that come next, without using them up: at least `count` unless the end comes before.
    func lookAhead(_ count: Int) throws(FormworkError) -> [UInt8] {
        while self.ahead.count < count {
            let bytes = try self.read()
            if bytes.isEmpty { break }
            self.ahead += bytes
        }
        return self.ahead
    }

    /// What the capture lacks, once its end was read: half a sentence, `nil` when it is whole.
    var shortfall: String? {
        switch self.framing {
        case .length(let left) where left > 0:
            let length = self.contentLength ?? 0
            return "the capture is cut: Content-Length promises \(length) bytes, \(length - left) are there"
        case .chunked(let coding) where !coding.isWhole: return "the capture is cut: its last chunk is missing"
        default: return nil
        }
    }

    /// What stands behind the body, once its end was read: half a sentence, `nil` when nothing does.
    func surplus() throws(FormworkError) -> String? {
        guard case .length(0) = self.framing else { return nil }
        if !self.hasSurplus { self.hasSurplus = try !self.raw.lookAhead(1).isEmpty }
        guard self.hasSurplus else { return nil }
        return "the capture goes on behind the \(self.contentLength ?? 0) bytes that its Content-Length counts"
    }

    private func read() throws(FormworkError) -> [UInt8] {
        while true {
            if case .length(0) = self.framing { return [] }
            let bytes = try self.raw.next()
            guard !bytes.isEmpty else { return [] }
            switch self.framing {
            case .untilEnd: return bytes
            case .memory: return []
            case .length(let left):
                let count = Int(min(left, Int64(bytes.count)))
                self.framing = .length(left: left - Int64(count))
                self.hasSurplus = count < bytes.count
                return self.hasSurplus ? Array(bytes[..<count]) : bytes
            case .chunked(var coding):
                // The decoder holds no buffer, so copying it costs nothing.
                let content = try TextInput.naming(self.name) { () throws(FormworkError) in try coding.decode(bytes) }
                self.framing = .chunked(coding)
                if !content.isEmpty { return content }
            }
        }
    }

    private func openMessage() throws(FormworkError) {
        guard let head = try MessageHead(self.raw) else { return }
        (self.contentType, self.contentEncoding) = (head.contentType, head.contentEncoding)
        if head.isChunked {
            self.framing = .chunked(ChunkedCoding())
        } else if let length = try head.contentLength() {
            self.contentLength = length
            self.framing = .length(left: length)
        }
    }

    private static func isJSON(_ raw: RawInput) throws(FormworkError) -> Bool {
        var start = try raw.lookAhead(1)[...]
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { start = start.dropFirst(3) }
        return start.prefix(64).first { !$0.isBlank && $0 != 0x0D && $0 != 0x0A } == UInt8(ascii: "{")
    }

    private func openArchive(_ entry: Int?) throws {
        var text: [UInt8] = []
        while true {
            let bytes = try self.raw.next()
            if bytes.isEmpty { break }
            text += bytes
            guard text.count <= HARFile.limit else {
                throw FormworkError(
                    .limitExceeded,
                    "begins as JSON, and a HAR file may have \(HARFile.limit >> 20) MiB: it is read whole",
                    path: self.name)
            }
        }
        self.framing = .memory
        do {
            if let archive = try HARFile(text, entry: entry) {
                (self.ahead, self.contentType) = (archive.body, archive.contentType)
                return
            }
        } catch var error as FormworkError where HARFile.isLikely(text) || error.code == .limitExceeded {
            error.path = self.name
            throw error
        } catch is FormworkError {}
        // JSON, but no HAR file: a body that was sent as JSON, which the diagnosis says.
        self.ahead = text
    }
}
#endif
