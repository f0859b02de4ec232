import Foundation
import SystemPackage

/// The parts of a multipart request, appended as AFNetworking's `AFMultipartFormData` has it.
public struct MultipartFormBuilder: Sendable {
    /// What ``throttle(packetSize:delay:)`` set; `nil` for as fast as it goes.
    public private(set) var rateLimit: RateLimit?

    private let compatibility: Compatibility
    private var form: FormData
    /// The form as it was declared, which AFNetworking takes the length from.
    private var declared: FormData
    private(set) var isEmpty = true

    init(boundary: Boundary, _ compatibility: Compatibility) {
        let isSafe = compatibility == .safe
        self.compatibility = compatibility
        self.form = FormData(
            framing: MultipartFraming(
                boundary: boundary, escaping: isSafe ? .whatwg : .raw, quoting: isSafe ? .whenNeeded : .never))
        self.declared = self.form
    }

    // MARK: - Parts

    /// Appends data as a field.
    public mutating func append(_ data: Data, name: String) throws(FormworkError) {
        self.append(try self.header(name, nil, nil), .bytes(Array(data)))
    }

    /// Appends data as a file.
    public mutating func append(_ data: Data, name: String, fileName: String, mimeType: String) throws(FormworkError) {
        self.append(try self.header(name, fileName, mimeType), .bytes(Array(data)))
    }

    /// Appends a file under its own name; its type is the extension's.
    /// - Throws: What ``append(file:name:fileName:mimeType:)`` throws.
    public mutating func append(file url: URL, name: String) throws {
        let type = MediaTypeTable.mediaType(forExtension: url.pathExtension) ?? MediaTypeChoice.unknown
        try self.append(file: url, name: name, fileName: url.lastPathComponent, mimeType: type)
    }

    /// Appends a file, which has to stay as it is until it was read.
    /// - Throws: ``RequestSerializationError`` for what is no file URL or can't be reached.
    public mutating func append(file url: URL, name: String, fileName: String, mimeType: String) throws {
        let header = try self.header(name, fileName, mimeType)
        guard url.isFileURL else { throw RequestSerializationError.badURL("Expected URL to be a file URL") }
        let state: FileValidator?
        do { state = try FileValidator(ofRegularFile: FilePath(url.path)) } catch {
            throw RequestSerializationError.badURL("File URL not reachable.", cause: error)
        }
        guard let state else {
            throw FormworkError(.invalidArgument, "is no regular file, whose length were known", path: url.path)
        }
        switch self.compatibility {
        case .safe: self.append(header, .file(FilePath(url.path), expecting: state))
        case .exact: self.append(header, lenient: InputStream(url: url), length: state.size)
        }
    }

    /// Appends a stream as a file. The stream is the request's from now on; `nil` is an empty one.
    /// - Parameter length: Bytes in the stream, neither more nor fewer.
    public mutating func append(
        _ stream: InputStream?, length: Int64, name: String, fileName: String, mimeType: String
    ) throws(FormworkError) {
        let header = try self.header(name, fileName, mimeType)
        guard length >= 0 else { throw FormworkError(.invalidArgument, "a stream of \(length) bytes") }
        switch self.compatibility {
        case .safe:
            let source = stream.map { BodySource.stream(once: InputStreamBytes($0), length: length) }
            self.append(header, source ?? .stream(once: InputStreamBytes(InputStream(data: Data())), length: length))
        case .exact: self.append(header, lenient: stream, length: length)
        }
    }

    /// Appends data behind a header section of the caller's own.
    public mutating func append(headers: HTTPHeaders, body: Data) throws(FormworkError) {
        self.append(PartHeader(disposition: nil, fields: try self.fields(headers)), .bytes(Array(body)))
    }

    /// Appends a part of the engine's, which may be what AFNetworking has no words for.
    public mutating func append(_ part: BodyPart) {
        self.form.append(part)
        self.declared.append(part)
        self.isEmpty = false
    }

    /// Slows the body down: `packetSize` bytes each `delay` at most. The defaults are AFNetworking's for 3G.
    public mutating func throttle(
        packetSize: Int = RateLimit.afNetworking3G.packet, delay: Duration = RateLimit.afNetworking3G.delay
    ) {
        self.rateLimit = RateLimit(packet: packetSize, delay: delay)
    }

    // MARK: - What comes of them

    /// The body, and its length as declared.
    func plan() throws(FormworkError) -> (plan: BodyPlan, length: Int64?) {
        let plan = try self.form.plan()
        guard self.compatibility == .exact else { return (plan, plan.contentLength) }
        return (plan, try self.declared.plan().contentLength)
    }

    private mutating func append(_ header: PartHeader, _ source: BodySource) {
        self.append(BodyPart(header: header, source: source))
    }

    private mutating func append(_ header: PartHeader, lenient stream: InputStream?, length: Int64) {
        let stream = LenientStream(stream: InputStreamBytes(stream ?? InputStream(data: Data())))
        self.form.append(BodyPart(header: header, source: .stream(once: stream)))
        self.declared.append(
            BodyPart(header: header, source: .synthetic(SyntheticBytes(.zeros, count: length))))
        self.isEmpty = false
    }

    private func header(_ name: String, _ fileName: String?, _ type: String?) throws(FormworkError) -> PartHeader {
        PartHeader(
            name: name, filename: fileName,
            fields: try self.fields(HTTPHeaders(type.map { [.contentType($0)] } ?? [])))
    }

    private func fields(_ headers: HTTPHeaders) throws(FormworkError) -> [HeaderField] {
        var fields: [HeaderField] = []
        for header in headers {
            switch self.compatibility {
            case .safe: fields.append(try HeaderField(header.name, header.value))
            case .exact: fields.append(HeaderField(verbatim: Array(header.description.utf8)))
            }
        }
        return fields
    }
}

/// A stream as AFNetworking reads it: one that fails has ended.
private struct LenientStream: ByteStream {
    let stream: InputStreamBytes

    func read(into buffer: inout MutableRawSpan) -> Int { (try? self.stream.read(into: &buffer)) ?? 0 }
}
