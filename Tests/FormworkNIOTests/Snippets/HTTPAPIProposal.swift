import Formwork
import HTTPTypes

nonisolated extension HTTPClientRequestBody where Writer: ~Copyable {
    static func plan(_ plan: BodyPlan) -> Self {
        guard plan.isReplayable, plan.contentLength != nil else {
            return .restartable(knownLength: plan.contentLength) { try await plan.write(from: 0, to: $0) }
        }
        return .seekable(knownLength: plan.contentLength) { try await plan.write(from: $0, to: $1) }
    }
}

nonisolated extension BodyPlan {
    func write<Writer: CallerAsyncWriter & ~Copyable>(
        from offset: Int64, to writer: consuming Writer
    ) async throws where Writer.WriteElement == UInt8, Writer.FinalElement == HTTPFields? {
        let reader = AsyncBodyReader(try self.makeReader(from: offset))
        while let chunk = try await reader.next() {
            var buffer = UniqueArray<UInt8>(copying: chunk.span)
            try await writer.write(buffer: &buffer)
        }
        try await writer.finish(trailer: nil)
    }
}
