import FormworkCore

/// How url-encoded text is added to a URL, which may already have a query and a fragment.
public enum QueryDestination: String, CaseIterable, Sendable {
    /// In the query, before a fragment; a `?` or `&` at the query's end is reused.
    case query
    /// Like ``query``, but always after `&` if there is a query, even an empty one: Alamofire.
    case joined
    /// After the whole URL, including its fragment, and after `&` if there is a query, even an empty one: AFNetworking
    /// since 3.1.
    case appended
    /// Like ``appended``, but also for an empty text: AFNetworking before 3.1.
    case appendedEvenEmpty

    /// The URL with `text` in its place; the unchanged URL for an empty text.
    /// - Throws: ``FormworkError/Code/invalidArgument``, with the offset, if the URL or a name that the dialect doesn't
    ///   escape contains a space or a control character: it would end the URL in a request's first line.
    public func url(_ url: String, adding text: String) throws(FormworkError) -> String {
        if let (scalar, offset) = Self.unfit(in: url) {
            throw FormworkError(
                .invalidArgument,
                "the URL contains a space or a control character: write "
                    + PercentEncoder.rfc3986.encode(String(scalar)),
                offset: offset)
        }
        if let (_, offset) = Self.unfit(in: text) {
            throw FormworkError(
                .invalidArgument,
                "a name contains a space or a control character, which this dialect doesn't escape: rename it or use "
                    + "another dialect", offset: offset)
        }
        guard !text.isEmpty || self == .appendedEvenEmpty else { return url }
        let fragment = url.utf8.firstIndex(of: 0x23) ?? url.endIndex
        let head = url[..<fragment]
        var mark = "?"
        if let start = head.utf8.firstIndex(of: 0x3F) {
            let query = head.utf8[start...].dropFirst()
            mark = self == .query && (query.isEmpty || query.last == 0x26) ? "" : "&"
        }
        switch self {
        case .query, .joined: return head + mark + text + url[fragment...]
        case .appended, .appendedEvenEmpty: return url + mark + text
        }
    }

    private static func unfit(in text: String) -> (Unicode.Scalar, offset: Int64)? {
        let scalars = text.unicodeScalars
        let place = scalars.firstIndex { $0.properties.isWhitespace || $0.properties.generalCategory == .control }
        return place.map { (scalars[$0], Int64(text.utf8.distance(from: text.startIndex, to: $0))) }
    }
}
