import FormworkCore

extension LoopbackReceiver {
    /// A request that has arrived, at least in part.
    public struct Request: Sendable {
        /// The method, such as `POST`.
        public let method: String
        /// The request line's target: `/`, `/photos?album=sea`.
        public let target: String
        /// The header fields in their order.
        public let fields: [HeaderField]
        /// Bytes of the body that were read, without the framing of chunks.
        public let count: Int64
        /// The body itself; `nil` if it has more bytes than are kept.
        public let bytes: [UInt8]?
        /// Digests of these bytes, in the order in which they were passed to the receiver.
        public let digests: [DigestValue]
        /// Whether the whole body was read. `false` if the script stops earlier, or the client disconnects.
        public let isWhole: Bool
        /// The client's violation of HTTP: it disconnected, or sent invalid chunks; `nil` if there was none.
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
                            "the receiver was scripted to read only \(body.content.count, "byte") of this body"))
            }
        }

        /// The value of the first header field with this name, in any case; `nil` if there is none.
        public subscript(name: String) -> String? { self.fields.first { $0.isNamed(name) }?.value }

        /// The body's form: multipart, or url-encoded.
        /// - Throws: ``failure``; ``FormworkError/Code/truncatedBody`` if the script stops before the body's end; the
        ///   errors of ``MultipartParser`` for a body that isn't a form.
        public var form: ObservedForm { get throws(FormworkError) { try self.result.get() } }
    }
}

extension LoopbackReceiver.Request: CustomStringConvertible {
    /// The request in a line, without content: `POST /photos, 1234 bytes`.
    public var description: String {
        "\(self.method) \(self.target), \(self.count, "byte")".withControlCharactersEscaped
            + (self.isWhole ? "" : ", cut: \(self.failure?.description ?? "by the receiver's script")")
    }
}
