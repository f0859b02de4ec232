/// What a receiver has seen of a multipart body, kept small, so that a ``BodyDiagnosis`` can say what went wrong.
///
/// It is fed beside the parser, with the chunks and with the parser's events, and holds at most 5 KiB.
///
/// ```
/// var seen = BodyObservation(for: parser, contentLength: length)
/// for chunk in chunks {
///     seen.take(chunk)
///     … seen.take(event, in: chunk) …
/// }
/// … catch { log(BodyDiagnosis(of: error, in: seen)?.description) }
/// ```
public struct BodyObservation: Sendable {
    /// Enough of the start for the first line, and for the shape of what isn't multipart.
    static let headLimit = 1024
    /// Enough of a part's content to tell bytes from decoded text.
    static let sampleLimit = 4096

    /// The boundary that was looked for; `nil` when there was none.
    public var boundary: String?
    /// `Content-Length` of the message, in bytes; `nil` when it had none.
    public var contentLength: Int64?
    /// `Content-Encoding` of the message; `nil` when it had none.
    public var contentEncoding: String?
    /// Bytes of the body so far.
    public private(set) var byteCount: Int64 = 0
    /// Parts whose header section was whole.
    public package(set) var parts = 0

    /// The first bytes of the body.
    private(set) var head: [UInt8] = []
    /// What was found wrong in a part's content, though the body can be parsed.
    private(set) var damage: BodyDiagnosis?
    /// The type of the part whose content is being sampled; `nil` while none is.
    private var sampledType: String?
    private var sample: [UInt8] = []

    /// Says what is known before the first byte; each may be set later.
    public init(boundary: String? = nil, contentLength: Int64? = nil, contentEncoding: String? = nil) {
        (self.boundary, self.contentLength) = (boundary, contentLength)
        self.contentEncoding = contentEncoding
    }

    /// Says what is known before the first byte, with the boundary that `parser` looks for.
    public init(for parser: MultipartParser, contentLength: Int64? = nil, contentEncoding: String? = nil) {
        self.init(
            boundary: String(decoding: parser.delimiter.dropFirst(4), as: UTF8.self), contentLength: contentLength,
            contentEncoding: contentEncoding)
    }

    /// Takes the body's next bytes, as they are lent to the parser.
    public mutating func take(_ chunk: RawSpan) {
        self.byteCount += Int64(chunk.byteCount)
        let count = min(chunk.byteCount, Self.headLimit - self.head.count)
        if count > 0 { self.head.append(chunk, 0..<count) }
    }

    /// Takes the body's next bytes, as they are lent to the parser.
    public mutating func take(_ chunk: [UInt8]) { chunk.withRawSpan { self.take($0) } }

    /// Takes an event that the parser gave for `chunk`.
    public mutating func take(_ event: MultipartParser.Event, in chunk: RawSpan) {
        switch event {
        case .partBegan(let header):
            self.parts += 1
            self.sample = []
            self.sampledType = self.damage == nil ? header.contentType.flatMap { $0.isBinaryType ? $0 : nil } : nil
        case .content(let range):
            guard self.sampledType != nil, self.sample.count < Self.sampleLimit else { return }
            let count = min(range.count, Self.sampleLimit - self.sample.count)
            self.sample.append(chunk, range.lowerBound..<range.lowerBound + count)
        case .heldContent(let bytes):
            guard self.sampledType != nil, self.sample.count < Self.sampleLimit else { return }
            self.sample += bytes
        case .partEnded:
            guard let type = self.sampledType else { return }
            self.damage = BodyDiagnosis(ofContent: self.sample, type: type, part: self.parts)
            self.sampledType = nil
        case .finished, .needsInput: return
        }
    }

    /// Takes an event that the parser gave for `chunk`.
    public mutating func take(_ event: MultipartParser.Event, in chunk: [UInt8]) {
        chunk.withRawSpan { self.take(event, in: $0) }
    }
}

extension String {
    /// Whether a `Content-Type` names something that no text decoder may touch.
    fileprivate var isBinaryType: Bool {
        let type = self.prefix { $0 != ";" && $0 != " " }.lowercased()
        if type.hasSuffix("+xml") || type.hasSuffix("+json") { return false }
        if ["image/", "audio/", "video/", "font/"].contains(where: type.hasPrefix) { return true }
        let binary = ["octet-stream", "pdf", "zip", "gzip", "zstd", "wasm", "x-tar", "x-gzip", "x-7z-compressed"]
        return type.hasPrefix("application/") && binary.contains(String(type.dropFirst(12)))
    }
}
