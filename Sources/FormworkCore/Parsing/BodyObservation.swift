/// A small record of the received bytes of a multipart body, from which a ``BodyDiagnosis`` finds what went wrong.
///
/// Pass it the chunks and the parser's events. It stores about 5 KiB.
///
/// ```swift
/// var parser = try MultipartParser(contentType: contentType)
/// var seen = BodyObservation(for: parser)
/// do throws(FormworkError) {
///     for chunk in chunks {
///         seen.take(chunk)
///         var position = chunk.startIndex
///         while true {
///             let event = try parser.next(in: chunk, from: &position)
///             if event == .needsInput { break }
///             seen.take(event, in: chunk)
///         }
///     }
///     try parser.finish()
/// } catch {
///     return BodyDiagnosis(of: error, in: seen)?.description
/// }
/// ```
public struct BodyObservation: Sendable {
    /// The bytes of the start that are kept: enough for the first line, and to recognise other formats.
    static let headLimit = 1024
    /// The bytes of a part's content that are kept: enough to distinguish bytes from decoded text.
    static let sampleLimit = 4096

    /// The expected boundary; `nil` if there was none.
    public var boundary: String?
    /// The message's `Content-Length`, in bytes; `nil` if it had none.
    public var contentLength: Int64?
    /// The message's `Content-Encoding`; `nil` if it had none.
    public var contentEncoding: String?
    /// The number of bytes of the body so far.
    public private(set) var byteCount: Int64 = 0
    /// The number of parts with a complete header section.
    public package(set) var parts = 0

    /// The first bytes of the body.
    private(set) var head: [UInt8] = []
    /// Damage in the content of a part, which may not have ended yet.
    var damage: BodyDiagnosis? {
        self.found
            ?? self.sampledType.flatMap { BodyDiagnosis(ofContent: self.sample, type: $0, part: self.parts) }
    }
    /// Damage in a part that has ended.
    private var found: BodyDiagnosis?
    /// The type of the part whose content is being sampled; `nil` for none.
    private var sampledType: String?
    private var sample: [UInt8] = []

    /// An observation with the facts known before the first byte. Each may be set later.
    public init(boundary: String? = nil, contentLength: Int64? = nil, contentEncoding: String? = nil) {
        (self.boundary, self.contentLength) = (boundary, contentLength)
        self.contentEncoding = contentEncoding
    }

    /// An observation with the facts known before the first byte, and the boundary of `parser`.
    public init(for parser: MultipartParser, contentLength: Int64? = nil, contentEncoding: String? = nil) {
        self.init(
            boundary: String(decoding: parser.delimiter.dropFirst(4), as: UTF8.self), contentLength: contentLength,
            contentEncoding: contentEncoding)
    }

    /// Records the body's next bytes, which are also passed to the parser.
    public mutating func take(_ chunk: RawSpan) {
        self.byteCount += Int64(chunk.byteCount)
        let count = min(chunk.byteCount, Self.headLimit - self.head.count)
        if count > 0 { self.head.append(chunk, 0..<count) }
    }

    /// Records the body's next bytes, which are also passed to the parser.
    public mutating func take(_ chunk: [UInt8]) { chunk.withRawSpan { self.take($0) } }

    /// Records an event of the parser for `chunk`.
    public mutating func take(_ event: MultipartParser.Event, in chunk: RawSpan) {
        switch event {
        case .partBegan(let header):
            self.parts += 1
            self.sample = []
            self.sampledType = self.found == nil ? header.contentType.flatMap { $0.isBinaryType ? $0 : nil } : nil
        case .content(let range):
            guard self.sampledType != nil, self.sample.count < Self.sampleLimit else { return }
            let count = min(range.count, Self.sampleLimit - self.sample.count)
            self.sample.append(chunk, range.lowerBound..<range.lowerBound + count)
        case .heldContent(let bytes):
            guard self.sampledType != nil, self.sample.count < Self.sampleLimit else { return }
            self.sample += bytes
        case .partEnded:
            self.found = self.damage
            self.sampledType = nil
        case .finished, .needsInput: return
        }
    }

    /// Records an event of the parser for `chunk`.
    public mutating func take(_ event: MultipartParser.Event, in chunk: [UInt8]) {
        chunk.withRawSpan { self.take(event, in: $0) }
    }
}

extension String {
    /// Whether a `Content-Type` is a binary type, which must not be decoded as text.
    fileprivate var isBinaryType: Bool {
        let type = self.prefix { $0 != ";" && $0 != " " }.lowercased()
        if type.hasSuffix("+xml") || type.hasSuffix("+json") { return false }
        if ["image/", "audio/", "video/", "font/"].contains(where: type.hasPrefix) { return true }
        let binary = ["octet-stream", "pdf", "zip", "gzip", "zstd", "wasm", "x-tar", "x-gzip", "x-7z-compressed"]
        return type.hasPrefix("application/") && binary.contains(String(type.dropFirst(12)))
    }
}
