/// Decides which request is next, without doing input or output: ``PlainSend`` sends plainly, and ``ResumableSend``
/// with a protocol for resuming.
protocol SendMachine: Sendable {
    /// The next step.
    mutating func next() -> SendStep
    /// Handles an informational answer during the exchange.
    /// - Returns: Whether to continue the exchange; otherwise ``next()`` is called.
    mutating func informed(by response: HTTPResponse) -> Bool
    /// Called before the source of the body is asked for its first bytes.
    mutating func reading()
    /// Called with the offset up to which the body was read, before these bytes are sent.
    mutating func sending(upTo offset: Int64)
    /// Called with the body's length after its end was read.
    mutating func bodyEnded(at length: Int64)
    /// Handles an exchange's final answer.
    /// - Parameter remaining: The time left for the transfer; `nil` for no limit.
    mutating func answered(_ answer: SendResponse, remaining: Duration?) -> SendVerdict
    /// Gets the `Authorization` for ``SendVerdict/asksFor(_:)``; `nil` if there is none.
    mutating func authenticated(with value: String?) -> SendVerdict
    /// Handles a failed exchange. ``next()`` returns the consequence.
    mutating func failed(_ error: any Error, remaining: Duration?)
    /// Called after the transfer's answer was handled.
    mutating func delivered()
    /// Whether the machine judges this answer itself, if it is a 2xx or a redirect to a page before the whole body was
    /// sent: ``ExchangeHooks/judgesEarly``.
    func judges(early response: HTTPResponse, after offer: HTTPResponse?) -> Bool
    /// Writes what the machine knows about the transfer.
    func note(in trace: inout FormSender.Trace)
    /// Whether the requests together sent the whole body; `nil` if only the last one counts.
    var isBodyComplete: Bool? { get }
    /// Bytes of the body that the request before a redirect to a page sent; `nil` if the last request counts.
    var bytesSent: Int64? { get }
    /// The upload that can be resumed; `nil` for none.
    var upload: ResumableUpload? { get }
    /// The algorithm for `Upload-Checksum` of the next request's content; `nil` for none.
    var checksum: String? { get }
}

extension SendMachine {
    mutating func informed(by response: HTTPResponse) -> Bool { true }
    mutating func reading() {}
    mutating func sending(upTo offset: Int64) {}
    mutating func bodyEnded(at length: Int64) {}
    mutating func delivered() {}
    func judges(early response: HTTPResponse, after offer: HTTPResponse?) -> Bool { false }
    var isBodyComplete: Bool? { nil }
    var bytesSent: Int64? { nil }
    var upload: ResumableUpload? { nil }
    var checksum: String? { nil }
}

/// What an answer means.
enum SendVerdict: Sendable {
    /// It is the transfer's answer: ``SendMachine/next()`` isn't called again.
    case isResult
    /// ``SendMachine/next()`` returns what follows.
    case continues
    /// It asks for credentials: call ``SendMachine/authenticated(with:)``.
    case asksFor(UploadAuthentication.Challenge)
}

/// The state of an upload that has its own URL.
public struct ResumableUpload: Hashable, Sendable {
    /// The URL: everyone who knows it can add to the upload.
    public var url: String
    /// The protocol's name, such as `draft-8` or `tus`.
    public var protocolName: String
    /// Bytes that the server has acknowledged.
    public var acknowledged: Int64
    /// The offset of the last request that carried bytes.
    public var offset: Int64
    /// The offset of the last resumption, after a cut or in a new process; `nil` if there was none.
    public var resumedFrom: Int64?
    /// The number of resumptions.
    public var resumptions: Int
    /// Whether the server has the whole upload, but its answer was lost.
    public var isAnswerLost: Bool
}

/// One step of a transfer.
enum SendStep: Sendable {
    /// Make this exchange.
    /// - Parameter expectsContinue: Whether the server is asked first; `nil` for the client's options.
    case exchange(HTTPRequest, ExchangeBody?, expectsContinue: Bool?)
    /// Wait, and call ``SendMachine/next()`` again.
    case pause(Duration, reason: String)
    /// The transfer has ended with an answer of which only the head is left.
    case answered(HTTPResponse)
    /// Give up.
    case failed(any Error)
}

/// The answer as a machine sees it.
struct SendResponse: Sendable {
    var head: HTTPResponse
    /// Bytes of this request's body that the system had accepted.
    var bytesSent: Int64
    /// Whether that was the whole body.
    var isBodyComplete: Bool
    /// Whether it came from the origin of the transfer's first request.
    var isAtOrigin = true
    /// The request that the client made of a redirect, and whether it has the body; `nil` if it followed none.
    var followed: (request: HTTPRequest, hasBody: Bool)?
}
