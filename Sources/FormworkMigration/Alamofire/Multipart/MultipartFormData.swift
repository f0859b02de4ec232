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
        guard let header = self.header(disposition: nil, headers) else { return }
        self.append(stream, length, header)
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
        // A field, not the header's type: Alamofire accepts any text as a type.
        let type: HTTPHeaders = mimeType.map { [.contentType($0)] } ?? []
        guard var header = self.header(disposition: .formData, type) else { return nil }
        header.name = name
        header.filename = fileName
        return header
    }

    private func header(disposition: DispositionType?, _ headers: HTTPHeaders) -> PartHeader? {
        do throws(FormworkError) {
            return PartHeader(
                disposition: disposition,
                fields: try headers.map { header throws(FormworkError) in
                    switch self.compatibility {
                    case .safe: try HeaderField(header.name, header.value)
                    case .exact: HeaderField(verbatim: Array(header.description.utf8))
                    }
                })
        } catch {
            self.fail(.inputStreamReadFailed(error: error.naming(PartReference(index: self.parts.count, name: nil))))
            return nil
        }
    }

    private func fail(_ reason: AFError.MultipartEncodingFailureReason) {
        if self.failure == nil { self.failure = .multipartEncodingFailed(reason: reason) }
    }
}
