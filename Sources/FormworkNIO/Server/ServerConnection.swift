#if NIO
import Formwork
import FormworkHTTP
import HTTPTypes
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import Synchronization

/// An HTTP/1.1 connection of a server without a framework.
public typealias ServerConnection = NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>

extension ChannelPipeline.SynchronousOperations {
    /// Sets up the pipeline of an HTTP/1.1 server that accepts forms: the codec, 100 answers when a route begins to read
    /// a body, and back-pressure after two chunks.
    ///
    /// Invalid requests are refused with 400 or 501 as RFC 9112 requires, which NIO's decoder alone doesn't do; an
    /// upgrade offer is ignored. Up to 256 KiB are read at once if there are few connections, and 64 KiB if there are many.
    /// - Parameter bounds: How long to wait for a client.
    /// - Returns: The connection, for ``NIOCore/NIOAsyncChannel/serve(_:)``.
    /// - Throws: NIO's error for a pipeline that already has such handlers.
    public func configureFormServer(bounds: ServerBounds = ServerBounds()) throws -> ServerConnection {
        // Pipelined requests wait in the decoder.
        try self.addRequestFraming()
        try self.addHandler(ServerBoundsHandler(bounds))
        try self.addHandler(ExpectContinueHandler())
        let channel = try self.context(handlerType: ExpectContinueHandler.self).channel
        // A client may end its side after its request; by default NIO closes the connection then.
        try channel.syncOptions?.setOption(.allowRemoteHalfClosure, value: true)
        try ReadSizes.shared.apply(to: channel)
        return try NIOAsyncChannel(
            wrappingChannelSynchronously: channel,
            configuration: NIOAsyncChannel.Configuration(
                backPressureStrategy: NIOAsyncSequenceProducerBackPressureStrategies.HighLowWatermark(
                    lowWatermark: 1, highWatermark: 2)))
    }
}

extension NIOAsyncChannel where Inbound == HTTPRequestPart, Outbound == HTTPResponsePart {
    /// Answers the connection's requests one after another, until it ends.
    ///
    /// The rest of a body that the handler doesn't read is read and discarded after the answer. A ``FormworkError`` or
    /// ``RequestProblem`` that the handler throws is answered with ``ProblemDetails``; any other error with 500 and no
    /// details.
    /// - Parameter handler: Makes the answer to a request.
    /// - Throws: Errors of the connection, and of an answer's body: the client then doesn't receive the body's end.
    public func serve(
        _ handler: @escaping @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws {
        try await self.executeThenClose { inbound, outbound in
            let parts = InboundParts(inbound.makeAsyncIterator())
            do {
                while let part = try await parts.next() {
                    // Other parts belong to a body that wasn't read.
                    guard case .head(let head) = part else { continue }
                    let chunks = ServerRequest.Chunks(
                        parts, of: parts.number, self.channel, isAwaited: head.expectsContinue)
                    let request = ServerRequest(head: head, body: ServerRequest.Body(chunks))
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
            // Unread bytes at a close would destroy the answer (RFC 9112 section 9.6).
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

/// The parts of all of a connection's requests, given to one caller at a time.
///
/// It isn't an actor, because each part of a small request would then change the thread twice.
///
/// SAFETY of `@unchecked Sendable`: all mutable state is used only between ``enter()`` and ``leave()``, which admit one
/// caller at a time, except the atomic numbers.
final class InboundParts: @unchecked Sendable {
    private let isBusy = Atomic(false)
    private var iterator: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator
    /// Whether the end of the current request has been given.
    private var isRequestAtEnd = true
    private let requests = Atomic(0)
    /// Counts the requests. A body that is read later than its request lasts must not get another one's bytes.
    var number: Int { self.requests.load(ordering: .relaxed) }
    /// The number of the last request of which a body was asked for.
    private let readRequest = Atomic(0)

    init(_ iterator: sending NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator) {
        self.iterator = iterator
    }

    private func enter() -> Bool { !self.isBusy.exchange(true, ordering: .acquiring) }
    private func leave() { self.isBusy.store(false, ordering: .releasing) }

    /// The next part; `nil` at the connection's end, and for a second caller.
    func next() async throws -> HTTPRequestPart? {
        guard self.enter() else { return nil }
        defer { self.leave() }
        return try await self.pull()
    }

    private func pull() async throws -> HTTPRequestPart? {
        let part = try await self.iterator.next(isolation: #isolation)
        switch part {
        case .head:
            self.requests.add(1, ordering: .relaxed)
            self.isRequestAtEnd = false
        case .end: self.isRequestAtEnd = true
        default: break
        }
        return part
    }

    /// Called by each reader of a request's body, before its first chunk.
    /// - Throws: ``FormworkError/Code/notReplayable`` for a second reader.
    func beginReading(_ number: Int) throws(FormworkError) {
        guard self.readRequest.max(number, ordering: .relaxed).oldValue < number else {
            throw FormworkError(
                .notReplayable, "the request's body was already read: read it once, and pass on what was read")
        }
    }

    /// The next chunk of a request; `nil` at its end.
    func nextChunk(of number: Int) async throws -> ByteBuffer? {
        guard self.enter() else { throw Self.answered }
        defer { self.leave() }
        while number == self.number, !self.isRequestAtEnd {
            switch try await self.pull() {
            case .body(let chunk): return chunk
            case .end: return nil
            case .head: continue
            case nil: throw Self.ended
            }
        }
        guard number == self.number else { throw Self.answered }
        return nil
    }

    private static var answered: FormworkError {
        FormworkError(.truncatedBody, "the request was answered before its body was read")
    }

    private static var ended: FormworkError {
        FormworkError(.truncatedBody, "the connection ended before the body did")
    }
}
#endif
