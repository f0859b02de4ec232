import RawStructuredFieldValues

/// A server's limits, from `Upload-Limit` (draft-ietf-httpbis-resumable-upload-12 §4.1.4); `nil` where no limit is set.
public struct UploadLimits: Sendable, Hashable, Codable {
    /// The most bytes of the whole upload.
    public var maxSize: Int64?
    /// The fewest bytes of an upload that can be resumed.
    public var minSize: Int64?
    /// The most bytes of content of one request.
    public var maxAppendSize: Int64?
    /// The fewest bytes of content of one request, except creations without content and the last request.
    public var minAppendSize: Int64?
    /// Seconds for which the upload stays available.
    public var maxAge: Int64?

    /// Creates limits; by default there are none.
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

    /// Reads a field's value. Unknown members are ignored; `nil` if a known member isn't a number.
    init?(_ fieldValue: String) {
        guard let members = StructuredField.dictionary(fieldValue) else { return nil }
        self.init()
        for (key, value) in members {
            guard let place = Self.members.first(where: { $0.key == key })?.place else { continue }
            guard case .integer(let number)? = value, number >= 0 else { return nil }
            self[keyPath: place] = number
        }
    }

    /// The field's value; `min-size=0` if there is no limit, as the draft requires.
    /// - Parameter draft: -04 and -05 (interop version 6) call `max-age` `expires`.
    func fieldValue(for draft: UploadDraft) -> String {
        let members = Self.members.compactMap { member -> String? in
            guard member.place != \.maxAge || member.key == draft.ageKey else { return nil }
            return self[keyPath: member.place].map { "\(member.key)=\(min($0, StructuredField.largestInteger))" }
        }
        return members.isEmpty ? "min-size=0" : members.joined(separator: ", ")
    }

    /// These limits, replaced by those that `newer` sets.
    package func updated(by newer: UploadLimits?) -> UploadLimits {
        var limits = self
        for (_, place) in Self.members { limits[keyPath: place] = newer?[keyPath: place] ?? limits[keyPath: place] }
        return limits
    }

    /// These limits, with this many bytes of the whole upload at most.
    func limited(to size: Int64?) -> UploadLimits {
        var limits = self
        if let size { limits.maxSize = min(limits.maxSize ?? size, size) }
        return limits
    }

    private static var members: [(key: String, place: WritableKeyPath<UploadLimits, Int64?>)] {
        [
            ("max-size", \.maxSize), ("min-size", \.minSize), ("max-append-size", \.maxAppendSize),
            ("min-append-size", \.minAppendSize), ("max-age", \.maxAge), ("expires", \.maxAge),
        ]
    }
}
