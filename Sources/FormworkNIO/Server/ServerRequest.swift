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
    /// The body. Asking for its first chunk sends the answer to `Expect: 100-continue`.
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
        try self.form.parts(profile: profile, limits: limits, deadlines: deadlines)
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
        try await self.form.collect(profile: profile, limits: limits, memory: memory, deadlines: deadlines)
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
        try await self.form.decode(
            type, by: decoder, profile: profile, limits: limits, memory: memory, deadlines: deadlines)
    }

    private var form: IncomingForm<Body> { IncomingForm(self.head.headerFields, body: self.body) }

    /// The chunks of one request.
    public struct Chunks: AsyncSequence, Sendable {
        /// Bytes as they arrive.
        public typealias Element = ByteBuffer

        private let parts: InboundParts
        private let number: Int
        let channel: any Channel

        init(_ parts: InboundParts, of number: Int, _ channel: any Channel) {
            (self.parts, self.number, self.channel) = (parts, number, channel)
        }

        /// Iterates over the chunks.
        public struct AsyncIterator: AsyncIteratorProtocol {
            let parts: InboundParts
            let number: Int
            let channel: any Channel
            var isBegun = false

            /// The next chunk; `nil` at the body's end.
            public mutating func next() async throws -> ByteBuffer? {
                if !self.isBegun {
                    self.isBegun = true
                    self.channel.triggerUserOutboundEvent(ExpectContinueHandler.BodyWanted(), promise: nil)
                }
                return try await self.parts.nextChunk(of: self.number)
            }
        }

        /// Starts to read.
        public func makeAsyncIterator() -> AsyncIterator {
            AsyncIterator(parts: self.parts, number: self.number, channel: self.channel)
        }
    }
}
#endif
