import FormworkEssentials
import FormworkHTTP

/// What was stored from one request.
struct UploadReceipt: Sendable, Codable {
    /// A file that was stored.
    struct File: Sendable, Hashable, Codable {
        /// The name under which it was stored.
        var name: String
        /// Bytes.
        var size: Int64
        /// The media type that the sender gave; `nil` if it gave none.
        var type: String?
        /// Its SHA-256 in hexadecimal digits; `nil` if none was computed.
        var sha256: String?
        /// The form field it came in; `nil` if the body was the file.
        var field: String?
        /// The folders of its path, if they were not kept.
        var droppedFolders: String?
    }

    /// A text field of the form.
    struct Field: Sendable, Hashable, Codable {
        var name: String
        var value: String
        /// Its bytes, if they aren't those of the value in UTF-8.
        var base64: String?
    }

    /// In the order of arrival.
    var files: [File] = []
    var fields: [Field] = []
    /// The file in which the fields were stored; `nil` if they weren't, or the form had none.
    var fieldsIn: String?
    /// `true` if the form's fields were not stored: only this answer contains them.
    var fieldsDropped: Bool?
    /// What was sent, without what a client may change when it repeats the upload; `nil` for an upload without an
    /// ``IdempotencyKey``.
    var fingerprint: String?
    /// Held as long as the fields and the answer made from them.
    var memory: ReceiverMemory.Lease?

    private enum CodingKeys: CodingKey { case files, fields, fieldsIn, fieldsDropped }
}

extension UploadReceipt {
    /// Reads a receipt that ``jsonBytes`` has written.
    init?(_ bytes: [UInt8]) {
        guard let receipt = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = receipt
    }

    /// The receipt as a JSON object.
    var jsonBytes: [UInt8] { JSONBytes.encode(self) }
}
