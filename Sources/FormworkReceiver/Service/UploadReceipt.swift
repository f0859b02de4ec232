#if Transfer
/// What was stored of one request.
package struct UploadReceipt: Sendable, Hashable, Encodable {
    /// A file that was stored.
    package struct File: Sendable, Hashable, Encodable {
        /// The name it got.
        package var name: String
        /// Bytes.
        package var size: Int64
        /// The media type that its sender gave; `nil` where it gave none.
        package var type: String?
        /// Its SHA-256 in hexadecimal digits; `nil` where none was wanted.
        package var sha256: String?
        /// The form field it came in; `nil` for a body that is the file.
        package var field: String?

        package init(
            name: String, size: Int64, type: String? = nil, sha256: String? = nil, field: String? = nil
        ) {
            (self.name, self.size, self.type, self.sha256, self.field) = (name, size, type, sha256, field)
        }
    }

    /// A field of the form that is no file.
    package struct Field: Sendable, Hashable, Encodable {
        package var name: String
        package var value: String
    }

    /// In the order in which they came.
    package var files: [File] = []
    package var fields: [Field] = []
    /// What became of the fields.
    package var fieldKeeping = FieldKeeping.none
    /// Held as long as the fields are, and as the answer that was made of them.
    var memory = Memory()

    package init() {}

    /// What became of a form's fields.
    package enum FieldKeeping: Sendable, Hashable {
        /// There were none.
        case none
        /// They are in the file of this name.
        case kept(name: String)
        /// They are in this answer alone.
        case dropped
    }

    private enum CodingKeys: CodingKey { case files, fields, fieldsIn, fieldsDropped }

    package func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(self.files, forKey: .files)
        try values.encode(self.fields, forKey: .fields)
        switch self.fieldKeeping {
        case .none: break
        case .kept(let name): try values.encode(name, forKey: .fieldsIn)
        case .dropped: try values.encode(true, forKey: .fieldsDropped)
        }
    }

    /// A share of the memory for fields; it is no part of what a receipt says.
    struct Memory: Sendable, Hashable {
        var share: FieldMemory.Share?
        static func == (one: Self, other: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// The receipt as a JSON object.
    package var jsonBytes: [UInt8] { JSONBytes.encode(self) }
}
#endif
