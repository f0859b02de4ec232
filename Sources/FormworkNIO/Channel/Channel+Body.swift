import Formwork
import NIOCore

extension Channel {
    /// Writes a body to a channel that accepts bytes, at the pace of its receiver, and returns the number of bytes.
    ///
    /// At most two buffers are in memory: one being sent, one being read. After an error the channel is closed, so that
    /// the receiver doesn't mistake what it has for the whole body.
    /// - Parameters:
    ///   - plan: The body.
    ///   - options: Rate limit, progress, digests and checks of the reader.
    /// - Throws: The errors of ``AsyncBodyReader/next()``; ``FormworkError/Code/writeFailed`` if the channel breaks.
    @discardableResult
    public func writeBody(
        _ plan: BodyPlan, options: ReaderOptions = ReaderOptions()
    ) async throws -> Int64 {
        try await self.writeBody(plan, options: options) { $0 }
    }

    /// The same for a channel whose pipeline accepts another type than bytes, such as `HTTPClientRequestPart.body`.
    /// - Parameters:
    ///   - plan: The body.
    ///   - options: Rate limit, progress, digests and checks of the reader.
    ///   - wrap: Converts each piece to the pipeline's type.
    @discardableResult
    public func writeBody<Part: Sendable>(
        _ plan: BodyPlan, options: ReaderOptions = ReaderOptions(),
        as wrap: @Sendable (IOData) -> Part
    ) async throws -> Int64 {
        let reader = AsyncBodyReader(try plan.makeReader(options: options))
        do {
            let count = try await withTaskCancellationHandler {
                try await self.write(reader, wrap)
            } onCancel: {
                self.close(promise: nil)
            }
            await reader.close()
            return count
        } catch {
            self.close(promise: nil)
            let position = await reader.progress.sent
            await reader.close()
            try Task.checkCancellation()
            if error is FormworkError { throw error }
            throw FormworkError(
                .writeFailed, "the body can't be written to the channel", offset: position, cause: error)
        }
    }

    private func write<Part: Sendable>(
        _ reader: AsyncBodyReader, _ wrap: @Sendable (IOData) -> Part
    ) async throws -> Int64 {
        let ring = BufferRing(limit: 3, allocator: self.allocator)
        var total: Int64 = 0
        var onTheWay: EventLoopFuture<Void>?
        while true {
            let buffer = try await reader.actor.next { size, fill throws(FormworkError) in
                try ring.fill(upTo: size, fill)
            }
            try await onTheWay?.get()
            guard let buffer else { return total }
            total += Int64(buffer.readableBytes)
            onTheWay = self.writeAndFlush(wrap(.byteBuffer(buffer)))
        }
    }
}
