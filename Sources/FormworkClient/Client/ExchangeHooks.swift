#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes

/// Callbacks that observe and control an exchange while it runs.
package struct ExchangeHooks: Sendable {
    /// Called with each informational answer when it arrives; `false` ends the exchange with ``ExchangeStopped``.
    package var informed: @Sendable (HTTPResponse) async -> Bool = { _ in true }
    /// Called before a request is sent, with all its fields, and with whether it is one of HTTP/2.
    package var requesting: @Sendable (HTTPRequest, Bool) -> Void = { _, _ in }
    /// Called before the body's source is asked for its first bytes: from then on one that can be read only once is used
    /// up, whatever of it is sent.
    package var reading: @Sendable () -> Void = {}
    /// Called before bytes are sent, with the offset of their end in the whole body.
    package var sending: @Sendable (Int64) -> Void = { _ in }
    /// Called with the length of the whole body after its end was read, before the end is sent.
    package var ended: @Sendable (Int64) -> Void = { _ in }
    /// Called with the head of a 2xx that came before the whole body, which makes the exchange fail.
    package var answeredEarly: @Sendable (HTTPResponse, AnswerVersion) -> Void = { _, _ in }
    /// Whether the caller judges a 2xx, or a redirect to a page, before the whole body was sent. Otherwise the rest of the
    /// body is sent, and a 2xx to a part of it is a failure. Called on the event loop when the answer's head arrives.
    package var judgesEarly: EarlyJudge = { _, _ in false }

    /// Gets the answer, and the last 104 before it.
    package typealias EarlyJudge = @Sendable (_ answer: HTTPResponse, _ offer: HTTPResponse?) -> Bool

    package init() {}
}

/// A hook stopped the exchange after an informational answer.
struct ExchangeStopped: Error {}
#endif
