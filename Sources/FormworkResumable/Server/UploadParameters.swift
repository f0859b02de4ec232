#if Resumable
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// A request to begin an upload.
public struct UploadCreation: Sendable, Hashable {
    /// By which protocol.
    public var uploadProtocol: ResumableProtocol
    /// Whether the body ends with this request's content. Never said by tus, where the length tells.
    public var completes = false
    /// Bytes of the whole upload; `nil` when not known yet.
    public var length: Int64?
    /// Bytes of this request's content; `nil` when not told.
    public var contentLength: Int64?
    /// The type of the whole; `nil` when not told.
    public var contentType: String?
    /// `Content-Disposition`, which may name the file.
    public var disposition: String?
    /// What tus tells of the file.
    public var metadata = TusMetadata()
    /// What the whole is to be checked by.
    public var reprDigest: DigestField?
    /// The algorithms of `Want-Repr-Digest`, the most wanted first.
    public var wantedDigests: [String] = []
    /// What this request's content is to be checked by.
    public var check: UploadCheck?

    init(_ uploadProtocol: ResumableProtocol, _ fields: HTTPFields) {
        self.uploadProtocol = uploadProtocol
        self.contentLength = fields.contentLengthValue
        self.check = UploadCheck(fields, uploadProtocol)
    }

    /// A whole body that comes in one request, which says nothing of resuming.
    init(ordinary fields: HTTPFields) {
        self.init(.draft(.latest), fields)
        self.completes = true
        self.length = self.contentLength
        self.contentType = fields[.contentType]
        self.disposition = fields[.contentDisposition]
        self.reprDigest = fields[.reprDigest].flatMap(DigestField.init(_:))
    }

    /// For a request whose content, should it have any, is no part of the upload.
    var withoutContent: UploadCreation {
        var copy = self
        copy.contentLength = 0
        copy.check = nil
        return copy
    }
}

/// A request to add to an upload.
public struct UploadAppend: Sendable, Hashable {
    /// Where its content belongs.
    public var offset: Int64
    /// Whether the body ends with it, as far as the request says so.
    public var completes: Bool
    /// Bytes of the whole upload; `nil` when not told.
    public var length: Int64?
    /// Bytes of this request's content; `nil` when not told.
    public var contentLength: Int64?
    /// What this request's content is to be checked by.
    public var check: UploadCheck?

    init(offset: Int64, completes: Bool, _ fields: HTTPFields) {
        (self.offset, self.completes) = (offset, completes)
        self.contentLength = fields.contentLengthValue
        self.check = UploadCheck(fields, nil)
    }
}

/// What one request's content is checked by: none of it is kept when it turns out to be something else.
public enum UploadCheck: Sendable, Hashable {
    /// `Content-Digest` (RFC 9530).
    case contentDigest(DigestField)
    /// `Upload-Checksum` of tus, by its own names of algorithms: `sha1`, `sha256`.
    case checksum(DigestValue)
    /// An `Upload-Checksum` that can't be read.
    case malformedChecksum

    init?(_ fields: HTTPFields, _ uploadProtocol: ResumableProtocol?) {
        if let value = fields[.uploadChecksum], uploadProtocol?.draft == nil {
            let words = value.split(separator: " ")
            guard words.count == 2, let bytes = Base64.decode(String(words[1])) else {
                self = .malformedChecksum
                return
            }
            self = .checksum(DigestValue(algorithm: String(words[0]), bytes: bytes))
        } else if let value = fields[.contentDigest], let digest = DigestField(value) {
            self = .contentDigest(digest)
        } else {
            return nil
        }
    }
}
#endif
