#if Resumable
import FormworkHTTP
import RawStructuredFieldValues

/// What a server takes, by `Upload-Limit` (draft-ietf-httpbis-resumable-upload-12 §4.1.4); `nil` where it says nothing.
public struct UploadLimits: Sendable, Hashable, Codable {
    /// Bytes of the whole upload at most.
    public var maxSize: Int64?
    /// Bytes of the whole upload below which it can't be resumed.
    public var minSize: Int64?
    /// Bytes of content of one request at most.
    public var maxAppendSize: Int64?
    /// Bytes of content of one request at least; creations without content and the last request are free of it.
    public var minAppendSize: Int64?
    /// Seconds that the upload can still be reached.
    public var maxAge: Int64?

    /// No limits, unless said otherwise.
    public init(
        maxSize: Int64? = nil, minSize: Int64? = nil, maxAppendSize: Int64? = nil, minAppendSize: Int64? = nil,
        maxAge: Int64? = nil
    ) {
        self.maxSize = maxSize
        self.minSize = minSize
        self.maxAppendSize = maxAppendSize
        self.minAppendSize = minAppendSize
        self.maxAge = maxAge
    }

    /// Reads a field's value. Members that aren't known are ignored; one that is known, and no number, spoils the
    /// field.
    package init?(_ fieldValue: String) {
        guard let members = StructuredField.dictionary(fieldValue) else { return nil }
        self.init()
        for (key, value) in members {
            guard let place = Self.members.first(where: { $0.key == key })?.place else { continue }
            guard case .integer(let number)? = value, number >= 0 else { return nil }
            self[keyPath: place] = number
        }
    }

    /// The field's value; `min-size=0` where there is no limit, as the draft wants.
    /// - Parameter draft: -04 and -05 (interop version 6) call `max-age` `expires`.
    package func fieldValue(for draft: UploadDraft) -> String {
        let ageKey = draft < .v8 ? "expires" : "max-age"
        let members = Self.members.compactMap { member -> String? in
            guard member.place != \.maxAge || member.key == ageKey else { return nil }
            return self[keyPath: member.place].map { "\(member.key)=\(min($0, StructuredField.largestInteger))" }
        }
        return members.isEmpty ? "min-size=0" : members.joined(separator: ", ")
    }

    /// What `newer` says, and else what `self` does.
    package func updated(by newer: UploadLimits?) -> UploadLimits {
        guard let newer else { return self }
        return UploadLimits(
            maxSize: newer.maxSize ?? self.maxSize, minSize: newer.minSize ?? self.minSize,
            maxAppendSize: newer.maxAppendSize ?? self.maxAppendSize,
            minAppendSize: newer.minAppendSize ?? self.minAppendSize, maxAge: newer.maxAge ?? self.maxAge)
    }

    private static var members: [(key: String, place: WritableKeyPath<UploadLimits, Int64?>)] {
        [
            ("max-size", \.maxSize), ("min-size", \.minSize), ("max-append-size", \.maxAppendSize),
            ("min-append-size", \.minAppendSize), ("max-age", \.maxAge), ("expires", \.maxAge),
        ]
    }
}
#endif
