import HTTPTypes
import RawStructuredFieldValues

/// The structured fields (RFC 9651) that uploads and digests need. A value that doesn't parse is `nil`, since a
/// receiver ignores such a field.
enum StructuredField {
    /// An Item that is an Integer; parameters are ignored.
    static func integer(_ value: String) -> Int64? {
        guard case .integer(let number)? = Self.item(value) else { return nil }
        return number
    }

    /// An Item that is a Boolean; parameters are ignored.
    static func boolean(_ value: String) -> Bool? {
        guard case .bool(let value)? = Self.item(value) else { return nil }
        return value
    }

    /// A Dictionary in its order; a member that is an inner list is `nil`.
    static func dictionary(_ value: String) -> [(key: String, value: RFC9651BareItem?)]? {
        // One member at a time: the parser searches all earlier members for each, which takes minutes for a long field.
        let texts = Self.members(Array(value.utf8))
        var members: [(key: String, value: RFC9651BareItem?)] = []
        var places: [String: Int] = [:]
        for text in texts {
            guard let member = Self.member(text) else { return texts.count == 1 && text.isEmpty ? [] : nil }
            // The last of a key counts, at the place of the first (RFC 9651 section 4.2.2).
            if let place = places.updateValue(places[member.key] ?? members.count, forKey: member.key) {
                members[place].value = member.value
            } else {
                members.append(member)
            }
        }
        return members
    }

    /// The most parameters of one item: as many as every parser has to accept (RFC 9651 section 3.1.2). The parser
    /// searches all earlier ones for each.
    private static let mostParameters = 256

    private static func hasFewParameters(_ text: some Sequence<UInt8>) -> Bool {
        text.reduce(0) { $0 + ($1 == UInt8(ascii: ";") ? 1 : 0) } <= Self.mostParameters
    }

    private static func member(_ text: ArraySlice<UInt8>) -> (key: String, value: RFC9651BareItem?)? {
        guard Self.hasFewParameters(text) else { return nil }
        var parser = StructuredFieldValueParser(Array(text))
        guard let members = try? parser.parseDictionaryFieldValue(), members.count == 1, let member = members.first
        else { return nil }
        guard case .item(let item) = member.1 else { return (member.0, nil) }
        return (member.0, item.rfc9651BareItem)
    }

    /// The members' texts: what is between commas outside of strings and inner lists, without the blanks around those
    /// commas.
    private static func members(_ value: [UInt8]) -> [ArraySlice<UInt8>] {
        let spaces = value[...].trimming { $0 == UInt8(ascii: " ") }
        var members: [ArraySlice<UInt8>] = []
        var start = spaces.startIndex
        var (isString, isEscaped, depth) = (false, false, 0)
        for index in spaces.indices {
            let byte = spaces[index]
            switch byte {
            case _ where isEscaped: isEscaped = false
            case UInt8(ascii: "\\") where isString: isEscaped = true
            case UInt8(ascii: "\""): isString.toggle()
            case UInt8(ascii: "(") where !isString: depth += 1
            case UInt8(ascii: ")") where !isString: depth -= 1
            case UInt8(ascii: ",") where !isString && depth == 0:
                members.append(spaces[start..<index])
                start = index + 1
            default: break
            }
        }
        members.append(spaces[start...])
        guard members.count > 1 else { return members }
        let last = members.count - 1
        return members.enumerated().map { index, member in
            let isBlank: (UInt8) -> Bool = { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
            let start = index == 0 ? member : member.drop(while: isBlank)
            return index == last ? start : start.dropLast(while: isBlank)
        }
    }

    /// The largest Integer, with 15 digits (RFC 9651 §3.3.1).
    static let largestInteger: Int64 = 999_999_999_999_999

    private static func item(_ value: String) -> RFC9651BareItem? {
        guard Self.hasFewParameters(value.utf8) else { return nil }
        var parser = StructuredFieldValueParser(Array(value.utf8))
        return (try? parser.parseItemFieldValue())?.rfc9651BareItem
    }
}

extension ArraySlice<UInt8> {
    fileprivate func dropLast(while isDropped: (UInt8) -> Bool) -> ArraySlice {
        self.lastIndex { !isDropped($0) }.map { self[...$0] } ?? self[self.endIndex...]
    }

    fileprivate func trimming(_ isDropped: (UInt8) -> Bool) -> ArraySlice {
        self.drop(while: isDropped).dropLast(while: isDropped)
    }
}

extension HTTPField.Name {
    /// A name that is a valid token.
    init(known name: StaticString) {
        guard let name = Self("\(name)") else { preconditionFailure("not a field name: \(name)") }
        self = name
    }
}
