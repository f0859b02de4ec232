/// One tus upload: the encoded form for a server that reads forms, or one of the form's files.
package struct TusDelivery: Sendable {
    package var plan: BodyPlan
    package var resuming: ResumingOptions
    /// The file's name; `nil` for the encoded form.
    package var filename: String?
}

extension ResumingOptions {
    /// The uploads that a form is sent in.
    /// - Parameter server: What the server says about itself. A saved upload continues as it began.
    /// - Throws: `invalidArgument` for a form that a server of files can't take.
    package func deliveries(of form: BodyPlan, to server: TusServer) async throws -> [TusDelivery] {
        guard form.isForm else {
            try server.check(form.contentLength)
            // A server that reads forms processes a file, too, and its URL has no meaning then.
            let filename = server.readsForms ? nil : self.metadata["filename"]
            var delivery = TusDelivery(plan: form, resuming: self, filename: filename)
            delivery.resuming.isFile = true
            return [delivery]
        }
        let isFile = self.link.map(\.isFile) ?? !server.readsForms
        guard isFile else {
            try server.check(form.contentLength)
            return [TusDelivery(plan: form, resuming: self)]
        }
        return try await TusFile.files(of: form).map { file in
            try server.check(file.plan.contentLength)
            var delivery = TusDelivery(plan: file.plan, resuming: self, filename: file.filename)
            delivery.resuming.isFile = true
            delivery.resuming.metadata = file.metadata
            return delivery
        }
    }

    /// The same for a caller that gets one answer.
    /// - Throws: Also `invalidArgument` for several files.
    func delivery(of form: BodyPlan, to server: TusServer) async throws -> TusDelivery {
        let deliveries = try await self.deliveries(of: form, to: server)
        guard deliveries.count == 1, let delivery = deliveries.first else {
            throw FormworkError(
                .invalidArgument,
                "this tus server stores each file as an upload, and the form has \(deliveries.count): send a form for "
                    + "each file")
        }
        return delivery
    }
}

extension TusServer {
    /// - Throws: `tooLarge` for more bytes than the server accepts, and `lengthUnknown` if it needs the length
    ///   beforehand.
    fileprivate func check(_ length: Int64?) throws {
        guard length != nil || self.defersLength else {
            throw FormworkError(
                .lengthUnknown, "this tus server needs the length beforehand (no creation-defer-length)")
        }
        if let length, let error = TransferError(length, beyond: self.maximumSize) { throw error }
    }
}

extension FormSender {
    /// Asks a tus server what it supports, with `OPTIONS`. Tries and redirects are the sender's.
    /// - Throws: As sending does.
    package func tusServer(
        for request: HTTPRequest, tries: Int, observer: Observer = Observer(), monitor: UploadMonitor? = nil
    ) async throws -> TusServer {
        var sender = self
        sender.options.monitor = monitor
        sender.options.retry.count = max(0, tries - 1)
        let options = sender.options
        let question = request.asksTus
        return try await sender.run(
            BodyPlan(copying: .bytes([])), question, observer, { answer, _ in TusServer(answer.head.headerFields) }
        ) { plan in PlainSend(plan, question, options, hasBody: false) }
    }
}

extension HTTPRequest {
    /// The question for what a tus server supports. `Tus-Resumable` isn't part of it.
    var asksTus: HTTPRequest {
        var request = self
        request.method = .options
        for name in [HTTPField.Name.contentType, .contentLength, .transferEncoding, .expect, .reprDigest] {
            request.headerFields[name] = nil
        }
        return request
    }
}
