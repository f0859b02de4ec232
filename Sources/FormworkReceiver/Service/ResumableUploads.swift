#if Transfer
    import Formwork
    import HTTPTypes
    import HummingbirdCore
    import NIOCore

    /// The seam for the resumable protocols. They keep an upload's bytes until it is whole; what it holds then goes the way
    /// of every other body.
    package protocol ResumableUploads: Sendable {
        /// Whether a request is one of theirs.
        func isResumable(_ head: HTTPRequest) -> Bool

        /// Answers such a request.
        /// - Parameters:
        ///   - body: The request's body, once.
        ///   - informing: Sends an informational answer before the final one: 104, and the 100 that a request with
        ///     `Expect: 100-continue` waits for, once its head was accepted.
        ///   - completed: Stores a whole upload, and gives the answer that the target itself has for it; the bytes are no
        ///     longer needed when it returns. Throws nothing: a failure is an answer too.
        func answer(
            _ head: HTTPRequest, body: RequestBody,
            informing: @escaping @Sendable (HTTPResponse) async throws -> Void,
            completed: @escaping @Sendable (CompletedUpload) async -> Answer
        ) async throws -> Answer
    }

    /// A body that arrived in pieces and is whole.
    package struct CompletedUpload: Sendable {
        /// The head that the body would have come with: its method, path, `Content-Type` and `Content-Disposition`.
        package var head: HTTPRequest
        /// The body, as often as it is iterated.
        package var body: BodyPlan

        package init(head: HTTPRequest, body: BodyPlan) { (self.head, self.body) = (head, body) }
    }
#endif
