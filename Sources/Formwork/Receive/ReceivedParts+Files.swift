import FormworkCore
import FormworkSystem
import SystemPackage

extension ReceivedParts {
    /// Writes each file of the form to a new file in a folder, as ``ReceivedPart/write(into:durably:)`` does, and skips the
    /// fields.
    ///
    /// All or nothing: if a part fails, or the body after it, the files that were written before are removed.
    /// - Parameters:
    ///   - folder: The folder. It is created if only its last component is missing.
    ///   - durably: Whether to wait until the disk has the bytes before a file gets its name.
    /// - Returns: The files' paths, in order; none for a file control that was left empty.
    /// - Throws: ``FormworkError/Code/writeFailed``, and what iterating throws.
    @discardableResult
    public func writeFiles(into folder: some PathConvertible, durably: Bool = false) async throws -> [FilePath] {
        try await self.writeFiles { part in try await part.write(into: folder, durably: durably) }
    }

    /// Writes each file, and removes those that were written before an error.
    package func writeFiles(
        _ write: (ReceivedPart<Chunks>) async throws -> FilePath?
    ) async throws -> [FilePath] {
        var paths: [FilePath] = []
        do {
            for try await part in self where part.isFile {
                if let path = try await write(part) { paths.append(path) }
            }
        } catch {
            for path in paths { SystemCalls.unlink(path) }
            throw error
        }
        return paths
    }
}
