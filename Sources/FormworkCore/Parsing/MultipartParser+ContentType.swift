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
        let bytes = Array(contentType.utf8)
        let place = try Self.boundary(of: bytes, profile)
        var boundary = bytes[place.value]
        if place.isQuoted { boundary = profile.backslashes.undone(boundary) }
        guard boundary.count <= limits.boundaryLength else {
            throw ParsingFailure(.boundaryLengthLimit, limit: Int64(limits.boundaryLength)).error(
                "The boundary has \(boundary.count, "byte"): the limit is \(limits.boundaryLength).", at: nil)
        }
        // Some receivers cut an unquoted value at a blank.
        let printable: ClosedRange<UInt8> = place.isQuoted ? 0x20...0x7E : 0x21...0x7E
        guard let last = boundary.last, last != 0x20, boundary.allSatisfy({ printable.contains($0) }) else {
            throw Self.invalidBoundary
        }
        self.init(unchecked: boundary, profile, limits, contentType: contentType)
        if profile.refusesAmbiguity { try self.refuse() }
    }

    static var invalidBoundary: FormworkError {
        ParsingFailure(.invalidBoundaryParameter).error(
            "The boundary is empty, ends with a space, has a space but no quotes, or isn't printable ASCII.", at: nil)
    }

    /// The parameter `boundary`.
    static func boundary(of bytes: [UInt8], _ profile: ParsingProfile) throws(FormworkError) -> Parameter {
        let type = bytes.span
        let end = type.count
        var start = 0
        while start < end, type[start].isBlank { start += 1 }
        let subtype = start + 10
        var place = min(subtype, end)
        while place < end, type[place].isTokenByte { place += 1 }
        guard place > subtype, type.holds("multipart/", in: start..<subtype),
            profile.acceptsAnyMultipart || type.holds("form-data", in: subtype..<place)
        else { throw Self.invalid(Self.difference(String(decoding: bytes, as: UTF8.self), profile)) }
        var isOnlyType = true
        while place < end, type[place] != 0x3B {
            isOnlyType = isOnlyType && type[place].isBlank
            place += 1
        }
        var boundary: Parameter?
        do throws(MalformedParameter) {
            var list = ParameterList(place..<end, profile.backslashes)
            while let next = try list.next(in: type) {
                guard type.holds("boundary", in: next.name) else { continue }
                guard boundary == nil else { throw MalformedParameter(duplicate: "boundary") }
                boundary = next
            }
        } catch {
            guard !error.isDuplicate else {
                throw ParsingFailure(.duplicateParameter).error(
                    "Content-Type gives the boundary twice, so it isn't known which one separates the parts: leave one out.",
                    at: nil)
            }
            throw Self.invalid("can't be read: \(error.message)")
        }
        guard let boundary else {
            throw ParsingFailure(.missingBoundaryParameter).error("Content-Type has no boundary.", at: nil)
        }
        guard isOnlyType else { throw Self.invalid("is not type/subtype") }
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
        if profile.acceptsAnyMultipart { return "\(shown) a multipart type" }
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
