#if Transfer
import Formwork
import FormworkCommand
import FormworkNIO
import FormworkClient
import FormworkURLEncoded

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The result of a transfer.
struct SendReport: Sendable {
    var status: Int
    var reason: String
    var isHTTP2: Bool
    var fields: HTTPFields
    var url: String
    var bytesSent: Int64
    var isBodyComplete: Bool
    var requests: Int
    var tries: Int
    /// The part of the answer's body that was kept.
    var body: [UInt8] = []
    var isBodyTruncated = false
    /// The file that the answer's body was written to; `nil` if it is in ``body``.
    var file: String?
    /// The upload's own URL and state; `nil` for a plain transfer.
    var upload: ResumableUpload?
    /// The files that a tus server stored as uploads of their own.
    var stored: [StoredFile] = []

    /// A file that a tus server stored.
    struct StoredFile: Sendable {
        var name: String
        var url: String?
        var bytes: Int64
    }

    init(_ answer: ExchangeAnswer, _ trace: FormSender.Trace) {
        self.status = answer.head.status.code
        self.reason = answer.head.status.reasonPhrase
        self.isHTTP2 = answer.isHTTP2
        self.fields = answer.head.headerFields
        self.url = trace.url
        self.bytesSent = answer.bytesSent
        self.isBodyComplete = answer.isBodyComplete
        if let upload = trace.upload {
            // Counts the whole body, not only the last request.
            self.bytesSent = max(upload.offset + self.bytesSent, upload.acknowledged)
        }
        self.upload = trace.upload
        (self.requests, self.tries) = (trace.requests, trace.retries + 1)
    }

    /// The answer's head, as HTTP/1.1 writes it.
    var headText: String {
        let first = self.isHTTP2 ? "HTTP/2 \(self.status)" : "HTTP/1.1 \(self.status) \(self.reason)"
        let lines = self.fields.map { "\($0.name.rawName): \($0.value)" }
        return ([first] + lines).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// One object, and a line end.
    func json(total: Int64?, seconds: Double) -> String {
        var members: [(String, ParameterValue)] = [
            ("status", .integer(Int128(self.status))), ("url", .text(self.url)),
            ("http", .text(self.isHTTP2 ? "2" : "1.1")), ("bytesSent", .integer(Int128(self.bytesSent))),
            ("bytesTotal", total.map { .integer(Int128($0)) } ?? .null),
            ("isBodyComplete", .bool(self.isBodyComplete)),
            ("tries", .integer(Int128(self.tries))), ("requests", .integer(Int128(self.requests))),
            ("seconds", .double((seconds * 1000).rounded() / 1000)),
            (
                "headers",
                .array(
                    self.fields.map { field in
                        .object([.init("name", .text(field.name.rawName)), .init("value", .text(field.value))])
                    })
            ),
        ]
        if let upload {
            members += [
                ("uploadURL", .text(upload.url)), ("resumable", .text(upload.protocolName)),
                ("resumptions", .integer(Int128(upload.resumptions))),
                ("resumedFrom", upload.resumedFrom.map { .integer(Int128($0)) } ?? .null),
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
        } else {
            members.append(("bodyBase64", .text(Data(self.body).base64EncodedString())))
        }
        if self.isBodyTruncated { members.append(("isBodyTruncated", .bool(true))) }
        return OrderedJSON.write(.object(members.map { .init($0.0, $0.1) }), isPretty: true) + "\n"
    }

    /// One object for a transfer without an answer, and a line end.
    static func json(_ failure: ExitStatus, bytesSent: Int64, total: Int64?, seconds: Double) -> String {
        let members: [(String, ParameterValue)] = [
            ("error", .text(String((failure.message ?? "").trimmingPrefix("formwork: ")))),
            ("exitStatus", .integer(Int128(failure.code))), ("bytesSent", .integer(Int128(bytesSent))),
            ("bytesTotal", total.map { .integer(Int128($0)) } ?? .null),
            ("seconds", .double((seconds * 1000).rounded() / 1000)),
        ]
        return OrderedJSON.write(.object(members.map { .init($0.0, $0.1) }), isPretty: true) + "\n"
    }

    /// The error line for an answer of 400 or more.
    func failure(total: Int64?) -> String {
        var text = "formwork: the server answered \(self.status)"
        if !self.reason.isEmpty { text += " \(self.reason.withControlCharactersEscaped)" }
        if !self.isBodyComplete {
            text +=
                " after \(self.bytesSent) bytes" + (total.map { " of \($0)" } ?? "") + ", and the rest was not sent"
        }
        let isExplained = self.fields[.contentType]?.hasPrefix("application/problem+json") ?? false
        if self.status == 413, !isExplained, let hint = self.limitHint(total) { text += ": \(hint)" }
        return text
    }

    /// The server's probable limit.
    private func limitHint(_ total: Int64?) -> String? {
        if let name = HTTPField.Name("Upload-Limit"), let limit = self.fields[name] {
            return "its limits are \(limit.withControlCharactersEscaped)"
        }
        // A server that knows the length may refuse before it has read as much as its limit.
        if let total { return "its limit seems to be below the \(total) bytes of this body" }
        return self.bytesSent == 0 ? nil : "its limit seems to be about \(ByteSize.text(self.bytesSent))"
    }
}
#endif
