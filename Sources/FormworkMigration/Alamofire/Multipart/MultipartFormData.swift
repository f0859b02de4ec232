import FormworkFoundation
import FormworkSystem
import Foundation
import SystemPackage

/// A `multipart/form-data` body with Alamofire's interface, built on this package.
///
/// Appending never throws: the first failure is kept, and the encoding methods throw it. ``plan()`` returns the body
/// for sending, without building it in memory or on disk first.
open class MultipartFormData {
    /// Forms with at least this many bytes of content should be encoded on disk.
    public static let encodingMemoryThreshold: UInt64 = 10_000_000

    /// The request's `Content-Type`, with the boundary.
    open lazy var contentType: String = {
        let boundary = self.compatibility == .safe ? try? Boundary(self.boundary).parameterValue : nil
        return "multipart/form-data; boundary=\(boundary ?? self.boundary)"
    }()

    /// The declared bytes of content, without boundaries and header sections; this isn't the request's
    /// `Content-Length`.
    public var contentLength: UInt64 {
        self.parts.reduce(0) { sum, part in
            let (sum, overflow) = sum.addingReportingOverflow(part.length)
            return overflow ? .max : sum
        }
    }

    /// The boundary between the parts.
    public let boundary: String
    /// What to do if Alamofire would lose data.
    public let compatibility: Compatibility

    let fileManager: FileManager
    private(set) var parts: [MultipartFormDataPart] = []
    private(set) var failure: AFError?

    /// Creates an empty form.
    /// - Parameters:
    ///   - fileManager: The file manager that examines paths.
    ///   - boundary: The boundary between the parts, 1 to 70 of RFC 2046's characters; `nil` for a random one.
    ///   - compatibility: What to do if Alamofire would lose data.
    public init(
        fileManager: FileManager = .default, boundary: String? = nil, compatibility: Compatibility = .safe
    ) {
        var generator = SystemRandomNumberGenerator()
        self.fileManager = fileManager
        self.boundary = boundary ?? Boundary.alamofire(using: &generator).text
        self.compatibility = compatibility
    }

    // MARK: - Parts

    /// Appends data as a field, or as a file if there is a `fileName`.
    public func append(_ data: Data, withName name: String, fileName: String? = nil, mimeType: String? = nil) {
        guard let header = self.header(name, fileName, mimeType) else { return }
        switch self.compatibility {
        case .safe:
            self.parts.append(MultipartFormDataPart(header, UInt64(data.count), .bytes(Array(data))))
        case .exact:
            self.append(InputStream(data: data), UInt64(data.count), header)
        }
    }

    /// Appends a file with its own name, which needs an extension; its type is that of the extension.
    public func append(_ fileURL: URL, withName name: String) {
        guard !fileURL.lastPathComponent.isEmpty, !fileURL.pathExtension.isEmpty else {
            return self.fail(.bodyPartFilenameInvalid(in: fileURL))
        }
        let type = self.compatibility == .safe ? MediaTypeTable.mediaType(forExtension: fileURL.pathExtension) : nil
        self.append(
            fileURL, withName: name, fileName: fileURL.lastPathComponent, mimeType: type ?? MediaTypeChoice.unknown)
    }

    /// Appends a file, which must not change until it was read.
    public func append(_ fileURL: URL, withName name: String, fileName: String, mimeType: String) {
        guard let header = self.header(name, fileName, mimeType) else { return }
        guard fileURL.isFileURL else { return self.fail(.bodyPartURLInvalid(url: fileURL)) }
        if self.compatibility == .safe {
            do {
                guard try fileURL.checkResourceIsReachable() else {
                    return self.fail(.bodyPartFileNotReachable(at: fileURL))
                }
            } catch { return self.fail(.bodyPartFileNotReachableWithError(atURL: fileURL, error: error)) }
        }
        guard self.fileManager.isDirectory(atPath: fileURL.path) == false else {
            return self.fail(.bodyPartFileIsDirectory(at: fileURL))
        }
        do {
            switch self.compatibility {
            case .safe: try self.appendPinned(fileURL, header)
            case .exact: try self.appendStream(of: fileURL, header)
            }
        } catch {
            self.fail(.bodyPartFileSizeQueryFailedWithError(forURL: fileURL, error: error))
        }
    }

    /// Appends a stream as a file. The stream belongs to the form then.
    public func append(
        _ stream: InputStream, withLength length: UInt64, name: String, fileName: String, mimeType: String
    ) {
        guard let header = self.header(name, fileName, mimeType) else { return }
        self.append(stream, length, header)
    }

    /// Appends a stream with the caller's own header section. The stream belongs to the form then.
    public func append(_ stream: InputStream, withLength length: UInt64, headers: HTTPHeaders) {
        guard let fields = self.checked({ () throws(FormworkError) in try self.compatibility.fields(headers) }) else {
            return
        }
        self.append(stream, length, PartHeader(disposition: nil, fields: fields))
    }

    private func append(_ stream: InputStream, _ length: UInt64, _ header: PartHeader) {
        self.parts.append(MultipartFormDataPart(header, length, stream, self.compatibility))
    }

    private func appendPinned(_ fileURL: URL, _ header: PartHeader) throws {
        let path = FilePath(fileURL.path)
        guard let state = try FileValidator(ofRegularFile: path) else {
            return self.fail(.bodyPartFileSizeNotAvailable(at: fileURL))
        }
        self.parts.append(MultipartFormDataPart(header, UInt64(state.size), .file(path, expecting: state)))
    }

    private func appendStream(of fileURL: URL, _ header: PartHeader) throws {
        guard let size = try self.fileManager.attributesOfItem(atPath: fileURL.path)[.size] as? NSNumber else {
            return self.fail(.bodyPartFileSizeNotAvailable(at: fileURL))
        }
        guard let stream = InputStream(url: fileURL) else {
            return self.fail(.bodyPartInputStreamCreationFailed(for: fileURL))
        }
        self.append(stream, size.uint64Value, header)
    }

    // MARK: - Header sections

    private func header(_ name: String, _ fileName: String?, _ mimeType: String?) -> PartHeader? {
        self.checked { () throws(FormworkError) in try self.compatibility.header(name, fileName, mimeType) }
    }

    private func checked<Result>(_ make: () throws(FormworkError) -> Result) -> Result? {
        do throws(FormworkError) { return try make() } catch {
            self.fail(.inputStreamReadFailed(error: error.naming(PartReference(index: self.parts.count, name: nil))))
            return nil
        }
    }

    private func fail(_ reason: AFError.MultipartEncodingFailureReason) {
        if self.failure == nil { self.failure = .multipartEncodingFailed(reason: reason) }
    }
}

extension MultipartFormData {
    /// A form encoded for an upload.
    public enum Encoded: Sendable {
        /// In memory.
        case data(Data)
        /// In a file, which is removed with its handle.
        case file(TemporaryBodyFile)
    }

    /// Encodes the body: in memory below `encodingMemoryThreshold` bytes of content, otherwise in a temporary file that
    /// only this user can read.
    /// - Throws: What ``encode()`` and ``writeEncodedData(to:)`` throw.
    public func build(
        encodingMemoryThreshold: UInt64 = MultipartFormData.encodingMemoryThreshold
    ) throws -> Encoded {
        guard self.contentLength >= encodingMemoryThreshold else { return .data(try self.encode()) }
        let url = self.fileManager.temporaryDirectory.appendingPathComponent("formwork-\(UUID().uuidString)")
        try self.writeEncodedData(to: url, permissions: .ownerReadWrite)
        return .file(TemporaryBodyFile(url))
    }
}

/// A body in a temporary file. Keep the handle as long as the file is needed, including retries: the file is removed
/// with it.
public final class TemporaryBodyFile: Sendable {
    /// The file's URL.
    public let url: URL

    init(_ url: URL) { self.url = url }

    deinit { self.remove() }

    /// Removes the file now. It can be called any number of times.
    public func remove() { try? FileManager.default.removeItem(at: self.url) }
}

extension MultipartFormData {
    /// The whole body in memory, for small forms. For large ones use ``plan()`` or ``writeEncodedData(to:)``.
    /// - Throws: ``AFError``: the first failure of an `append`, or `inputStreamReadFailed`, with
    ///   ``AFError/UnexpectedInputStreamLength`` for a stream that doesn't have its declared length or was read before.
    public func encode() throws -> Data {
        let plan = try self.plan(for: .memory)
        defer { self.closeStreams() }
        return try self.reading { () throws(FormworkError) in
            let reader = plan.makeReader()
            var data = Data()
            // The declared length may be wrong.
            data.reserveCapacity(Int(clamping: min(plan.contentLength ?? 0, Int64(Self.encodingMemoryThreshold) * 2)))
            while true {
                let chunk = try reader.read(upTo: 256 << 10)
                if chunk.isEmpty { return data }
                data.append(contentsOf: chunk)
            }
        }
    }

    /// Writes the whole body to a new file, which is removed after a failure.
    /// - Throws: ``AFError``: the first failure of an `append`, `outputStreamFileAlreadyExists`,
    ///   `outputStreamURLInvalid`, `outputStreamWriteFailed`, or what ``encode()`` throws.
    public func writeEncodedData(to fileURL: URL) throws {
        try self.writeEncodedData(to: fileURL, permissions: [.ownerReadWrite, .groupReadWrite, .otherReadWrite])
    }

    func writeEncodedData(to fileURL: URL, permissions: FilePermissions) throws {
        if let failure = self.failure { throw failure }
        if self.fileManager.fileExists(atPath: fileURL.path) {
            throw AFError.multipartEncodingFailed(reason: .outputStreamFileAlreadyExists(at: fileURL))
        }
        guard fileURL.isFileURL else {
            throw AFError.multipartEncodingFailed(reason: .outputStreamURLInvalid(url: fileURL))
        }
        let plan = try self.plan(for: .disk)
        let path = FilePath(fileURL.path)
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(
                path, .writeOnly, options: [.create, .exclusiveCreate, .closeOnExec], permissions: permissions)
        } catch Errno.fileExists {
            throw AFError.multipartEncodingFailed(reason: .outputStreamFileAlreadyExists(at: fileURL))
        } catch {
            throw AFError.multipartEncodingFailed(
                reason: .outputStreamWriteFailed(
                    error: FormworkError(.writeFailed, "can't be made", path: path.string, cause: error)))
        }
        defer { self.closeStreams() }
        do {
            try descriptor.closeAfter {
                _ = try self.reading { () throws(FormworkError) in try plan.write(to: descriptor) }
            }
        } catch {
            try? self.fileManager.removeItem(at: fileURL)
            throw error
        }
    }

    /// Closes the streams that were opened, so that their rest can't be read as if it were the whole.
    private func closeStreams() { for part in self.parts { part.stream?.close() } }
}

extension MultipartFormData {
    /// The form in Formwork's own type, to send it, and to add parts that Alamofire's interface can't express.
    /// - Throws: The first failure of an `append`, and ``AFError/multipartEncodingFailed(reason:)`` for an invalid
    ///   boundary.
    public var form: FormData {
        get throws(AFError) { try self.form(for: .memory) }
    }

    /// The plan of the body, with every byte decided, to be read or sent directly from its sources.
    ///
    /// It contains the parts that were appended so far. Its readers throw ``FormworkError``.
    /// - Throws: What ``form`` throws, and ``AFError/multipartEncodingFailed(reason:)`` for a file that has changed
    ///   since it was appended.
    public func plan() throws(AFError) -> BodyPlan { try self.plan(for: .memory) }

    private func form(for destination: MultipartFormDataPart.Destination) throws(AFError) -> FormData {
        if let failure = self.failure { throw failure }
        do throws(FormworkError) {
            let framing = self.compatibility.framing(try Boundary(self.boundary), emptyForm: .nothing)
            var form = FormData(framing: framing)
            for part in self.parts { form.append(part.bodyPart(for: destination)) }
            return form
        } catch { throw self.translated(error) }
    }

    func plan(for destination: MultipartFormDataPart.Destination) throws(AFError) -> BodyPlan {
        let form = try self.form(for: destination)
        return try self.reading { () throws(FormworkError) in try form.plan() }
    }

    /// Runs a closure that may read parts, and translates its errors into Alamofire's.
    func reading<Result>(_ body: () throws(FormworkError) -> Result) throws(AFError) -> Result {
        for part in self.parts { part.stream?.count = 0 }
        do throws(FormworkError) { return try body() } catch { throw self.translated(error) }
    }

    private func translated(_ error: FormworkError) -> AFError {
        switch error.code {
        case .writeFailed: return .multipartEncodingFailed(reason: .outputStreamWriteFailed(error: error))
        case .lengthMismatch, .notReplayable:
            guard let index = error.part?.index, self.parts.indices.contains(index),
                let stream = self.parts[index].stream
            else { break }
            let length = AFError.UnexpectedInputStreamLength(
                bytesExpected: self.parts[index].length, bytesRead: stream.count)
            return .multipartEncodingFailed(reason: .inputStreamReadFailed(error: length))
        default: break
        }
        return .multipartEncodingFailed(reason: .inputStreamReadFailed(error: error))
    }
}
