#if Transfer
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

    /// The limit of a resumable upload with these terms; `nil` for the receiver's own.
    func maxSize(_ terms: UploadTerms, isForm: Bool) -> Int64? {
        guard let size = terms.maxSize else { return nil }
        let limits = self.router.limits.limited(to: size)
        return isForm ? limits.bodyBytes : min(limits.fileBytes, limits.bodyBytes)
    }
}
#endif
