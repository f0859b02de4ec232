import FormworkCore
import SystemPackage

extension BodySource {
    /// Reads all bytes into memory. Disks are read on a separate thread.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than `limit` bytes, before anything is read if the
    ///   length is known, and what reading the source throws.
    public func bytes(upTo limit: Int) async throws -> [UInt8] {
        let plan = try BodyPlan(copying: self)
        var bytes: [UInt8] = []
        if let length = plan.contentLength {
            guard length <= Int64(limit) else { throw Self.tooLong(limit) }
            // A length may come from a peer and exceed the memory.
            bytes.reserveCapacity(Int(min(length, 1 << 20)))
        }
        for try await chunk in plan.chunks() {
            guard chunk.count <= limit - bytes.count else { throw Self.tooLong(limit) }
            bytes += chunk
        }
        return bytes
    }

    private static func tooLong(_ limit: Int) -> FormworkError {
        FormworkError(.limitExceeded, "the content has more than \(limit, "byte")")
    }

    /// The bytes as an async sequence that never blocks its consumer.
    /// - Parameter size: The most bytes of a chunk, clamped to 1 byte to 64 MiB.
    /// - Throws: ``FormworkError/Code/sourceUnavailable`` if the source can't be planned.
    public func chunks(of size: Int = 256 << 10) throws(FormworkError) -> BodyChunks {
        try BodyPlan(copying: self).chunks(of: size)
    }
}
