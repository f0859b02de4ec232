import FormworkCore

extension LoopbackReceiver {
    /// What is done with a request: an answer, or a failure.
    public struct Answer: Sendable {
        enum Ending: Sendable {
            /// Answers; where the body isn't whole, the rest of it is dropped and the connection closed.
            case answer
            case close
            case reset
            case stall
        }

        /// Bytes of the body that are read first.
        var bytesRead: Int64
        var ending: Ending
        var status = 0
        var fields: [(name: String, value: String)] = []
        var body = ""

        /// Takes all of the body, then answers.
        /// - Parameters:
        ///   - status: From 200 to 599.
        ///   - fields: Header fields besides `Content-Length`.
        ///   - body: The answer's own.
        public static func status(
            _ status: Int, fields: KeyValuePairs<String, String> = [:], body: String = ""
        ) -> Self {
            .early(status, after: .max, fields: fields, body: body)
        }

        /// Takes some bytes of the body, answers, and closes the connection when the client has stopped sending, as a
        /// server does that wants no more.
        ///
        /// A client that sent `Expect: 100-continue` is told to go on only where `bytes` is above 0.
        /// - Parameters:
        ///   - status: From 200 to 599: 413, say.
        ///   - bytes: Bytes of the body that are taken before, 0 unless said otherwise.
        ///   - fields: Header fields besides `Content-Length`.
        ///   - body: The answer's own.
        public static func early(
            _ status: Int, after bytes: Int64 = 0, fields: KeyValuePairs<String, String> = [:], body: String = ""
        ) -> Self {
            Self(
                bytesRead: bytes, ending: .answer, status: status,
                fields: fields.map { (name: $0.key, value: $0.value) },
                body: body)
        }

        /// Takes all of the body, then sends the client elsewhere.
        /// - Parameters:
        ///   - target: A path on this receiver, or a URL.
        ///   - status: 307, which asks for the same body again, unless said otherwise.
        public static func redirect(to target: String, status: Int = 307) -> Self {
            .status(status, fields: ["Location": target])
        }

        /// Takes all of the body, then wants to know who sends it: 401.
        public static func unauthorized(_ challenge: String = "Basic realm=\"loopback\"") -> Self {
            .status(401, fields: ["WWW-Authenticate": challenge])
        }

        /// Takes that many bytes of the body, and closes the connection without an answer.
        ///
        /// Where the connection has served a request before, some clients send this one again by themselves, URLSession
        /// among them: as after a connection that was closed while it was idle.
        public static func closing(after bytes: Int64) -> Self { Self(bytesRead: bytes, ending: .close) }

        /// Takes that many bytes of the body, and resets the connection.
        public static func reset(after bytes: Int64) -> Self { Self(bytesRead: bytes, ending: .reset) }

        /// Takes that many bytes of the body, then nothing more, and answers nothing, until the client is gone or the
        /// receiver is closed.
        public static func stalling(after bytes: Int64) -> Self { Self(bytesRead: bytes, ending: .stall) }

        /// The answer on the wire.
        func bytes(closing: Bool) -> [UInt8] {
            var head = "HTTP/1.1 \(self.status) \(Self.reason(self.status))\r\n"
            for field in self.fields { head += "\(field.name): \(field.value)\r\n" }
            if self.status != 204, self.status != 304 { head += "Content-Length: \(self.body.utf8.count)\r\n" }
            if closing { head += "Connection: close\r\n" }
            return Array((head + "\r\n" + self.body).utf8)
        }

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
                    .invalidArgument, "an answer after \(self.bytesRead) bytes: a count is not negative")
            }
            guard case .answer = self.ending else { return }
            guard (200..<600).contains(self.status) else {
                throw FormworkError(.invalidArgument, "the status \(self.status) is not a final one: 200 to 599")
            }
            for field in self.fields { _ = try HeaderField(field.name, field.value) }
        }
    }
}
