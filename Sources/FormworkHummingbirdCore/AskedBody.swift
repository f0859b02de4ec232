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

    /// - Parameter asks: Whether the client waits for `100 Continue` before it sends the body.
    package init(_ body: RequestBody, _ channel: any Channel, asks: Bool) {
        (self.body, self.channel, self.asks) = (body, channel, asks)
    }

    package struct AsyncIterator: AsyncIteratorProtocol {
        var iterator: RequestBody.AsyncIterator
        let channel: any Channel
        var asks: Bool

        package mutating func next() async throws -> ByteBuffer? { try await self.next(isolation: #isolation) }

        package mutating func next(isolation: isolated (any Actor)?) async throws -> ByteBuffer? {
            if self.asks {
                self.asks = false
                self.channel.inform(HTTPResponse(status: .continue))
            }
            if let buffer = try await self.iterator.next(isolation: isolation) { return buffer }
            // A task that was cancelled may have received less than the whole body.
            try Task.checkCancellation()
            return nil
        }
    }

    package func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(iterator: self.body.makeAsyncIterator(), channel: self.channel, asks: self.asks)
    }
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
