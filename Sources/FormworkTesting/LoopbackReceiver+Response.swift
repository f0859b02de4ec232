import FormworkCore

extension LoopbackReceiver {
    /// The scripted reaction to a request: an answer, or a failure.
    public struct Response: Sendable {
        enum Ending: Sendable {
            /// Answers. If the body isn't complete, the rest of it is discarded and the connection closed.
            case answer
            case close
            case reset
            case stall
        }

        /// How many bytes of the body are read first.
        var bytesRead: Int64
        var ending: Ending
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body = ""

        /// Reads the whole body, then answers.
        /// - Parameters:
        ///   - status: From 200 to 599.
        ///   - fields: Header fields besides `Content-Length`.
        ///   - body: The answer's body.
        public static func status(
            _ status: Int, fields: KeyValuePairs<String, String> = [:], body: String = ""
        ) -> Self {
            .early(status, after: .max, fields: fields, body: body)
        }

        /// Reads some bytes of the body, answers, and closes the connection when the client has stopped sending, like a
        /// server that wants no more.
        ///
        /// A client that sent `Expect: 100-continue` receives 100 only if `bytes` is above 0.
        /// - Parameters:
        ///   - status: From 200 to 599, for example 413.
        ///   - bytes: Bytes of the body that are read before, by default 0.
        ///   - fields: Header fields besides `Content-Length`.
        ///   - body: The answer's body.
        public static func early(
            _ status: Int, after bytes: Int64 = 0, fields: KeyValuePairs<String, String> = [:], body: String = ""
        ) -> Self {
            Self(
                bytesRead: bytes, ending: .answer, status: status,
                fields: fields.map { (name: $0.key, value: $0.value) },
                body: body)
        }

        /// Reads the whole body, then redirects the client.
        /// - Parameters:
        ///   - target: A path on this receiver, or a URL.
        ///   - status: By default 307, which asks for the same body again.
        public static func redirect(to target: String, status: Int = 307) -> Self {
            .status(status, fields: ["Location": target])
        }

        /// Reads the whole body, then asks for credentials with 401.
        public static func unauthorized(_ challenge: String = "Basic realm=\"loopback\"") -> Self {
            .status(401, fields: ["WWW-Authenticate": challenge])
        }

        /// Reads that many bytes of the body, and closes the connection without an answer.
        ///
        /// If the connection has served a request before, some clients, among them URLSession, send this one again by
        /// themselves, as after a connection that was closed while idle.
        public static func closing(after bytes: Int64) -> Self { Self(bytesRead: bytes, ending: .close) }

        /// Reads that many bytes of the body, and resets the connection.
        public static func reset(after bytes: Int64) -> Self { Self(bytesRead: bytes, ending: .reset) }

        /// Reads that many bytes of the body, then nothing more, and doesn't answer, until the client is gone or the
        /// receiver is closed.
        public static func stalling(after bytes: Int64) -> Self { Self(bytesRead: bytes, ending: .stall) }

        /// The answer as sent.
        func bytes(closing: Bool, isHeadOnly: Bool = false) -> [UInt8] {
            var head = "HTTP/1.1 \(self.status) \(Self.reason(self.status))\r\n"
            for field in self.fields { head += "\(field.name): \(field.value)\r\n" }
            if !self.hasNoBody { head += "Content-Length: \(self.body.utf8.count)\r\n" }
            if closing { head += "Connection: close\r\n" }
            return Array((head + "\r\n" + (isHeadOnly ? "" : self.body)).utf8)
        }

        /// Whether the status never has a body (RFC 9110 sections 15.3.5 and 15.4.5). The client would read it as the next
        /// answer.
        private var hasNoBody: Bool { self.status == 204 || self.status == 304 }

        private static func reason(_ status: Int) -> String {
            switch status {
            case 200..<300: "OK"
            case 300..<400: "Elsewhere"
            default: "Refused"
            }
        }

        func check() throws(FormworkError) {
            guard self.bytesRead >= 0 else {
                throw FormworkError(
                    .invalidArgument, "an answer after \(self.bytesRead, "byte"): a count is not negative")
            }
            guard case .answer = self.ending else { return }
            guard (200..<600).contains(self.status) else {
                throw FormworkError(.invalidArgument, "the status \(self.status) is not a final one: 200 to 599")
            }
            guard self.body.isEmpty || !self.hasNoBody else {
                throw FormworkError(
                    .invalidArgument, "an answer with the status \(self.status) has no body: leave it out")
            }
            for field in self.fields { _ = try HeaderField(field.name, field.value) }
        }
    }
}

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
