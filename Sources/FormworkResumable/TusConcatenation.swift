/// `Upload-Concat` of tus 1.0: an upload is a part of another one, or is made of parts that have arrived before.
enum TusConcatenation: Sendable, Hashable {
    /// A part, which isn't stored by itself.
    case partial
    /// The names of the parts, in their order: the last segments of their URLs. The rest of a URL isn't kept, since it may have
    /// an upload link.
    case final([String])

    /// Reads a field's value; `nil` for one that isn't known, or names a part twice.
    init?(_ fieldValue: String) {
        guard fieldValue != "partial" else {
            self = .partial
            return
        }
        guard fieldValue.hasPrefix("final;") else { return nil }
        let names = fieldValue.dropFirst(6).split(separator: " ").map { url in
            String(url.split(separator: "/", omittingEmptySubsequences: false).last ?? "")
        }
        guard !names.isEmpty, Set(names).count == names.count else { return nil }
        self = .final(names)
    }

    /// The field's value.
    /// - Parameter prefix: The URL of a part before its name.
    func fieldValue(prefix: String = "") -> String {
        switch self {
        case .partial: "partial"
        case .final(let names): "final;" + names.map { prefix + $0 }.joined(separator: " ")
        }
    }
}
