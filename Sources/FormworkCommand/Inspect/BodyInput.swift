#if Command
import Formwork

/// The body in an input: bare, in a captured HTTP message, or in a HAR file.
final class BodyInput {
    private enum Framing {
        case untilEnd
        case length(left: Int64)
        case chunked(ChunkedCoding)
        /// The body is in memory.
        case memory
    }

    /// The input's name in errors.
    let name: String
    /// From the capture's header; `nil` for a bare body.
    private(set) var contentType: String?
    private(set) var contentEncoding: String?
    private(set) var contentLength: Int64?

    private let raw: RawInput
    private var framing = Framing.untilEnd
    private var ahead: [UInt8] = []
    /// Whether bytes after the body were read together with its last bytes.
    private var hasSurplus = false

    /// - Parameters:
    ///   - entry: The entry of a HAR file, from 1.
    ///   - isBare: Whether the caller knows the content. Then JSON isn't examined for a HAR file.
    init(_ file: String?, entry: Int?, isBare: Bool) throws {
        let raw = try RawInput(file)
        (self.raw, self.name) = (raw, raw.name)
        if !isBare, try Self.isJSON(raw) {
            try self.openArchive(entry)
        } else if entry != nil {
            throw ExitStatus(2, "formwork: --entry: \(raw.name) is not a HAR file")
        } else {
            try TextInput.naming(raw.name) { () throws(FormworkError) in try self.openMessage() }
        }
    }

    /// The body's next bytes; empty at its end.
    func next() throws(FormworkError) -> [UInt8] {
        guard self.ahead.isEmpty else {
            defer { self.ahead = [] }
            return self.ahead
        }
        return try self.read()
    }

    /// The next bytes, without consuming them: at least `count`, or fewer if the input ends before.
    func lookAhead(_ count: Int) throws(FormworkError) -> [UInt8] {
        while self.ahead.count < count {
            let bytes = try self.read()
            if bytes.isEmpty { break }
            self.ahead += bytes
        }
        return self.ahead
    }

    /// After the end was read, what is missing from the capture, as half a sentence; `nil` if it is complete.
    var shortfall: String? {
        switch self.framing {
        case .length(let left) where left > 0:
            let length = self.contentLength ?? 0
            return "the capture is cut: Content-Length promises \(length) bytes, but it has \(length - left)"
        case .chunked(let coding) where !coding.isWhole: return "the capture is cut: its last chunk is missing"
        default: return nil
        }
    }

    /// After the end was read, what follows the body, as half a sentence; `nil` if nothing does.
    func surplus() throws(FormworkError) -> String? {
        guard case .length(0) = self.framing else { return nil }
        if !self.hasSurplus { self.hasSurplus = try !self.raw.lookAhead(1).isEmpty }
        guard self.hasSurplus else { return nil }
        return "the capture continues after the \(self.contentLength ?? 0) bytes of its Content-Length"
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
                    "looks like a HAR file, and a HAR file may have at most \(HARFile.limit >> 20) MiB",
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
        // JSON, but not a HAR file: a body that was sent as JSON. The diagnosis says so.
        self.ahead = text
    }
}
#endif
