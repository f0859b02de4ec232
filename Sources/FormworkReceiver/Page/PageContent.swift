#if Transfer
import FormworkHTTP
import FormworkResumable

/// The pages that the receiver shows to people. A conforming type only writes text.
package protocol PageContent: Sendable {
    /// A page: HTML in UTF-8, without inline scripts or styles, which the policy forbids.
    func html(_ state: PageState) -> String
    /// The content of `/page.css`.
    var styleSheet: PageAsset { get }
    /// The content of `/page.js`.
    var script: PageAsset { get }
}

/// What a page shows.
package struct PageState: Sendable {
    /// Which page it is.
    package enum View: Sendable {
        /// The form, and the files that have arrived. `received` contains the numbers of the arrivals of the form just
        /// sent; empty otherwise.
        case uploads(received: ArrivalNumbers)
        /// The login page: a form that POSTs `token` to `/login`.
        case login(isWrong: Bool)
        /// A request was refused, or failed.
        case problem(ProblemDetails)
    }

    package var view: View
    package var limits: ReceivingLimits
    /// The newest last; empty on pages that need no token.
    package var arrivals: [Arrival]
    /// The receiver's address, as this client uses it: `http://127.0.0.1:8080`.
    package var origin: String
    /// The path of the page and of everything but its style and script, with a slash at its end: `/`, or that of an upload
    /// link.
    package var base = "/"
    /// When the link expires: RFC 3339, in UTC; `nil` without a link.
    package var expiry: String?
    /// Whether uploads need a token.
    package var needsToken: Bool
    /// Whether the client is logged in, and can log out with a POST to `/logout`.
    package var isLoggedIn = false
    /// Whether the script can resume an upload that was cut.
    package var isResumable = false
    package var settings = PageSettings()

    package init(
        _ view: View, limits: ReceivingLimits, arrivals: [Arrival] = [], origin: String, needsToken: Bool
    ) {
        (self.view, self.limits, self.arrivals) = (view, limits, arrivals)
        (self.origin, self.needsToken) = (origin, needsToken)
    }
}
#endif
