import HTTPTypes
import HummingbirdCore
import NIOCore
import NIOHTTPTypes

/// A request's body. The client is asked for it when its first byte is wanted, and not before, so that an upload can be refused
/// before it is sent (`100 Continue`, RFC 9110 section 10.1.1).
package struct AskedBody: AsyncSequence, Sendable {
    package typealias Element = ByteBuffer

    private let body: RequestBody
    private let channel: any Channel
    private let asks: Bool
    private let gate: BodyGate?

    /// - Parameters:
    ///   - asks: Whether the client waits for `100 Continue` before it sends the body.
    ///   - gate: Who may read it; `nil` if its readers are known to end before the answer.
    package init(_ body: RequestBody, _ channel: any Channel, asks: Bool, gate: BodyGate? = nil) {
        (self.body, self.channel, self.asks, self.gate) = (body, channel, asks, gate)
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        /// `nil` if the body was read before.
        var iterator: RequestBody.AsyncIterator?
        let channel: any Channel
        var asks: Bool
        let gate: BodyGate?
        var isWanted = false

        package mutating func next() async throws -> ByteBuffer? { try await self.next(isolation: #isolation) }

        package mutating func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? {
            guard self.iterator != nil else { throw BodyGate.Refusal.wasRead }
            try self.gate?.enter()
            if !self.isWanted {
                self.isWanted = true
                self.channel.triggerUserOutboundEvent(BodyWanted(), promise: nil)
            }
            if self.asks {
                self.asks = false
                self.channel.inform(HTTPResponse(status: .continue))
            }
            let buffer: ByteBuffer?
            do { buffer = try await self.iterator?.next(isolation: isolation) } catch {
                try self.gate?.leave()
                throw error
            }
            try self.gate?.leave()
            if let buffer { return buffer }
            // A task that was cancelled may have received less than the whole body.
            try Task.checkCancellation()
            return nil
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        let isFirst = self.gate?.takeTurn() ?? true
        return AsyncIterator(
            iterator: isFirst ? self.body.makeAsyncIterator() : nil, channel: self.channel, asks: self.asks,
            gate: self.gate)
    }
}

/// An event of a request's channel: its body is read from now on.
package struct BodyWanted: Sendable {
    package init() {}
}

extension HTTPRequest {
    /// Whether the client waits for `100 Continue` before it sends the body.
    package var expectsContinue: Bool {
        self.headerFields[values: .expect].contains { value in
            value.split(separator: ",").contains {
                $0.trimmingPrefix(while: \.isWhitespace).lowercased().hasPrefix("100-continue")
            }
        }
    }
}

extension Channel {
    /// Sends a 1xx answer if there is room. Nothing waits for a client that doesn't read.
    package func inform(_ head: HTTPResponse) {
        if self.isWritable { self.writeAndFlush(HTTPResponsePart.head(head), promise: nil) }
    }
}
