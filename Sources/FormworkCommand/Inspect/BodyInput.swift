import Formwork

/// The body in an input: bare, in a captured HTTP message, or in a capture of several requests.
final class BodyInput: ChunkInput {
    private enum Framing {
        case untilEnd
        case length(left: Int64)
        case chunked(ChunkedCoding)
        /// The body is in memory.
        case memory
    }

    /// From the capture's header; `nil` for a bare body.
    private(set) var contentType: String?
    private(set) var contentEncoding: String?
    private(set) var contentLength: Int64?

    /// What was done to the input before it was parsed, as half sentences.
    private(set) var notes: [String] = []
    /// What is odd in the message around the body, in half sentences, or isn't in it.
    private var oddities: [Finding] = []
    /// Whether to continue where the body's place isn't certain, so that all that is odd is found.
    private let readsOn: Bool

    /// Whether an event of a gateway says that its body isn't encoded.
    private var isDeclaredText = false
    private var raw: RawInput
    private var framing = Framing.untilEnd
    /// Whether bytes after the body were read together with its last bytes.
    private var hasSurplus = false

    /// - Parameters:
    ///   - entry: The request in a capture of several, from 1.
    ///   - isBare: Whether the caller knows the type. Then the input isn't examined for a capture of several requests.
    init(_ file: String?, entry: Int?, isBare: Bool, readsOn: Bool) throws {
        let raw = try RawInput(file)
        (self.raw, self.readsOn) = (raw, readsOn)
        super.init(name: raw.name)
        let decisive = isBare ? 0 : CaptureKind.wanted(try raw.lookAhead(1).first)
        let kind = isBare ? .none : CaptureKind(try raw.lookAhead(decisive))
        if entry != nil, case .none = kind {
            throw ExitStatus(2, "--entry: \(raw.name) is not a HAR file or curl trace")
        }
        do {
            switch kind {
            case .none: break
            case .json: try self.openArchive(entry)
            case .trace: try self.openTrace(entry)
            case .foreign(let reason): throw FormworkError(.malformedBody, reason)
            }
        } catch var error as FormworkError {
            if error.path == nil { error.path = raw.name }
            throw error
        }
        try TextInput.naming(raw.name) { () throws(FormworkError) in
            if case .untilEnd = self.framing { try self.openMessage(hasType: isBare) }
            try self.decodeBase64()
        }
    }

    /// What is missing from the capture, as half a sentence; `nil` before its end was read, and if it is complete.
    var shortfall: String? {
        switch self.framing {
        case .length(let left) where left > 0 && self.isAtEnd:
            let length = self.contentLength ?? 0
            return "the capture is cut: Content-Length promises \(length, "byte"), but it has \(length - left)"
        case .chunked(let coding) where !coding.isWhole && self.isAtEnd:
            return "the capture is cut: its last chunk is missing, or the empty line after it"
        default: return nil
        }
    }

    /// After the end was read, what follows the body, as half a sentence; `nil` if nothing does.
    func surplus() throws(FormworkError) -> String? {
        if case .chunked(let coding) = self.framing {
            return coding.hasSurplus ? "the capture continues after its last chunk" : nil
        }
        guard case .length(0) = self.framing else { return nil }
        if !self.hasSurplus { self.hasSurplus = try !self.raw.lookAhead(1).isEmpty }
        guard self.hasSurplus else { return nil }
        return "the capture continues after the \(self.contentLength ?? 0, "byte") of its Content-Length"
    }

    /// All that is odd in the message around the body, as far as it was read.
    func findings() throws(FormworkError) -> [Finding] {
        var sentences = [self.shortfall, try self.surplus()].compactMap { $0 }
        if case .chunked(let coding) = self.framing, let slip = coding.slip {
            sentences.append("the chunked coding of the capture has \(slip), and receivers differ in how they read it")
        }
        return self.oddities + sentences.map { Finding(.messageFraming, $0) }
    }

    private func doubt(_ sentence: String) { self.oddities.append(Finding(.messageFraming, sentence)) }

    /// Notes why it isn't certain what the body is.
    /// - Throws: It, unless reading continues.
    private func refuse(_ sentence: String) throws(FormworkError) {
        guard self.readsOn else { throw FormworkError(.malformedBody, sentence) }
        self.doubt(sentence)
    }

    override func read() throws(FormworkError) -> [UInt8] {
        while true {
            if case .length(0) = self.framing { return [] }
            if case .chunked(let coding) = self.framing, let fault = coding.fault {
                (self.oddities, self.framing) = (try self.findings(), .memory)
                try TextInput.naming(self.name) { () throws(FormworkError) in try self.refuse(fault) }
            }
            if case .memory = self.framing { return [] }
            let bytes = try self.raw.next()
            self.isAtEnd = bytes.isEmpty
            if bytes.isEmpty { return [] }
            switch self.framing {
            case .untilEnd, .memory: return bytes
            case .length(let left):
                let count = Int(min(left, Int64(bytes.count)))
                self.framing = .length(left: left - Int64(count))
                self.hasSurplus = count < bytes.count
                return self.hasSurplus ? Array(bytes[..<count]) : bytes
            case .chunked(var coding):
                // The decoder holds no buffer, so copying it costs nothing.
                let content = coding.decode(bytes)
                self.framing = .chunked(coding)
                if !content.isEmpty { return content }
            }
        }
    }

    /// - Parameter hasType: Whether the caller knows the type.
    private func openMessage(hasType: Bool) throws(FormworkError) {
        guard let (head, hasBareLineFeeds) = try CapturedHead.read(self.raw) else { return }
        let types = head.values("Content-Type")
        (self.contentType, self.contentEncoding) = (types.first, head.value("Content-Encoding"))
        if hasBareLineFeeds { self.oddities.append(Finding(.bareLineFeed)) }
        head.doubts.forEach(self.doubt)
        if Set(types).count > 1, !hasType, !self.readsOn {
            throw FormworkError(
                .malformedBody,
                "the captured head has two Content-Type fields that differ: choose one with --content-type")
        }
        guard !head.isChunked else { return self.framing = .chunked(ChunkedCoding()) }
        do throws(FormworkError) { self.contentLength = try head.contentLength() } catch {
            try self.refuse(error.message)
        }
        if let length = self.contentLength { self.framing = .length(left: length) }
    }

    /// All bytes of a capture.
    private func all(_ kind: String) throws(FormworkError) -> [UInt8] {
        try self.raw.all(
            orElse: "looks like a \(kind), and a \(kind) may have at most \(CaptureKind.limit >> 20) MiB")
    }

    /// Continues with one of the requests as if it were the input.
    private func openTrace(_ entry: Int?) throws {
        let messages = try CurlTrace(self.all("curl trace")).messages
        let chosen = try CaptureChoice.choose(
            entry, messages.filter(\.isForm), count: messages.count, of: "curl trace")
        self.raw = RawInput(name: self.name, bytes: chosen.bytes)
    }

    /// Decodes a body that is base64 as a whole, as gateways pass bodies that they take for binary.
    private func decodeBase64() throws(FormworkError) {
        // `--`, or CRLF and `--`, as base64.
        let start = try self.lookAhead(4)
        guard ["LS0", "LS1", "DQot"].contains(where: { start.starts(with: $0.utf8) }) else { return }
        let sample = try self.lookAhead(1 << 10).prefix(1 << 10)
        guard sample.allSatisfy({ $0.isBase64 }) else { return }
        let text = try self.all(
            orElse: "looks like base64, of which at most \(CaptureKind.limit >> 20) MiB are decoded: use base64 -d")
        // What is missing from the capture, or follows the body, stays known.
        self.oddities = try self.findings()
        self.framing = .memory
        var letters = text.filter { !$0.isBlank && $0 != 0x0D && $0 != 0x0A }
        while letters.count % 4 != 0, letters.count % 4 != 1 { letters.append(UInt8(ascii: "=")) }
        guard let body = Base64.decode(String(decoding: letters, as: UTF8.self)) else {
            self.ahead = text
            return
        }
        self.ahead = body
        self.contentLength = nil
        let declaration = self.isDeclaredText ? ", although isBase64Encoded is false" : ""
        self.notes.append("the body is encoded with base64\(declaration); offsets count its decoded bytes")
    }

    /// Keeps what the caller did before the body is parsed.
    func note(_ text: String) { self.notes.append(text) }

    private func openArchive(_ entry: Int?) throws {
        let text = try self.all("HAR file")
        self.framing = .memory
        var captured: CapturedBody?
        do {
            captured = try CapturedBody(archive: text, entry: entry)
        } catch var error as FormworkError where CapturedBody.isArchive(text) || error.code == .limitExceeded {
            error.path = self.name
            if error.code == .malformedBody, text.last(where: { $0 > 0x20 }) != UInt8(ascii: "}") {
                error.message = "the HAR file is cut, so save it again: \(error.message)"
            }
            throw error
        } catch is FormworkError {}
        // JSON that is neither is a body that was sent as JSON. The diagnosis says so.
        guard let captured = try captured ?? CapturedBody(event: text) else { return self.ahead = text }
        (self.ahead, self.contentType, self.isDeclaredText) =
            (captured.bytes, captured.contentType, captured.isDeclaredText)
        guard let length = captured.length, length > self.ahead.count else { return }
        self.doubt(
            "the capture is cut: the request had \(Int64(clamping: length), "byte"), and \(self.ahead.count) were "
                + "saved. Browsers leave out the contents of files: capture it with a proxy instead")
    }
}

extension UInt8 {
    /// Whether the byte is a letter of base64, its padding or between its lines.
    fileprivate var isBase64: Bool { self.isLetterOrDigit || "+/=\r\n".utf8.contains(self) }
}

/// Bytes in chunks, with lookahead.
class ChunkInput {
    /// The input's name in errors.
    let name: String
    fileprivate(set) var ahead: [UInt8] = []
    fileprivate(set) var isAtEnd = false

    init(name: String) { self.name = name }

    /// Reads the next bytes; empty at the end.
    func read() throws(FormworkError) -> [UInt8] { [] }

    /// The next bytes; empty at the end.
    final func next() throws(FormworkError) -> [UInt8] {
        guard self.ahead.isEmpty else {
            defer { self.ahead = [] }
            return self.ahead
        }
        return try self.read()
    }

    /// The next bytes, without consuming them: at least `count`, or fewer if the input ends before.
    final func lookAhead(_ count: Int) throws(FormworkError) -> [UInt8] {
        while self.ahead.count < count {
            let bytes = try self.read()
            if bytes.isEmpty { break }
            self.ahead += bytes
        }
        return self.ahead
    }

    /// Consumes bytes that were looked at.
    final func skip(_ count: Int) { self.ahead.removeFirst(count) }

    /// All bytes up to the end.
    /// - Parameter tooLarge: The error for more than fit into memory.
    final func all(orElse tooLarge: String) throws(FormworkError) -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try self.next()
            if bytes.isEmpty { return all }
            all += bytes
            guard all.count <= CaptureKind.limit else {
                throw FormworkError(.limitExceeded, tooLarge, path: self.name)
            }
        }
    }
}

/// The bytes of a file, of standard input or of a captured message.
final class RawInput: ChunkInput {
    /// Bytes of one read. Framing, chunks and parts may be cut anywhere.
    static let chunkBytes = 256 << 10

    /// `nil` for bytes in memory.
    private let reader: BodyReader?

    /// - Parameter file: `nil` and `-` mean standard input.
    init(_ file: String?) throws {
        let (name, source) = try TextInput.source(file)
        self.reader = try TextInput.naming(name) { () throws(FormworkError) in
            try BodyPlan(copying: source).makeReader()
        }
        super.init(name: name)
    }

    /// - Parameter name: The input's name in errors.
    init(name: String, bytes: [UInt8]) {
        self.reader = nil
        super.init(name: name)
        self.ahead = bytes
    }

    override func read() throws(FormworkError) -> [UInt8] {
        guard !self.isAtEnd, let reader else { return [] }
        let bytes = try TextInput.naming(self.name) { () throws(FormworkError) in
            try reader.read(upTo: Self.chunkBytes)
        }
        self.isAtEnd = bytes.isEmpty
        return bytes
    }
}
