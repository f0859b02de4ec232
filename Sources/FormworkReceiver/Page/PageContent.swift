#if Transfer
import FormworkHTTP
import FormworkResumable

/// What the receiver shows to people. The service asks; whoever conforms only writes text.
package protocol PageContent: Sendable {
    /// A page: HTML in UTF-8, without inline scripts or styles, which the policy forbids.
    func html(_ state: PageState) -> String
    /// What `/page.css` gives.
    var styleSheet: PageAsset { get }
    /// What `/page.js` gives.
    var script: PageAsset { get }
}

/// What a page is to show.
package struct PageState: Sendable {
    /// Which page it is.
    package enum View: Sendable {
        /// The form, and what has arrived.
        /// `received` holds the numbers of the arrivals that the form just sent came to; empty otherwise.
        case uploads(received: Set<Int>)
        /// The token is asked for, by a form that POSTs `token` to `/login`.
        case login(isWrong: Bool)
        /// A request was refused, or failed.
        case problem(ProblemDetails)
    }

    package var view: View
    package var limits: ReceivingLimits
    /// The newest last; empty on pages that anybody may see.
    package var arrivals: [Arrival]
    /// Where the receiver is reached, as this client does it: `http://127.0.0.1:8080`.
    package var origin: String
    /// Whether uploads need a token.
    package var needsToken: Bool
    /// Whether the client has a login, which it can end by a POST to `/logout`.
    package var isLoggedIn = false

    package init(
        _ view: View, limits: ReceivingLimits, arrivals: [Arrival] = [], origin: String, needsToken: Bool
    ) {
        (self.view, self.limits, self.arrivals) = (view, limits, arrivals)
        (self.origin, self.needsToken) = (origin, needsToken)
    }
}
#endif
