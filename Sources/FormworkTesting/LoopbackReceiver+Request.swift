import FormworkCore

extension LoopbackReceiver {
    /// A request that has come, as far as it came.
    public struct Request: Sendable {
        /// `POST`, `PUT`.
        public let method: String
        /// The request line's target: `/`, `/photos?album=sea`.
        public let target: String
        /// The header fields in their order.
        public let fields: [HeaderField]
        /// Bytes of the body that were taken, without the framing of chunks.
        public let count: Int64
        /// The body itself; `nil` where it has more bytes than are kept.
        public let bytes: [UInt8]?
        /// Digests of these bytes, in the order in which the receiver was given them.
        public let digests: [DigestValue]
        /// Whether all of the body was taken. A receiver that is scripted to stop before, and a client that goes away, leave
        /// it `false`.
        public let isWhole: Bool
        /// What the client did wrong, as far as HTTP goes: it went away, or its chunks are none; `nil` for nothing.
        public let failure: FormworkError?
        private let result: Result<ObservedForm, FormworkError>

        init(_ head: RequestHead, _ body: BodyObserver, isWhole: Bool, failure: FormworkError?) {
            (self.method, self.target, self.fields) = (head.method, head.target, head.fields)
            (self.count, self.bytes, self.digests) = (body.content.count, body.content.bytes, body.digestValues)
            (self.isWhole, self.failure) = (isWhole, failure)
            if isWhole {
                self.result = body.form()
            } else {
                self.result = .failure(
                    failure
                        ?? FormworkError(
                            .truncatedBody,
                            "the receiver was scripted to take no more than \(body.content.count) bytes of this body"))
            }
        }

        /// The value of the first header field of that name, in any case; `nil` when there is none.
        public subscript(name: String) -> String? { self.fields.first { $0.isNamed(name) }?.value }

        /// The body's form: multipart, or url-encoded.
        /// - Throws: ``failure``; ``FormworkError/Code/truncatedBody`` for a body that was scripted not to be taken whole; what
        ///   ``MultipartParser`` throws for a body that is no form.
        public var form: ObservedForm { get throws(FormworkError) { try self.result.get() } }
    }
}

extension LoopbackReceiver.Request: CustomStringConvertible {
    /// The request in a line, without content: `POST /photos, 1234 bytes`.
    public var description: String {
        "\(self.method) \(self.target), \(self.count) bytes".withControlCharactersEscaped
            + (self.isWhole ? "" : ", cut: \(self.failure?.description ?? "by the receiver's script")")
    }
}
