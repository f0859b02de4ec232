import Formwork
import FormworkHummingbirdCore
import Hummingbird
import NIOCore
import NIOHTTP1

/// The body of a request: the chunks from its connection, which can be iterated once.
///
/// If the connection ends before the body, the error is ``FormworkError/Code/truncatedBody``.
public struct IncomingBody: AsyncSequence, Sendable {
    /// Bytes of the body, as the transport delivers them.
    public typealias Element = ByteBuffer

    private let base: RequestBody
    /// Whether to find out why a body has no bytes: it may have been read before.
    private let isRequests: Bool

    /// - Parameter isRequests: Whether this is the body of a request, for which a second reader gets
    ///   ``FormworkError/Code/notReplayable``.
    init(_ base: RequestBody, isRequests: Bool = true) { (self.base, self.isRequests) = (base, isRequests) }

    /// Iterates over the chunks.
    public struct AsyncIterator: AsyncIteratorProtocol {
        /// `nil` if the body can't be iterated.
        private var base: RequestBody.AsyncIterator?
        /// The iterator before its first call; `nil` after it, and if there is nothing to find out.
        private var unused: RequestBody.AsyncIterator?

        fileprivate init(_ body: RequestBody, isRequests: Bool) {
            #if DEBUG
            // Hummingbird would stop the program.
            if isRequests, body.wasRead { return }
            #endif
            self.base = body.makeAsyncIterator()
            // Optimized builds find out when there are no bytes: it takes longer than decoding a small form.
            if isRequests { self.unused = self.base }
        }

        /// The next chunk; `nil` at the end.
        public mutating func next() async throws -> ByteBuffer? { try await self.next(isolation: #isolation) }

        /// The next chunk; `nil` at the end.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> ByteBuffer? {
            guard self.base != nil else { throw IncomingBody.alreadyRead }
            let unused = self.unused
            self.unused = nil
            do {
                if let chunk = try await self.base?.next(isolation: actor) { return chunk }
            } catch {
                throw FormworkError.reading(error)
            }
            if let unused, unused.isOfReadBody { throw IncomingBody.alreadyRead }
            return nil
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self.base, isRequests: self.isRequests) }

    fileprivate static var alreadyRead: FormworkError {
        FormworkError(
            .notReplayable,
            "the request's body was already read: "
                + (KeptForm.current != nil
                    ? "KeptFormMiddleware keeps a form that collectForm or decodeForm read, so read the form with one of "
                        + "them first"
                    : "add KeptFormMiddleware if more than one handler reads the form, or read it once and pass it on"))
    }
}

extension FormworkError {
    /// The error of a connection, as the error of a body.
    fileprivate static func reading(_ error: any Error) -> any Error {
        switch error {
        case BodyGate.Refusal.wasRead: IncomingBody.alreadyRead
        case BodyGate.Refusal.isBusy:
            FormworkError(.invalidArgument, "the request's body is read in two tasks at once: read it in one")
        case BodyGate.Refusal.isAnswered:
            FormworkError(
                .invalidArgument,
                "the request was answered before its body was read to the end: read it before the route returns")
        case let error as HeadRefusal:
            FormworkError(.malformedBody, error.problem.detail ?? error.problem.title, cause: error)
        case let error as HTTPParserError where HeadRefusal.isClients(error):
            FormworkError(
                .malformedBody, HeadRefusal(error).problem.detail ?? "the chunks aren't valid", cause: error)
        case is HTTPParserError, is ChannelError, is IOError:
            FormworkError(.truncatedBody, "the connection ended before the body did", cause: error)
        default: error
        }
    }
}
