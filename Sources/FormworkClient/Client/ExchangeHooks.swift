#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes

/// What somebody who steers an exchange is told while it goes on.
package struct ExchangeHooks: Sendable {
    /// Called with each informational answer, as it comes; `false` ends the exchange by ``ExchangeStopped``.
    package var informed: @Sendable (HTTPResponse) async -> Bool = { _ in true }
    /// Called before bytes leave, with the end of what was taken, counted from the start of the whole body.
    package var sending: @Sendable (Int64) -> Void = { _ in }
    /// Called with the length of the whole body once its end was read, before the server is told of it.
    package var ended: @Sendable (Int64) -> Void = { _ in }
    /// Whether a 2xx that comes before the whole body is an answer, and not a failure.
    package var takesEarlySuccess = false

    package init() {}
}

/// An informational answer had the exchange end.
struct ExchangeStopped: Error {}
#endif
