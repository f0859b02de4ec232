#if Transfer
import HTTPTypes

// Requests under an upload link.
extension Responder {
    /// The path under which the page and its uploads are, with a slash at its end.
    var base: String { self.scope?.base ?? "/" }

    /// A responder for requests under a link: they see their own files, and store files on its terms.
    func confined(to scope: LinkScope) -> Responder {
        var responder = self
        responder.scope = scope
        responder.router.isLinked = true
        responder.router.limits = self.router.limits.limited(to: scope.link.maxSize)
        responder.listing = .own
        if let title = scope.link.title { responder.pageSettings.title = title }
        return responder
    }

    /// The limit of a resumable upload with these terms. A PUT's body is a file, whatever its type.
    func maxSize(_ terms: UploadTerms, isForm: Bool, _ head: HTTPRequest) -> Int64 {
        let limits = self.router.limits.limited(to: terms.maxSize)
        return isForm && head.method != .put ? limits.bodyBytes : min(limits.fileBytes, limits.bodyBytes)
    }
}
#endif
