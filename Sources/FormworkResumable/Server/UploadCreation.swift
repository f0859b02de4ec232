import FormworkCore
import FormworkDigests
import HTTPTypes

/// A request to begin an upload.
package struct UploadCreation: Sendable, Hashable {
    /// The protocol.
    package var uploadProtocol: ResumableProtocol
    /// Whether the body ends with this request's content. Always `false` for tus, where the length shows the end.
    package var completes = false
    /// Bytes of the whole upload; `nil` if not known yet.
    package var length: Int64?
    /// Bytes of this request's content; `nil` if not given.
    var contentLength: Int64?
    /// The type of the whole body; `nil` if not given.
    package var contentType: String?
    /// `Content-Disposition`, which may name the file.
    var disposition: String?
    /// tus metadata about the file.
    package var metadata = TusMetadata()
    /// Whether it is a part, or is made of parts; `nil` for an upload by itself.
    var concatenation: TusConcatenation?
    /// The digest of the whole body.
    var reprDigest: DigestField?
    /// The algorithms of `Want-Repr-Digest`, the most wanted first.
    var wantedDigests: [String] = []
    /// The check of this request's content.
    var check: UploadCheck?

    init(_ uploadProtocol: ResumableProtocol, _ fields: HTTPFields) {
        self.uploadProtocol = uploadProtocol
        self.contentLength = fields.contentLengthValue
        self.check = UploadCheck(fields, uploadProtocol)
    }

    /// Creates an upload from a whole body in an ordinary request.
    init(ordinary fields: HTTPFields) {
        self.init(.draft(.latest), fields)
        (self.completes, self.length) = (true, self.contentLength)
        (self.contentType, self.disposition) = (fields[.contentType], fields[.contentDisposition])
        self.reprDigest = fields[.reprDigest].flatMap(DigestField.init(_:))
    }

    /// The names of the parts that it is made of; `nil` if it isn't.
    var parts: [String]? { if case .final(let names)? = self.concatenation { names } else { nil } }

    /// Bytes that it will have in the store, as far as it is known: what is made of parts has none of its own.
    var claim: Int64 { self.parts == nil ? self.length ?? 0 : 0 }

    /// The same upload, for a request whose content, if any, isn't part of it.
    var withoutContent: UploadCreation {
        var copy = self
        (copy.contentLength, copy.check) = (0, nil)
        return copy
    }
}

/// A request to add to an upload.
package struct UploadAppend: Sendable, Hashable {
    /// The offset of its content.
    var offset: Int64
    /// Whether the body ends with it, as far as the request says.
    var completes: Bool
    /// Bytes of the whole upload; `nil` if not given.
    var length: Int64?
    /// Bytes of this request's content; `nil` if not given.
    var contentLength: Int64?
    /// The check of this request's content.
    var check: UploadCheck?
    /// The digest of the whole body, which the creation has given already.
    var reprDigest: DigestField?

    init(offset: Int64, completes: Bool, _ fields: HTTPFields) {
        (self.offset, self.completes) = (offset, completes)
        self.contentLength = fields.contentLengthValue
        self.check = UploadCheck(fields, nil)
        self.reprDigest = fields[.reprDigest].flatMap(DigestField.init(_:))
    }
}

/// The check of one request's content: if it fails, none of the content is kept.
struct UploadCheck: Sendable, Hashable {
    /// Whether the digest is in tus' own field, `Upload-Checksum`, instead of `Content-Digest` (RFC 9530) and `Content-MD5`
    /// (RFC 2616).
    let isChecksum: Bool
    /// The digests; `nil` if they can't be read.
    let digests: [DigestValue]?

    init?(_ fields: HTTPFields, _ uploadProtocol: ResumableProtocol?) {
        if let value = fields[.uploadChecksum], uploadProtocol?.draft == nil {
            (self.isChecksum, self.digests) = (true, Self.checksum(value).map { [$0] })
            return
        }
        let digest = fields[.contentDigest].map { DigestField($0)?.values }
        let md5 = fields[.contentMD5].map { value in
            Base64.decode(value).flatMap { $0.count == 16 ? [DigestValue(algorithm: "md5", bytes: $0)] : nil }
        }
        guard digest != nil || md5 != nil else { return nil }
        self.isChecksum = false
        self.digests = (digest ?? []).flatMap { first in (md5 ?? []).map { first + $0 } }
    }

    private static func checksum(_ value: String) -> DigestValue? {
        let words = value.split(separator: " ").map(String.init)
        // tus has names of its own for two of the algorithms.
        let names = ["sha1": SHA1Digest.algorithm, "sha256": SHA256Digest.algorithm]
        guard words.count == 2, let name = names[words[0]], let bytes = Base64.decode(words[1]) else { return nil }
        return DigestValue(algorithm: name, bytes: bytes)
    }
}
