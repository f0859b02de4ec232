extension MultipartParser {
    /// A parser for a body with this `Content-Type`.
    ///
    /// Quotes around the boundary are removed, and backslashes are read as in names. It may contain any printable
    /// ASCII, even characters that RFC 2046 forbids, because some senders use them.
    /// - Throws: ``FormworkError/Code/malformedBody`` for a type that isn't the profile's, and for a boundary that is
    ///   missing, duplicate or invalid; ``FormworkError/Code/limitExceeded`` for one longer than
    ///   ``ParsingLimits/boundaryLength``.
    public init(
        contentType: String, profile: ParsingProfile = .default, limits: ParsingLimits = .default
    ) throws(FormworkError) {
        let boundary = try Self.boundary(of: Array(contentType.utf8), profile)
        guard boundary.count <= limits.boundaryLength else {
            throw ParsingFailure(.boundaryLengthLimit, limit: Int64(limits.boundaryLength)).error(
                "The boundary has \(boundary.count, "byte"): the limit is \(limits.boundaryLength).", at: nil)
        }
        guard !boundary.isEmpty, boundary.last != 0x20, boundary.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw ParsingFailure(.invalidBoundaryParameter).error(
                "The boundary is empty, ends with a space or isn't printable ASCII.", at: nil)
        }
        self.init(unchecked: boundary, profile, limits)
    }

    private static func boundary(of bytes: [UInt8], _ profile: ParsingProfile) throws(FormworkError) -> [UInt8] {
        let text = bytes.span
        var place = bytes.firstIndex(of: 0x3B) ?? bytes.count
        let type = bytes[..<place].drop(while: \.isBlank)
        let subtype = type.dropFirst(10).prefix(while: \.isTokenByte)
        let isWanted =
            profile.subtype == .any
            ? !subtype.isEmpty : text.holds("form-data", in: subtype.startIndex..<subtype.endIndex)
        guard type.count > 10, text.holds("multipart/", in: type.startIndex..<type.startIndex + 10), isWanted else {
            throw Self.invalid(Self.difference(String(decoding: bytes, as: UTF8.self), profile))
        }
        var boundary: [UInt8]?
        do throws(MalformedParameter) {
            while let next = try text.nextParameter(at: &place, before: bytes.count, profile.backslashes) {
                guard text.holds("boundary", in: next.name) else { continue }
                guard boundary == nil else {
                    throw MalformedParameter(duplicate: "boundary")
                }
                let value = bytes[next.value]
                boundary = Array(next.isQuoted ? profile.backslashes.undone(value) : value)
                // Some receivers cut an unquoted value at a blank.
                if !next.isQuoted, value.contains(where: \.isBlank) { boundary = [] }
            }
        } catch {
            guard !error.isDuplicate else {
                throw ParsingFailure(.duplicateParameter).error("Content-Type has two boundaries.", at: nil)
            }
            throw Self.invalid("can't be read: \(error.message)")
        }
        guard let boundary else {
            throw ParsingFailure(.missingBoundaryParameter).error("Content-Type has no boundary.", at: nil)
        }
        guard type[subtype.endIndex...].allSatisfy(\.isBlank) else { throw Self.invalid("is not type/subtype") }
        return boundary
    }

    /// What is wrong with another type, and what reads it.
    private static func difference(_ type: String, _ profile: ParsingProfile) -> String {
        guard !type.isEmpty else { return "is empty: forms are sent as multipart/form-data, or url-encoded" }
        let essence = String(Substring(type.prefix { $0 != ";" }.utf8.trimmingBlanks))
        // Other text of the sender's isn't repeated.
        let isType =
            essence.utf8.count <= 80 && essence.utf8.count { $0 == UInt8(ascii: "/") } == 1
            && essence.utf8.allSatisfy { $0.isLetterOrDigit || "/.+-".utf8.contains($0) }
        let shown = isType ? "is \"\(essence)\", not" : "is not"
        if profile.subtype == .any { return "\(shown) a multipart type" }
        let advice =
            switch essence.lowercased() {
            case "application/x-www-form-urlencoded":
                "a url-encoded form has no parts, so collect or decode the whole form"
            case let other where isType && other.hasPrefix("multipart/"): "the profile generic reads it"
            default: "forms are sent as that, or url-encoded"
            }
        return "\(shown) multipart/form-data: \(advice)"
    }

    private static func invalid(_ what: String) -> FormworkError {
        ParsingFailure(.invalidContentType).error("The Content-Type \(what).", at: nil)
    }
}
