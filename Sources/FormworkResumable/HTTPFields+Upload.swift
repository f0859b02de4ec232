import HTTPTypes

extension HTTPField.Name {
    static let uploadDraftInteropVersion = Self(known: "Upload-Draft-Interop-Version")
    package static let uploadComplete = Self(known: "Upload-Complete")
    static let uploadIncomplete = Self(known: "Upload-Incomplete")
    static let uploadOffset = Self(known: "Upload-Offset")
    static let uploadLength = Self(known: "Upload-Length")
    package static let uploadLimit = Self(known: "Upload-Limit")

    package static let tusResumable = Self(known: "Tus-Resumable")
    package static let tusVersion = Self(known: "Tus-Version")
    package static let tusExtension = Self(known: "Tus-Extension")
    package static let tusMaxSize = Self(known: "Tus-Max-Size")
    package static let tusChecksumAlgorithm = Self(known: "Tus-Checksum-Algorithm")
    static let uploadConcat = Self(known: "Upload-Concat")
    package static let uploadDeferLength = Self(known: "Upload-Defer-Length")
    package static let uploadMetadata = Self(known: "Upload-Metadata")
    package static let uploadChecksum = Self(known: "Upload-Checksum")
    package static let contentMD5 = Self(known: "Content-MD5")
    package static let uploadExpires = Self(known: "Upload-Expires")
    static let methodOverride = Self(known: "X-HTTP-Method-Override")

    package static let forwarded = Self(known: "Forwarded")
    package static let xForwardedFor = Self(known: "X-Forwarded-For")
    package static let xForwardedProto = Self(known: "X-Forwarded-Proto")

    /// The fields that clients of both protocols send, which mean nothing in other requests.
    package static let uploadRequest: [Self] = [
        .uploadDraftInteropVersion, .uploadComplete, .uploadIncomplete, .uploadOffset, .uploadLength, .tusResumable,
        .uploadDeferLength, .uploadMetadata, .uploadChecksum,
    ]
}

extension HTTPResponse.Status {
    /// 104 Upload Resumption Supported.
    static let uploadResumptionSupported = Self(code: 104, reasonPhrase: "Upload Resumption Supported")
}

extension HTTPFields {
    /// Whether interim answers to a request with these fields reach its client. nginx takes one for the answer, and adds no
    /// `Via`; a proxy that does is one of RFC 9110, which passes them on (section 15.2).
    var passInterimAnswers: Bool {
        !self.contains(.xForwardedFor) && !self.contains(.xForwardedProto) && !self.contains(.forwarded)
            || self.contains(.via)
    }

    /// The draft's interop version; `nil` if it is absent or not known.
    package var interopVersion: UploadDraft? {
        get {
            self[.uploadDraftInteropVersion].flatMap(StructuredField.integer).flatMap { UploadDraft(rawValue: Int($0)) }
        }
        set { self[.uploadDraftInteropVersion] = newValue.map { "\($0.rawValue)" } }
    }

    /// Whether the upload is, or will be, complete; `nil` if the field is absent or invalid.
    package func isUploadComplete(_ draft: UploadDraft) -> Bool? {
        draft.usesUploadIncomplete
            ? self[.uploadIncomplete].flatMap(StructuredField.boolean).map { !$0 }
            : self[.uploadComplete].flatMap(StructuredField.boolean)
    }

    package mutating func setUploadComplete(_ isComplete: Bool, _ draft: UploadDraft) {
        if draft.usesUploadIncomplete {
            self[.uploadIncomplete] = isComplete ? "?0" : "?1"
        } else {
            self[.uploadComplete] = isComplete ? "?1" : "?0"
        }
    }

    /// Bytes; `nil` unless the value is one non-negative number. tus sends plain digits, which are an Integer too.
    package var uploadOffset: Int64? {
        get { self.byteCount(.uploadOffset) }
        set { self[.uploadOffset] = newValue.map { "\($0)" } }
    }

    /// Bytes of the whole upload; `nil` as in ``uploadOffset``.
    package var uploadLength: Int64? {
        get { self.byteCount(.uploadLength) }
        set { self[.uploadLength] = newValue.map { "\($0)" } }
    }

    /// The limits; `nil` if the field is absent or invalid.
    package var uploadLimits: UploadLimits? { self[.uploadLimit].flatMap(UploadLimits.init(_:)) }

    /// Bytes of content; `nil` if the field is absent or has other characters than digits.
    var contentLengthValue: Int64? {
        self[.contentLength].flatMap { $0.utf8.allSatisfy(\.isDigit) ? Int64($0) : nil }
    }

    private func byteCount(_ name: HTTPField.Name) -> Int64? {
        guard let text = self[name] else { return nil }
        // tus doesn't limit numbers; an Integer has 15 digits.
        if text.utf8.allSatisfy(\.isDigit) { return text.utf8.count <= 18 ? Int64(text) : nil }
        return StructuredField.integer(text).flatMap { $0 >= 0 ? $0 : nil }
    }
}
