#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes

/// Decides which request is next, and does nothing itself: the plain way is ``PlainSend``, and a protocol for resuming
/// is another.
package protocol SendMachine: Sendable {
    /// What to do now.
    mutating func next() -> SendStep
    /// Takes note of an informational answer, while the exchange goes on.
    /// - Returns: Whether it is to go on; else ``next()`` is called.
    mutating func informed(by response: HTTPResponse) -> Bool
    /// Takes note that the body was taken up to an offset, before these bytes leave.
    mutating func sending(upTo offset: Int64)
    /// Takes note of the body's length, once its end was read.
    mutating func bodyEnded(at length: Int64)
    /// Takes note of an exchange's final answer.
    /// - Parameter remaining: Time left for all; `nil` without a bound.
    /// - Returns: Whether this is the transfer's answer: then ``next()`` is not called again.
    mutating func answered(_ answer: SendAnswer, remaining: Duration?) -> Bool
    /// Takes note of an exchange that failed. ``next()`` tells what comes of it.
    mutating func failed(_ error: any Error, remaining: Duration?)
    /// Whether a 2xx that comes before the whole body is for the machine to judge, and no failure by itself.
    var takesEarlySuccess: Bool { get }
    /// Whether the requests together brought all of the body; `nil` where the last one alone tells.
    var isBodyComplete: Bool? { get }
    /// The upload that can be gone on with; `nil` for none.
    var upload: ResumableUpload? { get }
}

extension SendMachine {
    package mutating func informed(by response: HTTPResponse) -> Bool { true }
    package mutating func sending(upTo offset: Int64) {}
    package mutating func bodyEnded(at length: Int64) {}
    package var takesEarlySuccess: Bool { false }
    package var isBodyComplete: Bool? { nil }
    package var upload: ResumableUpload? { nil }
}

/// How far an upload is that has its own URL.
public struct ResumableUpload: Hashable, Sendable {
    /// The URL: whoever knows it can add to the upload.
    public var url: String
    /// What is spoken, as `draft-8` and `tus`.
    public var protocolName: String
    /// Bytes that the server has for sure.
    public var acknowledged: Int64
    /// Where the last request that carries bytes begins.
    public var offset: Int64
    /// Where it went on last, after a cut or in a new process; `nil` when it didn't have to.
    public var resumedFrom: Int64?
    /// How often it went on.
    public var resumptions: Int
    /// Whether the server has all, and its answer to that was lost.
    public var isAnswerLost: Bool
}

/// One step of a transfer.
package enum SendStep: Sendable {
    /// Make this exchange.
    /// - Parameter expectsContinue: Whether the server is asked first; `nil` leaves it to the client's options.
    case exchange(HTTPRequest, ExchangeBody?, expectsContinue: Bool?)
    /// Wait, and ask again.
    case pause(Duration, reason: String)
    /// It is over, by an answer of which no more than this is left.
    case answered(HTTPResponse)
    /// Give up.
    case failed(any Error)
}

/// What a machine learns of an answer.
package struct SendAnswer: Sendable {
    package var head: HTTPResponse
    /// Bytes of this request's body that the system had taken.
    package var bytesSent: Int64
    /// Whether that was all of it.
    package var isBodyComplete: Bool

    package init(head: HTTPResponse, bytesSent: Int64, isBodyComplete: Bool) {
        (self.head, self.bytesSent, self.isBodyComplete) = (head, bytesSent, isBodyComplete)
    }
}

extension SendAnswer {
    /// Why a redirect that came before the whole body, and leaves it behind, is no success; `nil` for another answer.
    func redirectBeforeBody(of request: HTTPRequest) -> FormworkError? {
        let next = request.redirected(by: self.head)
        guard self.head.status.kind == .redirection, !self.isBodyComplete, next?.redirection.keepsBody != true else {
            return nil
        }
        // To a login, say: what comes behind it knows nothing of the body.
        let place = next.map { ", and redirects to \($0.request.urlText)" } ?? ""
        return FormworkError(
            .writeFailed, "the server answered \(self.head.status.code) before it had all of the body\(place)",
            offset: self.bytesSent)
    }
}
#endif
