import FormworkHTTP
import FormworkSystem

/// The text fields of a form, in their order.
struct FormFields: Sendable {
    /// A field as it arrived.
    struct Arrived: Sendable {
        var index: Int
        var header: ReceivedHeader
        var name: String
        var bytes: [UInt8]
    }

    /// A field as it is stored.
    private struct Kept: Encodable, Sendable {
        var name: String
        var value: String
        /// The media type that the sender gave; absent if it gave none.
        var type: String?
        /// The original bytes, if they differ from the value in UTF-8.
        var base64: String?

        init(_ name: String, _ value: String, _ bytes: [UInt8], type: String? = nil) {
            (self.name, self.value, self.type) = (name, value, type)
            self.base64 = value.utf8.elementsEqual(bytes) ? nil : Base64.encode(bytes)
        }
    }

    /// The content of a form record.
    private struct Record: Encodable {
        var fields: [Kept]
        var files: [UploadReceipt.File]
    }

    private var kept: [Kept] = []

    /// Reads fields as text, in the charset that each declares, or that the form declares in a field `_charset_` (RFC
    /// 7578 §4.6).
    /// - Throws: The error of a charset; `limitExceeded`; 503 if all requests together would hold too much.
    init(_ arrived: [Arrived], limit: Int64, _ lease: ReceiverMemory.Lease) throws {
        let declared = arrived.first { $0.name == "_charset_" }
            .flatMap { String(decoding: $0.bytes, as: UTF8.self).trimmedLabel }
        var count: Int64 = 0
        for field in arrived {
            let charset = field.header.contentType == nil ? declared : field.header.charset ?? declared
            let value: String
            if let charset {
                do throws(FormworkError) { value = try TextDecoding.standard.text(field.bytes, charset) } catch {
                    throw error.naming(PartReference(index: field.index, name: field.name))
                }
            } else {
                // Invalid UTF-8 is repaired, as WHATWG specifies.
                value = String(decoding: field.bytes, as: UTF8.self)
            }
            // The text may be longer than the bytes that arrived.
            try lease.hold(value.utf8.count - field.bytes.count + value.escapingCost)
            count += Int64(value.utf8.count)
            guard count <= limit else {
                throw ParsingFailure(.memoryBytesLimit, limit: limit).error(
                    "The form's fields have more than \(limit, "byte") in total.", at: nil)
            }
            let kept = Kept(field.name, value, field.bytes, type: field.header.contentType)
            if let base64 = kept.base64 { try lease.hold(base64.utf8.count) }
            self.kept.append(kept)
        }
    }

    /// What a client said of a file: a field for each entry.
    init(_ metadata: [(name: String, value: [UInt8])]) {
        self.kept = metadata.map { name, bytes in Kept(name, String(decoding: bytes, as: UTF8.self), bytes) }
    }

    /// Throws 400 for a field that contains the form's delimiter: a client wrote it without CRLF before or after it, and the
    /// parts after it would be stored as the field's text.
    ///
    /// A boundary of fewer than 16 bytes may be in a text by chance.
    static func checkNoDelimiter(in fields: [Arrived], of contentType: String) throws(ProblemDetails) {
        guard let parser = try? MultipartParser(contentType: contentType, profile: .generic) else { return }
        let search = StrayDelimiter(of: parser)
        guard parser.delimiter.count >= 4 + 16 else { return }
        for field in fields {
            var search = search
            field.bytes.withRawSpan { search.take($0, 0..<$0.byteCount, at: 0) }
            guard search.offset == nil else {
                throw .badRequest(
                    "A field has the form's boundary in its text, so a part would be lost: write CRLF before and after "
                        + "each delimiter.")
            }
        }
    }

    var isEmpty: Bool { self.kept.isEmpty }

    /// The fields as the answer shows them.
    var answered: [UploadReceipt.Field] {
        self.kept.map { UploadReceipt.Field(name: $0.name, value: $0.value, base64: $0.base64) }
    }

    /// The fields as a file next to the form's files: `a.jpg.form.json`, where `a.jpg` is the first of them.
    /// - Parameter folders: Where it is stored if there are no files.
    func record(for files: [UploadReceipt.File], in folders: [SafeFilename] = []) -> FormRecord {
        let made = "form-\(RandomWord.make()).form.json"
        let path = files.first.flatMap { SafePath($0.name + ".form.json") }
        // Letters, digits and dots always make a valid name.
        let name = SafeFilename(made) ?? IncomingUpload.madeUpName(FormRecord.mediaType)
        let own = path ?? SafePath(name, in: folders)
        return FormRecord(path: own, bytes: JSONBytes.encode(Record(fields: self.kept, files: files)))
    }
}

extension String {
    /// Bytes that JSON adds to the text by escaping, quotation marks not counted.
    var escapingCost: Int {
        self.utf8.reduce(0) { cost, byte in
            switch byte {
            case 0x22, 0x5C: cost + 1
            case ..<0x20: cost + 5
            default: cost
            }
        }
    }
}
