import FormworkClient
import FormworkCommand
import FormworkEssentials
import FormworkURLEncoded

/// The result of a transfer.
struct SendReport: Sendable {
    var head: Head
    /// The last request, and how often it was tried.
    var trace: FormSender.Trace
    var bytesSent: Int64
    var isBodyComplete: Bool
    /// Whether ``bytesSent`` is the whole body; its length may be unknown.
    var isAllSent: Bool
    /// Bytes of the answer's body that were read.
    var bytesReceived: Int64 = 0
    /// The part of the answer's body that was kept.
    var body: [UInt8] = []
    var isBodyTruncated = false
    /// The file that the answer's body was written to; `nil` if it is in ``body``.
    var file: String?
    /// The files that a tus server stored as uploads of their own.
    var stored: [StoredFile] = []

    var status: Int { self.head.status }
    var reason: String { self.head.reason }
    var fields: HTTPFields { self.head.fields }

    /// A file that a tus server stored.
    struct StoredFile: Sendable {
        var name: String
        var url: String?
        var bytes: Int64
    }

    /// The head of an answer.
    struct Head: Sendable {
        let response: HTTPResponse
        let version: ResponseVersion
        var status: Int { self.response.status.code }
        var fields: HTTPFields { self.response.headerFields }
        var reason: String { self.response.status.reasonPhrase }
        /// The first line.
        var line: String {
            let hasReason = self.version != .http2 && !self.reason.isEmpty
            return "HTTP/\(self.version.rawValue) \(self.status)" + (hasReason ? " \(self.reason)" : "")
        }
    }

    init(_ answer: ExchangeResponse, _ trace: FormSender.Trace) {
        (self.head, self.trace) = (Head(response: answer.head, version: answer.version), trace)
        self.bytesSent = answer.bytesSent
        self.isBodyComplete = answer.isBodyComplete
        self.isAllSent = trace.upload == nil && trace.hasBody ? answer.isAllSent : answer.isBodyComplete
        if let upload = trace.upload {
            // Counts the whole body, not only the last request.
            self.bytesSent = max(upload.offset + self.bytesSent, upload.acknowledged)
        }
    }

    /// Whether the answer's body is declared as JSON.
    var isJSON: Bool {
        let type = self.fields[.contentType]?.prefix { $0 != ";" && $0 != " " }.lowercased() ?? ""
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// The answer's head, as HTTP/1.1 writes it.
    var headText: String {
        let lines = self.fields.map { "\($0.name.rawName): \($0.value)" }
        return ([self.head.line] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// Whether all bytes were handed to the connection. A small form that was answered with success counts as delivered
    /// even if they weren't.
    func hasSent(_ total: Int64?) -> Bool {
        self.isBodyComplete && (total.map { $0 <= self.bytesSent } ?? self.isAllSent)
    }

    /// The members of the object that `--json` prints, which only some answers have.
    var optionalMembers: [(name: String, value: ParameterValue)] {
        var members: [(name: String, value: ParameterValue)] = []
        if let upload = self.trace.upload {
            members += [
                ("uploadURL", .text(upload.url)), ("resumable", .text(upload.protocolName)),
                ("resumptions", .integer(Int128(upload.resumptions))),
                ("resumedFrom", .optional(upload.resumedFrom)),
            ]
            if upload.isAnswerLost { members.append(("isAnswerLost", .bool(true))) }
        }
        if !self.stored.isEmpty {
            let files = self.stored.map { file in
                ParameterValue.members([
                    ("filename", .text(file.name)), ("url", .optional(file.url)), ("bytes", .optional(file.bytes)),
                ])
            }
            members.append(("uploads", .array(files)))
        }
        if let file {
            members.append(("bodyFile", .text(file)))
        } else if let text = String(validating: self.body, as: UTF8.self) {
            members.append(("body", .text(text)))
            if self.isJSON, !self.isBodyTruncated, let value = try? OrderedJSON.read(self.body) {
                members.append(("bodyJSON", value))
            }
        } else {
            members.append(("bodyBase64", .text(Data(self.body).base64EncodedString())))
        }
        if self.isBodyTruncated { members.append(("isBodyTruncated", .bool(true))) }
        return members
    }

    /// The error line for an answer of 400 or more, or before the whole body.
    /// - Parameter hasProxy: Whether the request went to a proxy, and not through a tunnel.
    func failure(total: Int64?, hasProxy: Bool) -> String {
        let isProxy = self.status == 407 && hasProxy
        var text = "the \(isProxy ? "proxy" : "server") answered \(self.status)"
        if !self.reason.isEmpty { text += " \(self.reason)" }
        if !self.isBodyComplete {
            let whole = total.map { " of \($0)" } ?? ""
            text += " after \(self.bytesSent, "byte")\(whole), and the rest was not sent"
        }
        let isExplained = self.fields[.contentType]?.hasPrefix(ProblemDetails.contentType) ?? false
        if isProxy {
            text +=
                ": it requires credentials that it accepts: give them in its URL, as in http://user:password@host:port"
        }
        if self.status == 401 {
            text +=
                self.unsupportedScheme.map { ": it asks for \($0), which isn't supported: use Basic (-u) or a token" }
                ?? ": give a login that it accepts, with -u USER:PASSWORD or FORMWORK_TOKEN in the environment"
        }
        if self.status == 413, !isExplained, let hint = self.limitHint(total) { text += ": \(hint)" }
        return text
    }

    /// The first scheme that a 401 asks for; `nil` if it accepts Basic or a token.
    private var unsupportedScheme: String? {
        let challenges = self.fields[values: .wwwAuthenticate]
        let words = challenges.flatMap { $0.split { " ,".contains($0) } }
        let isKnown = words.contains { ["basic", "bearer"].contains($0.lowercased()) }
        return isKnown ? nil : words.first.map(String.init)
    }

    /// The server's probable limit.
    private func limitHint(_ total: Int64?) -> String? {
        if let name = HTTPField.Name("Upload-Limit"), let limit = self.fields[name] {
            return "its limits are \(limit)"
        }
        // A server that knows the length may refuse before it has read as much as its limit.
        if let total { return "its limit seems to be below the \(total, "byte") of this body" }
        return self.bytesSent == 0 ? nil : "its limit seems to be about \(self.bytesSent.asByteSize)"
    }
}

/// The head of a message as HTTP/1.1 writes it. Credentials are masked.
struct MaskedHead {
    /// The first line.
    let line: String
    let fields: [(name: String, value: String)]

    init(_ request: HTTPRequest, isHTTP2: Bool) {
        self.line = "\(request.method) \(SecretText.masked(request.path ?? "/")) HTTP/\(isHTTP2 ? "2" : "1.1")"
        self.fields = [("Host", request.authority ?? "")] + request.headerFields.map(Self.masked)
    }

    init(_ head: SendReport.Head) { (self.line, self.fields) = (head.line, head.fields.map(Self.masked)) }

    /// All lines without their ends.
    var lines: [String] { [self.line] + self.fields.map { "\($0.name): \($0.value)" } }

    /// A field; of credentials only the scheme is shown.
    private static func masked(_ field: HTTPField) -> (name: String, value: String) {
        let name = field.name.rawName
        guard Redirection.carriesCredentials(name) else { return (name, SecretText.masked(field.value)) }
        let words = field.value.split(separator: " ", maxSplits: 1)
        let isScheme = [.authorization, .proxyAuthorization].contains(field.name) && words.count == 2
        return (name, (isScheme ? "\(words[0]) " : "") + "***")
    }
}
