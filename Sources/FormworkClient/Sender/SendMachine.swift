import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes

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
    /// - Returns: Whether this is the transfer's answer: then ``next()`` isn't called again.
    mutating func answered(_ answer: SendResponse, remaining: Duration?) -> Bool
    /// Handles a failed exchange. ``next()`` returns the consequence.
    mutating func failed(_ error: any Error, remaining: Duration?)
    /// Called after the transfer's answer was handled.
    mutating func delivered()
    /// Whether the machine judges this answer itself, if it is a 2xx or a redirect to a page before the whole body was
    /// sent: ``ExchangeHooks/judgesEarly``.
    func judges(early response: HTTPResponse, after offer: HTTPResponse?) -> Bool
    /// Whether the source of the body was asked for bytes, in any exchange. A source that can be read only once is used up
    /// then, even if the server got none of them.
    var isSourceRead: Bool { get }
    /// Whether the requests together sent the whole body; `nil` if only the last one counts.
    var isBodyComplete: Bool? { get }
    /// The upload that can be resumed; `nil` for none.
    var upload: ResumableUpload? { get }
    /// Redirects that were followed; `nil` if they aren't counted.
    var redirects: Int? { get }
    /// Where the server has moved to, and the status, if the redirect was followed without the body; `nil` if not.
    var movedTo: String? { get }
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
    var upload: ResumableUpload? { nil }
    var redirects: Int? { nil }
    var movedTo: String? { nil }
    var checksum: String? { nil }
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
package enum SendStep: Sendable {
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

    init(head: HTTPResponse, bytesSent: Int64, isBodyComplete: Bool) {
        (self.head, self.bytesSent, self.isBodyComplete) = (head, bytesSent, isBodyComplete)
    }
}

extension SendResponse {
    /// Why a redirect that arrived before the whole body was sent, and drops it, is a failure; `nil` for another
    /// answer.
    func redirectBeforeBody(of request: HTTPRequest) -> FormworkError? {
        let next = request.redirected(by: self.head)
        guard self.head.status.kind == .redirection, !self.isBodyComplete, next?.redirection.keepsBody != true else {
            return nil
        }
        // For example to a login page, which doesn't get the body.
        let place = next.map { ", and redirects to \($0.request.shownURL)" } ?? ""
        return FormworkError(
            .writeFailed, "the server answered \(self.head.status.code) before it had all of the body\(place)",
            offset: self.bytesSent)
    }
}
