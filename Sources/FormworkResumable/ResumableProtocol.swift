#if Resumable
import FormworkCore
import FormworkHTTP

/// How an upload goes on after it was cut.
public enum ResumableChoice: String, Sendable, Hashable, Codable, CaseIterable {
    /// As `ietf`, by one ordinary request that any server takes: it can go on where the server says that it can.
    case auto
    /// By draft-ietf-httpbis-resumable-upload, and by nothing else.
    case ietf
    /// By tus 1.0.
    case tus
    /// Not at all.
    case off
}

/// What a server and a client agreed on for one upload.
package enum ResumableProtocol: Sendable, Hashable {
    /// draft-ietf-httpbis-resumable-upload.
    case draft(UploadDraft)
    /// tus 1.0.0 (<https://tus.io/protocols/resumable-upload>).
    case tus
}

/// A version of draft-ietf-httpbis-resumable-upload by its interop version, which both sides must share.
package enum UploadDraft: Int, Sendable, Hashable, Comparable, CaseIterable {
    /// -01: `Upload-Incomplete`.
    case v3 = 3
    /// -03: `Upload-Complete`, progress by 104.
    case v5 = 5
    /// -04 and -05: `application/partial-upload`, `Upload-Length`, `Upload-Limit`, digests.
    case v6 = 6
    /// -09 and later: limits are always announced, a finished upload's answer can be had again.
    case v8 = 8

    package static let latest = Self.v8

    package static func < (old: Self, new: Self) -> Bool { old.rawValue < new.rawValue }

    /// What a PATCH says its content is; `nil` where the draft has no type for it.
    package var partialMediaType: String? { self >= .v6 ? "application/partial-upload" : nil }
    /// Whether a 104 may tell how far the server is.
    package var hasProgress: Bool { self >= .v5 }
    /// Whether `Upload-Length`, `Upload-Limit` and digests mean anything.
    package var hasLengthAndLimits: Bool { self >= .v6 }
    /// Whether a server may give a finished upload's answer again to an empty PATCH.
    package var replaysAnswer: Bool { self >= .v8 }
}

extension ResumableProtocol: Codable, CustomStringConvertible {
    /// `tus`, or `draft-8` with the interop version.
    package var description: String {
        switch self {
        case .draft(let draft): "draft-\(draft.rawValue)"
        case .tus: "tus"
        }
    }

    /// Reads what ``description`` gives.
    package init?(_ text: String) {
        if text == "tus" {
            self = .tus
        } else if text.hasPrefix("draft-"), let draft = Int(text.dropFirst(6)).flatMap(UploadDraft.init(rawValue:)) {
            self = .draft(draft)
        } else {
            return nil
        }
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let value = Self(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text.withControlCharactersEscaped) is no upload protocol")
        }
        self = value
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(self.description)
    }

    /// The draft's version; `nil` for tus.
    package var draft: UploadDraft? {
        guard case .draft(let draft) = self else { return nil }
        return draft
    }
}
#endif
