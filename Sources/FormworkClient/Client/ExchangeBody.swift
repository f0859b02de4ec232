#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable

/// A body, or the part of it that a request carries: resuming sends the rest.
package struct ExchangeBody: Sendable {
    /// The whole body.
    package var plan: BodyPlan
    /// Bytes to skip without reading them.
    package var offset: Int64
    /// The most bytes to send; `nil` sends all up to the end.
    package var count: Int64?
    /// Whether the length isn't sent to the server, even if it is known.
    package var isChunked = false

    /// Creates a body; by default the whole one.
    package init(_ plan: BodyPlan, from offset: Int64 = 0, count: Int64? = nil) {
        (self.plan, self.offset, self.count) = (plan, offset, count)
    }

    /// Bytes that the request carries; `nil` if unknown.
    package var length: Int64? {
        guard !self.isChunked, let rest = self.plan.contentLength.map({ max(0, $0 - self.offset) }) else { return nil }
        return self.count.map { min($0, rest) } ?? rest
    }

    /// A pipe of these bytes.
    func makePipe(_ options: ReaderOptions) throws -> BufferPipe {
        let reader = try self.plan.makeReader(from: self.offset, count: self.count, options: options)
        return BufferPipe(reader, length: self.length, size: 512 << 10)
    }
}
#endif
