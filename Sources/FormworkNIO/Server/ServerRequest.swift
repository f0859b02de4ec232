#if NIO
import Formwork
import FormworkHTTP
import HTTPTypes
import NIOCore
import NIOHTTPTypes

/// A request to a server without a framework: its head, and access to its body.
public struct ServerRequest: Sendable {
    /// The body's chunks, at the pace of the reader.
    public typealias Body = IncomingBody<Chunks>

    /// Method, path and header fields.
    public let head: HTTPRequest
    /// The body, which can be read once: a second reader gets ``FormworkError/Code/notReplayable``. Asking for its first
    /// chunk sends the answer to `Expect: 100-continue`.
    public let body: Body

    /// The parts of a multipart form as they arrive.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form. A `Content-Length` above ``ParsingLimits/totalBytes`` is refused before
    ///     anything is read.
    ///   - deadlines: How long to wait for the body.
    /// - Throws: The errors of ``ReceivedParts``, and ``FormworkError/Code/limitExceeded``.
    public func formParts(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) throws(FormworkError) -> ReceivedParts<Body> {
        let head = FormHead(self.head.headerFields)
        let parts = try ReceivedParts(
            self.body, contentType: head.contentType, profile: profile, limits: limits, deadlines: deadlines)
        try head.checkLength(limits)
        return parts
    }

    /// The whole form, multipart or url-encoded.
    /// - Parameters:
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form.
    ///   - memory: How much of the form stays in memory.
    ///   - deadlines: How long to wait for the body.
    /// - Throws: The errors of ``ReceivedForm/init(collecting:limits:)``, and ``FormworkError/Code/limitExceeded``.
    public func collectForm(
        profile: ParsingProfile = .default, limits: ParsingLimits = .default,
        memory: CollectingLimits = CollectingLimits(), deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws -> ReceivedForm {
        let head = FormHead(self.head.headerFields)
        return try await ReceivedForm(
            collecting: self.body, contentType: head.contentType, contentLength: head.ownLength(limits),
            profile: profile, limits: limits, memory: memory, deadlines: deadlines)
    }

    /// The whole form, multipart or url-encoded, as a value.
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: How field names map to members.
    ///   - profile: How strictly the body is parsed.
    ///   - limits: The limits for reading the form.
    ///   - memory: How much of the form stays in memory.
    ///   - deadlines: How long to wait for the body.
    /// - Throws: ``RequestProblem`` for a form that doesn't match the type, and the errors of
    ///   ``collectForm(profile:limits:memory:deadlines:)``.
    public func decodeForm<Value: Decodable>(
        as type: Value.Type, by decoder: FormDataDecoder = FormDataDecoder(), profile: ParsingProfile = .default,
        limits: ParsingLimits = .default, memory: CollectingLimits = CollectingLimits(),
        deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) async throws -> Value {
        try await self.collectForm(profile: profile, limits: limits, memory: memory, deadlines: deadlines)
            .decoded(as: type, by: decoder)
    }

    /// The chunks of one request.
    public struct Chunks: AsyncSequence, Sendable {
        /// Bytes as they arrive.
        public typealias Element = ByteBuffer

        private let parts: InboundParts
        private let number: Int
        let channel: any Channel
        /// Whether the client waits for 100.
        private let isAwaited: Bool

        init(_ parts: InboundParts, of number: Int, _ channel: any Channel, isAwaited: Bool) {
            (self.parts, self.number, self.channel, self.isAwaited) = (parts, number, channel, isAwaited)
        }

        /// Iterates over the chunks.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let parts: InboundParts
            let number: Int
            let channel: any Channel
            let isAwaited: Bool
            var isBegun = false

            /// The next chunk; `nil` at the body's end.
            public mutating func next() async throws -> ByteBuffer? {
                if !self.isBegun {
                    try self.parts.beginReading(self.number)
                    self.isBegun = true
                    if self.isAwaited {
                        self.channel.triggerUserOutboundEvent(ExpectContinueHandler.BodyWanted(), promise: nil)
                    }
                }
                return try await self.parts.nextChunk(of: self.number)
            }
        }

        /// Starts to read.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(
                parts: self.parts, number: self.number, channel: self.channel, isAwaited: self.isAwaited)
        }
    }
}
#endif
