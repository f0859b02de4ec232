import FormworkFoundation
import Foundation
import SystemPackage

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
