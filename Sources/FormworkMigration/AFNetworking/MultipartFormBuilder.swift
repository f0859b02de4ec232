import FormworkFoundation
import FormworkSystem
import Foundation
import SystemPackage

/// The parts of a multipart request, with the methods of AFNetworking's `AFMultipartFormData`.
public struct MultipartFormBuilder: Sendable {
    /// The limit that ``throttle(packetSize:delay:)`` set; `nil` for none.
    public private(set) var rateLimit: RateLimit?

    /// A part, with its declared length if it is read like in AFNetworking.
    private struct Part {
        var part: BodyPart
        var declared: Int64?
        /// The file to check again when all parts were appended, as AFNetworking opens it then.
        var file: FilePath?
    }

    private let compatibility: Compatibility
    private let mediaTypes: [String: String]
    private let framing: MultipartFraming
    private var parts: [Part] = []
    var isEmpty: Bool { self.parts.isEmpty }

    init(boundary: Boundary, _ settings: RequestSettings) {
        (self.compatibility, self.mediaTypes) = (settings.compatibility, settings.mediaTypes)
        self.framing = settings.compatibility.framing(boundary, emptyForm: .closeDelimiter)
    }

    // MARK: - Parts

    /// Appends data as a field.
    public mutating func append(_ data: Data, name: String) throws(FormworkError) {
        self.append(try self.compatibility.header(name, nil, nil), .bytes(Array(data)))
    }

    /// Appends data as a file.
    public mutating func append(_ data: Data, name: String, fileName: String, mimeType: String) throws(FormworkError) {
        self.append(try self.compatibility.header(name, fileName, mimeType), .bytes(Array(data)))
    }

    /// Appends a file with its own name; its type is that of its extension, first from ``RequestSettings/mediaTypes``.
    /// - Throws: What ``append(file:name:fileName:mimeType:)`` throws.
    public mutating func append(file url: URL, name: String) throws {
        let type =
            self.mediaTypes[url.pathExtension.lowercased()] ?? MediaTypeTable.mediaType(forExtension: url.pathExtension)
        try self.append(
            file: url, name: name, fileName: url.lastPathComponent, mimeType: type ?? MediaTypeChoice.unknown)
    }

    /// Appends a file, which must not change until it was read.
    /// - Throws: ``RequestSerializationError`` for a URL that isn't a file URL or can't be reached.
    public mutating func append(file url: URL, name: String, fileName: String, mimeType: String) throws {
        let header = try self.compatibility.header(name, fileName, mimeType)
        guard url.isFileURL else { throw RequestSerializationError.badURL("Expected URL to be a file URL") }
        let state: FileValidator?
        do { state = try FileValidator(ofRegularFile: FilePath(url.path)) } catch {
            throw RequestSerializationError.badURL("File URL not reachable.", cause: error)
        }
        guard let state else {
            throw FormworkError(.invalidArgument, "is not a regular file, so its length isn't known", path: url.path)
        }
        let path = FilePath(url.path)
        let part = BodyPart(header: header, source: .file(path, expecting: state))
        switch self.compatibility {
        case .safe: self.append(part)
        case .exact: self.parts.append(Part(part: part, declared: state.size, file: path))
        }
    }

    /// Appends a stream as a file. The stream belongs to the request then; `nil` is an empty one.
    /// - Parameters:
    ///   - stream: The content.
    ///   - length: The exact number of bytes in the stream.
    ///   - name: The field's name.
    ///   - fileName: The filename in the header.
    ///   - mimeType: The content's type.
    public mutating func append(
        _ stream: InputStream?, length: Int64, name: String, fileName: String, mimeType: String
    ) throws(FormworkError) {
        let header = try self.compatibility.header(name, fileName, mimeType)
        guard length >= 0 else { throw FormworkError(.invalidArgument, "a stream can't have \(length) bytes") }
        switch (self.compatibility, stream) {
        case (.safe, let stream?): self.append(header, .stream(once: InputStreamBytes(stream), length: length))
        case (.safe, nil):
            self.append(header, .stream(length: length) { _ in InputStreamBytes(InputStream(data: Data())) })
        case (.exact, let stream):
            let source = stream.map { BodySource.stream(once: LenientStream(stream: InputStreamBytes($0))) }
            self.parts.append(
                Part(part: BodyPart(header: header, source: source ?? .bytes([])), declared: length))
        }
    }

    /// Appends data with the caller's own header section.
    public mutating func append(headers: HTTPHeaders, body: Data) throws(FormworkError) {
        self.append(PartHeader(disposition: nil, fields: try self.compatibility.fields(headers)), .bytes(Array(body)))
    }

    /// Appends a part in Formwork's own form, which can do more than AFNetworking's methods.
    public mutating func append(_ part: BodyPart) {
        self.parts.append(Part(part: part))
    }

    /// Limits the rate of the body to `packetSize` bytes per `delay`. The defaults are AFNetworking's for 3G,
    /// `kAFUploadStream3GSuggestedPacketSize` and `kAFUploadStream3GSuggestedDelay`.
    ///
    /// It becomes part of ``MultipartRequest/options``, so it applies to every way of sending the request. A second
    /// call replaces the first.
    /// - Precondition: `packetSize` is at least 1, and `delay` isn't negative.
    public mutating func throttle(packetSize: Int = 16_384, delay: Duration = .milliseconds(200)) {
        self.rateLimit = RateLimit(packet: packetSize, delay: delay)
    }

    // MARK: - The body

    /// The body, and its declared length.
    func plan() throws(FormworkError) -> (plan: BodyPlan, length: Int64?) {
        var (form, declared) = (FormData(framing: self.framing), FormData(framing: self.framing))
        for part in self.parts {
            let header = part.part.header
            form.append(part.file.map { BodyPart(header: header, source: Self.lenient($0)) } ?? part.part)
            let length = part.declared.map { SyntheticBytes(.zeros, count: $0) }
            declared.append(length.map { BodyPart(header: header, source: .synthetic($0)) } ?? part.part)
        }
        let plan = try form.plan()
        guard self.compatibility == .exact else { return (plan, plan.contentLength) }
        return (plan, try declared.plan().contentLength)
    }

    /// A file in its current state, even if it changed after it was appended; empty if it is gone.
    private static func lenient(_ path: FilePath) -> BodySource {
        guard let state = try? FileValidator(ofRegularFile: path) else { return .bytes([]) }
        return .file(unchecked: path, length: state.size)
    }

    private mutating func append(_ header: PartHeader, _ source: BodySource) {
        self.append(BodyPart(header: header, source: source))
    }
}

/// A stream that is read like in AFNetworking: a failure is its end.
private struct LenientStream: ByteStream {
    let stream: InputStreamBytes

    func read(into buffer: inout MutableRawSpan) -> Int { (try? self.stream.read(into: &buffer)) ?? 0 }
}
