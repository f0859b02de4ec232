import FormworkCore
import SystemPackage

extension BodyPlan {
    /// The same body. One whose length is 0 was read by then: a server may answer an empty request before its source is
    /// read, and files of /proc have a size of 0 although they have content.
    /// - Throws: The source's error, and `lengthMismatch` for a stream that has bytes after all.
    package func checkedIfEmpty() async throws -> BodyPlan {
        guard self.contentLength == 0 else { return self }
        let empty = try await self.collected(upTo: 0, in: nil, checksFraming: false)
        // Bytes in memory replace only what can't be read again: a saved upload is recognized by its source.
        return self.isReplayable ? self : empty
    }

    /// The same body with the same `Content-Type`, collected in memory, or in a file without a name if it is large.
    /// - Parameters:
    ///   - memoryThreshold: The most bytes in memory.
    ///   - folder: The file's folder; `nil` for `$TMPDIR`, or `/tmp` without it.
    ///   - checksFraming: See ``ReaderOptions/checksFraming``.
    package func collected(
        upTo memoryThreshold: Int, in folder: FilePath?, checksFraming: Bool
    ) async throws -> BodyPlan {
        let reader = AsyncBodyReader(try self.makeReader(options: ReaderOptions(checksFraming: checksFraming)))
        var bytes: [UInt8] = []
        do {
            while bytes.count <= memoryThreshold {
                guard let chunk = try await reader.next() else { return try self.collected(as: .bytes(bytes)) }
                bytes += chunk
            }
            return try await self.collected(as: BodySpool(bytes, and: reader, in: folder).source)
        } catch {
            // A sequence that was cancelled throws its own error: report the cancellation instead.
            try Task.checkCancellation()
            throw error
        }
    }
}
