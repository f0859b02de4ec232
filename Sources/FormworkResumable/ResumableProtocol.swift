import FormworkCore

/// How an upload is resumed after a cut.
public enum ResumableChoice: String, Sendable, Hashable, Codable, CaseIterable {
    /// Like `ietf`, with one ordinary request that any server accepts. The upload can be resumed if the server says
    /// that it supports this.
    case auto
    /// With draft-ietf-httpbis-resumable-upload only.
    case ietf
    /// With tus 1.0.
    case tus
    /// Not at all.
    case off
}

/// The protocol that a server and a client agreed on for an upload.
package enum ResumableProtocol: Sendable, Hashable {
    /// draft-ietf-httpbis-resumable-upload.
    case draft(UploadDraft)
    /// tus 1.0.0 (<https://tus.io/protocols/resumable-upload>).
    case tus
}

/// A version of draft-ietf-httpbis-resumable-upload, identified by its interop version. Client and server must use the
/// same.
package enum UploadDraft: Int, Sendable, CaseIterable, Comparable {
    /// -01: `Upload-Incomplete`.
    case v3 = 3
    /// -03: `Upload-Complete`, progress by 104.
    case v5 = 5
    /// -04 and -05: `application/partial-upload`, `Upload-Length`, `Upload-Limit`, digests.
    case v6 = 6
    /// -09 to -12: limits are always announced, and a completed upload's answer can be requested again.
    case v8 = 8
    /// After -12: `Upload-Complete` in an answer says whose answer it is.
    case v9 = 9

    /// The version that a client offers first.
    package static let latest = Self.v9

    /// Whether the first is older.
    package static func < (old: Self, new: Self) -> Bool { old.rawValue < new.rawValue }

    // MARK: what differs, in one place

    /// Whether `Upload-Incomplete`, the opposite of `Upload-Complete`, is used.
    var usesUploadIncomplete: Bool { self == .v3 }
    /// The content type of a PATCH; `nil` if the draft has none.
    package var partialMediaType: String? { self >= .v6 ? "application/partial-upload" : nil }
    /// Whether a 104 may report progress.
    package var hasProgress: Bool { self >= .v5 }
    /// Whether `Upload-Length`, `Upload-Limit` and digests are defined.
    package var hasLengthAndLimits: Bool { self >= .v6 }
    /// Whether a server may repeat a completed upload's answer after an empty PATCH.
    package var replaysAnswer: Bool { self >= .v8 }
    /// The key in `Upload-Limit` for the seconds for which an upload stays available.
    var ageKey: String { self >= .v8 ? "max-age" : "expires" }
    /// Whether each request that adds something is answered with 201, and the last one with the upload's URL and offset.
    var answersAsCreated: Bool { self < .v8 }
    /// Whether `Upload-Complete: ?1` in the answer to a creation or an addition means that it is the target's own answer, and
    /// `?0` that it is about the upload, even if that is complete. Before, the field was about the upload in all answers.
    var marksOwnAnswers: Bool { self >= .v9 }
}

extension ResumableProtocol {
    /// The content type of tus' `PATCH`.
    package static let tusMediaType = "application/offset+octet-stream"
    /// In `Tus-Extension`, of servers that read an upload whose `content-type` is multipart/form-data as a form. tus has
    /// no such extension: other servers store the body as it is.
    package static let tusFormExtension = "formwork-form-data"
}

extension ResumableProtocol: RawRepresentable, Codable, CustomStringConvertible {
    /// `tus`, or `draft-8` with the interop version.
    package var rawValue: String {
        switch self {
        case .draft(let draft): "draft-\(draft.rawValue)"
        case .tus: "tus"
        }
    }

    /// Reads a ``rawValue``.
    package init?(rawValue: String) {
        if rawValue == "tus" {
            self = .tus
        } else if rawValue.hasPrefix("draft-"),
            let draft = Int(rawValue.dropFirst(6)).flatMap(UploadDraft.init(rawValue:))
        {
            self = .draft(draft)
        } else {
            return nil
        }
    }

    package var description: String { self.rawValue }

    /// The draft's version; `nil` for tus.
    package var draft: UploadDraft? {
        guard case .draft(let draft) = self else { return nil }
        return draft
    }
}
