import FormworkHTTP
import FormworkResumable
import HTTPTypes

// Uploads that a hook is asked about.
extension Responder {
    /// The terms on which an upload is accepted.
    /// - Throws: The hook's refusal, and `CancellationError`.
    func asked(
        _ upload: IncomingUpload, _ head: HTTPRequest, _ client: ClientAddress
    ) async throws -> UploadTerms {
        // A resumable upload was asked about when it began.
        guard let hooks = self.intake.hooks, upload.terms.asked == nil else { return upload.terms }
        var described = self.described(head, client)
        described.length = upload.length
        var isForm = false
        switch upload.content {
        case .parts(let type, _): (described.type, isForm) = (type, true)
        case .file(let path, let type): (described.name, described.type) = (self.intake.naming.name(path), type)
        }
        return try await hooks.ask(described, isForm: isForm, upload.terms)
    }

    /// The terms on which a resumable upload is begun.
    /// - Throws: The hook's refusal, that of a head that no upload can have, and `CancellationError`.
    func asked(
        _ creation: UploadCreation, _ head: HTTPRequest, _ client: ClientAddress
    ) async throws -> UploadTerms {
        let terms = self.scope?.terms ?? UploadTerms()
        guard let hooks = self.intake.hooks else { return terms }
        var described = self.described(head, client)
        (described.length, described.type) = (creation.length, creation.contentType)
        described.protocol = creation.uploadProtocol == .tus ? "tus" : "ietf"
        described.fields = creation.metadata.entries.map { entry in
            UploadReceipt.Field(name: entry.key, value: String(decoding: entry.value, as: UTF8.self))
        }
        var whole = head
        whole.headerFields[.contentType] = creation.contentType
        let upload = try IncomingUpload(whole, filename: creation.givenPath)
        if case .file(let path, _) = upload.content { described.name = self.intake.naming.name(path) }
        var isForm = false
        if case .parts = upload.content { isForm = true }
        return try await hooks.ask(described, isForm: isForm, terms)
    }

    private func described(_ head: HTTPRequest, _ client: ClientAddress) -> HookEvent.Upload {
        let target = RequestPath(head.path)
        var upload = HookEvent.Upload(
            upload: SignedLink.newID() + SignedLink.newID(), protocol: "http", method: head.method.rawValue,
            path: target.shown.cut(to: 4_096), peer: client.text)
        upload.query = target.query?.cut(to: 4_096)
        upload.traceparent = TraceParent(head.headerFields)?.text
        upload.link = self.scope.map { HookEvent.Link($0.link) }
        upload.credential =
            if self.scope != nil { "link" } else if self.access.token == nil { nil } else {
                self.access.session(in: head.headerFields) == nil ? "token" : "login"
            }
        return upload
    }

    /// Reports that an upload failed that the hook had accepted.
    func report(_ problem: ProblemDetails, _ terms: UploadTerms) async {
        await self.intake.hooks?.failed(terms, status: problem.status, problem.detail ?? problem.title)
    }

    func report(_ status: HTTPResponse.Status, _ terms: UploadTerms) async {
        await self.intake.hooks?.failed(terms, status: status.code, "The upload could not be begun.")
    }
}

extension UploadCreation {
    /// The file's name in tus metadata, with its folders if they are there.
    fileprivate var givenPath: String? {
        guard let path = self.metadata["relativePath"], !path.isEmpty, path != "null" else {
            return self.metadata["filename"] ?? self.metadata["name"]
        }
        return path
    }
}
