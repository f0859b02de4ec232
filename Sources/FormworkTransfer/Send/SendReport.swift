import Formwork
import FormworkClient
import FormworkCommand
import FormworkEssentials
import FormworkHTTP
import FormworkNIO
import FormworkURLEncoded
import HTTPTypes

/// The result of a transfer.
struct SendReport: Sendable {
    var head: Head
    var url: String
    var method: String
    var bytesSent: Int64
    var isBodyComplete: Bool
    /// Whether ``bytesSent`` is the whole body; its length may be unknown.
    var isAllSent: Bool
    /// Whether the source of the body was asked for bytes.
    var isSourceRead: Bool
    var requests: Int
    var tries: Int
    /// Redirects that were followed; `nil` if they weren't counted.
    var redirects: Int?
    /// Bytes of the answer's body that were read.
    var bytesReceived: Int64 = 0
    /// The part of the answer's body that was kept.
    var body: [UInt8] = []
    var isBodyTruncated = false
    /// The file that the answer's body was written to; `nil` if it is in ``body``.
    var file: String?
    /// The upload's own URL and state; `nil` for a plain transfer.
    var upload: ResumableUpload?
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
        var status: Int
        var reason: String
        var fields: HTTPFields
        /// The version of HTTP, as reports have it.
        var version: String

        init(_ response: HTTPResponse, _ version: ResponseVersion) {
            (self.status, self.reason) = (response.status.code, response.status.reasonPhrase)
            (self.fields, self.version) = (response.headerFields, version.rawValue)
        }
    }

    init(_ answer: ExchangeResponse, _ trace: FormSender.Trace) {
        self.head = Head(answer.head, answer.version)
        (self.url, self.method) = (trace.url, trace.method)
        self.bytesSent = answer.bytesSent
        self.isBodyComplete = answer.isBodyComplete
        self.isAllSent = trace.upload == nil && trace.hasBody ? answer.isAllSent : answer.isBodyComplete
        self.isSourceRead = trace.isSourceRead
        if let upload = trace.upload {
            // Counts the whole body, not only the last request.
            self.bytesSent = max(upload.offset + self.bytesSent, upload.acknowledged)
        }
        self.upload = trace.upload
        (self.requests, self.tries, self.redirects) = (trace.requests, trace.retries + 1, trace.redirects)
    }

    /// Whether the answer's body is declared as JSON.
    var isJSON: Bool {
        guard let type = self.fields[.contentType]?.prefix(while: { $0 != ";" && $0 != " " }).lowercased() else {
            return false
        }
        return type == "application/json" || type.hasSuffix("+json")
    }

    /// The answer's head, as HTTP/1.1 writes it.
    var headText: String {
        let reason = self.head.version == ResponseVersion.http2.rawValue ? "" : " \(self.reason)"
        let first = "HTTP/\(self.head.version) \(self.status)\(reason)"
        let lines = self.fields.map { "\($0.name.rawName): \($0.value)" }
        return ([first] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// The members of the object that `--json` prints. Both kinds of results have them; only the last ones are optional.
    /// - Parameters:
    ///   - report: `nil` for a transfer without an answer.
    ///   - lastHead: That of the last answer, if there is no report of it.
    ///   - trace: The last request, if there is no report; `nil` if none was started.
    ///   - bytesSent: Bytes of the body, if there is no report.
    ///   - total: Bytes of the whole body; `nil` if unknown.
    static func members(
        _ report: SendReport?, lastHead: Head? = nil, _ trace: FormSender.Trace? = nil, bytesSent: Int64 = 0,
        total: Int64?, seconds: Double
    ) -> [(name: String, value: ParameterValue)] {
        let head = report?.head ?? lastHead
        let headers = head?.fields.map { field in
            ParameterValue.members([("name", .text(field.name.rawName)), ("value", .text(field.value))])
        }
        let tries: Int64? = (report?.tries ?? trace.map { $0.retries + 1 }).map { Int64($0) }
        let requests: Int64? = (report?.requests ?? trace?.requests).map { Int64($0) }
        let members: [(name: String, value: ParameterValue)] = [
            ("status", .optional(head.map { Int64($0.status) })),
            ("url", .optional(report?.url ?? trace?.url)),
            ("http", .optional(head?.version)),
            ("bytesSent", .optional(report?.bytesSent ?? bytesSent)),
            ("bytesTotal", .optional(total)),
            ("isBodyComplete", report.map { .bool($0.hasSent(total)) } ?? .null),
            ("tries", .optional(tries)),
            ("requests", .optional(requests)),
            ("seconds", .double((seconds * 1000).rounded() / 1000)),
            ("headers", headers.map { .array($0) } ?? .null),
        ]
        return members + (report?.optionalMembers ?? [])
    }

    /// Whether all bytes were handed to the connection. A small form that was answered with success counts as delivered
    /// even if they weren't.
    private func hasSent(_ total: Int64?) -> Bool {
        self.isBodyComplete && (total.map { $0 <= self.bytesSent } ?? self.isAllSent)
    }

    private var optionalMembers: [(name: String, value: ParameterValue)] {
        var members: [(name: String, value: ParameterValue)] = []
        if let upload {
            members += [
                ("uploadURL", .text(upload.url)), ("resumable", .text(upload.protocolName)),
                ("resumptions", .integer(Int128(upload.resumptions))),
                ("resumedFrom", .optional(upload.resumedFrom)),
            ]
            if upload.isAnswerLost { members.append(("isAnswerLost", .bool(true))) }
        }
        if !self.stored.isEmpty {
            let files = self.stored.map { file -> ParameterValue in
                .object([
                    .init("filename", .text(file.name)), .init("url", file.url.map { .text($0) } ?? .null),
                    .init("bytes", .integer(Int128(file.bytes))),
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
        var text = "formwork: the \(isProxy ? "proxy" : "server") answered \(self.status)"
        if !self.reason.isEmpty { text += " \(self.reason.withControlCharactersEscaped)" }
        if !self.isBodyComplete {
            text +=
                " after \(self.bytesSent, "byte")" + (total.map { " of \($0)" } ?? "") + ", and the rest was not sent"
        }
        let isExplained = self.fields[.contentType]?.hasPrefix(ProblemDetails.contentType) ?? false
        if isProxy {
            text +=
                ": it requires credentials that it accepts: give them in its URL, as in http://user:password@host:port"
        }
        if self.status == 401, let scheme = self.unsupportedScheme {
            text +=
                ": it asks for \(scheme.withControlCharactersEscaped), which isn't supported: use Basic (-u) or a token"
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
            return "its limits are \(limit.withControlCharactersEscaped)"
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

    init(_ response: HTTPResponse, _ version: ResponseVersion) {
        let reason = version == .http2 ? "" : response.status.reasonPhrase
        self.line = "HTTP/\(version.rawValue) \(response.status.code)" + (reason.isEmpty ? "" : " \(reason)")
        self.fields = response.headerFields.map(Self.masked)
    }

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
