#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes

// Follows a redirect after the body, like a plain transfer.
extension ResumableSend {
    /// The last request, in the form of an ordinary one with the whole body.
    var whole: HTTPRequest {
        var request = self.request
        request.method = self.method
        for name in HTTPField.Name.uploadRequest { request.headerFields[name] = nil }
        return request
    }

    /// Follows a redirect to a page.
    mutating func follow(_ response: HTTPResponse) -> Bool {
        if self.maximumRedirects > 0, let failure = (self.page ?? self.whole).unfollowable(response, hasBody: false) {
            self.failure = failure
            return true
        }
        guard self.maximumRedirects > 0, let next = (self.page ?? self.whole).redirected(by: response) else {
            return false
        }
        self.redirects += 1
        if self.page == nil, next.redirection.keepsBody {
            self.failure = TransferError(
                .redirects,
                "the server has the upload and wants all of it again at \(next.request.urlText): send there, "
                    + "if you trust it"
            )
        } else if next.redirection.leavesTLS || self.redirects > self.maximumRedirects {
            self.failure = TransferError(
                .redirects,
                next.redirection.leavesTLS
                    ? "the server redirects to \(next.request.urlText), without TLS: send there, if you trust it"
                    : "more than \(self.maximumRedirects) redirects, the last to \(next.request.urlText)")
        }
        self.page = next.request
        return true
    }
}
#endif
