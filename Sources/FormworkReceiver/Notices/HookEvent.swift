import FormworkHTTP
import FormworkEssentials

/// A message to a hook, as it is sent: JSON with a type, a time and data (Standard Webhooks, "Payload structure").
struct HookEvent: Codable, Hashable, Sendable {
    enum Kind: String, Codable {
        /// Whether to accept an upload. Nothing of it was received yet.
        case asked = "upload.asked"
        case stored = "upload.stored"
        case failed = "upload.failed"
    }

    /// What is known of an upload. What isn't known is left out.
    struct Upload: Codable, Hashable, Sendable {
        /// 32 hexadecimal digits, the same in all messages about an upload.
        var upload: String
        /// `http`, `ietf` or `tus`.
        var `protocol`: String
        var method: String
        /// The request's path, percent-encoded, without an upload link.
        var path: String
        /// The request's query.
        var query: String?
        /// The name that the file would get, with its folders if they are kept. A form has none: its files have names.
        var name: String?
        /// The media type of the body.
        var type: String?
        /// Bytes of the body.
        var length: Int64?
        /// The fields that are known: tus metadata, and in `upload.stored` those of the form.
        var fields: [UploadReceipt.Field] = []
        /// The client's address, as in the log.
        var peer: String
        /// How the client was let in: `token`, `login` or `link`.
        var credential: String?
        var link: Link?
        /// The client's ``TraceParent``, which each request to the hook repeats.
        var traceparent: String?
        /// What the hook's answer gave.
        var metadata: [String: String]?
        /// The files that were stored.
        var files: [UploadReceipt.File]?
        /// The file that has the form's fields.
        var fieldsIn: String?
        /// The status of the answer to the client, and why the upload failed.
        var status: Int?
        var detail: String?
    }

    /// The upload link of a request.
    struct Link: Codable, Hashable, Sendable {
        var id: String
        var prefix: String?
        var title: String?
        var expires: String
        var maxSize: Int64?
    }

    var type: Kind
    /// When it happened: RFC 3339, in UTC.
    var timestamp: String
    var data: Upload

    init(_ type: Kind, _ data: Upload, timestamp: String = Date.now.formatted(.iso8601)) {
        (self.type, self.timestamp, self.data) = (type, timestamp, data)
    }

    /// The message's id: the same each time that it is sent.
    var id: String { "\(self.data.upload)-\(self.type.rawValue.split(separator: ".").last ?? "")" }
    var bytes: [UInt8] { JSONBytes.encode(self) }
}
