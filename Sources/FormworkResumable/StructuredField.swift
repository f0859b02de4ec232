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
        guard var parser = Self.parser(value), let members = try? parser.parseDictionaryFieldValue() else { return nil }
        return members.map { key, member in
            guard case .item(let item) = member else { return (key, nil) }
            return (key, item.rfc9651BareItem)
        }
    }

    /// The most members and parameters of a field. Every parser has to accept 1,024 members, and 256 parameters of one (RFC
    /// 9651 sections 3.1.2 and 3.2). This parser searches all earlier ones for each, which would take minutes for a long field.
    private static let mostSeparators = 2_048

    private static func parser(_ value: String) -> StructuredFieldValueParser<[UInt8]>? {
        let count = value.utf8.count { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: ";") }
        return count <= Self.mostSeparators ? StructuredFieldValueParser(Array(value.utf8)) : nil
    }

    /// The largest Integer, with 15 digits (RFC 9651 §3.3.1).
    static let largestInteger: Int64 = 999_999_999_999_999

    private static func item(_ value: String) -> RFC9651BareItem? {
        guard var parser = Self.parser(value) else { return nil }
        return (try? parser.parseItemFieldValue())?.rfc9651BareItem
    }
}

extension HTTPField.Name {
    /// A name that is a valid token.
    package init(known name: StaticString) {
        guard let name = Self("\(name)") else { preconditionFailure("not a field name: \(name)") }
        self = name
    }
}
