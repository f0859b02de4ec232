import FormworkCore
import SystemPackage

extension BodyPlan {
    /// The same bytes behind the same `Content-Type`, collected in memory, or in a file without a name where they are many.
    /// - Parameters:
    ///   - memoryThreshold: Bytes held in memory at most.
    ///   - folder: Where the file is made; `nil` for `$TMPDIR`, or else `/tmp`.
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
            // A sequence that was cancelled while it was waited for counts as a source that failed.
            try Task.checkCancellation()
            throw error
        }
    }
}
