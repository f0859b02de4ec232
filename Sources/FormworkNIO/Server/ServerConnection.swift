#if NIO
import Formwork
import FormworkHTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes

/// An HTTP/1.1 connection of a server without a framework.
public typealias ServerConnection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

extension ChannelPipeline.SynchronousOperations {
    /// Makes the pipeline of an HTTP/1.1 server that takes forms: codec, ``ExpectContinueHandler``, and back-pressure by
    /// two chunks.
    ///
    /// Requests are refused as RFC 9112 says, 400 or 501, which NIO's decoder alone doesn't do; an offer to upgrade is
    /// ignored.
    /// - Parameter bounds: How long a client is waited for.
    /// - Returns: The connection, for ``NIOCore/NIOAsyncChannel/serve(_:)``.
    /// - Throws: What NIO throws for a pipeline that has such handlers already.
    public func configureFormServer(bounds: ServerBounds = ServerBounds()) throws -> ServerConnection {
        // Requests behind one another wait in the decoder.
        try self.addRequestFraming()
        try self.addHandler(ServerBoundsHandler(bounds))
        try self.addHandler(ExpectContinueHandler())
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: self.channel,
            configuration: NIOAsyncChannel.Configuration(
                backPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
                    lowWatermark: 1, highWatermark: 2)))
    }

    private var channel: any Channel {
        get throws { try self.context(handlerType: ExpectContinueHandler.self).channel }
    }
}

extension NIOAsyncChannel where Inbound == HTTPRequestPart, Outbound == HTTPResponsePart {
    /// Answers the connection's requests one after the other, until it ends.
    ///
    /// What the handler leaves of a body is read and dropped behind the answer. A ``FormworkError`` or ``RequestProblem``
    /// that it throws is answered by ``ProblemDetails``; any other error by 500, which tells nothing.
    /// - Parameter handler: Makes the answer to a request.
    /// - Throws: What the connection fails with, and what the answer's body does: the peer then gets no end of it.
    public func serve(
        _ handler: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws {
        try await self.executeThenClose { inbound, outbound in
            let parts = InboundParts(inbound.makeAsyncIterator())
            do {
                while let part = try await parts.next() {
                    // What is no head belongs to a body that nobody read.
                    guard case .head(let head) = part else { continue }
                    let request = ServerRequest(
                        head: head, body: ServerRequest.Body(ServerRequest.Chunks(parts, self.channel)))
                    let response: ServerResponse
                    do { response = try await handler(request) } catch { response = ServerResponse(error) }
                    try await response.write(to: outbound, isHeadOnly: head.method == .head)
                    if head.headerFields.closesConnection || response.head.headerFields.closesConnection { break }
                }
            } catch let error as HTTPParserError {
                try await Self.refuse(HeadRefusal(error), outbound)
            } catch let error as HeadRefusal {
                try await Self.refuse(error, outbound)
            }
            // What is unread at a close would take the answer with it (RFC 9112 section 9.6).
            try? await self.channel.close(mode: .output)
            while (try? await parts.next()) != nil {}
        }
    }

    private static func refuse(
        _ refusal: HeadRefusal, _ outbound: NIOAsyncChannelOutboundWriter<HTTPResponsePart>
    ) async throws {
        var response = ServerResponse(refusal.problem)
        response.head.headerFields[.connection] = "close"
        try await response.write(to: outbound, isHeadOnly: false)
    }
}

/// The parts of all of a connection's requests, which whoever asks next gets.
actor InboundParts {
    private var iterator: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator?
    /// Whether the end of the request that was begun last was given.
    private var isRequestAtEnd = true

    init(_ iterator: sending NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator) {
        self.iterator = iterator
    }

    /// The next part; `nil` at the connection's end. One caller at a time.
    func next() async throws -> HTTPRequestPart? {
        guard var iterator = self.iterator else { return nil }
        self.iterator = nil
        let part = try await iterator.next(isolation: self)
        self.iterator = iterator
        switch part {
        case .head: self.isRequestAtEnd = false
        case .end: self.isRequestAtEnd = true
        default: break
        }
        return part
    }

    /// The next chunk of the request that was begun last; `nil` at its end.
    func nextChunk() async throws -> ByteBuffer? {
        while !self.isRequestAtEnd {
            switch try await self.next() {
            case .body(let chunk): return chunk
            case .end: return nil
            case .head: continue
            case nil: throw FormworkError(.truncatedBody, "the connection ended before the body did")
            }
        }
        return nil
    }
}
#endif
