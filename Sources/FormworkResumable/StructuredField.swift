#if Resumable
import FormworkHTTP
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
        var parser = StructuredFieldValueParser(Array(value.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        return members.map { member in
            guard case .item(let item) = member.1 else { return (member.0, nil) }
            return (member.0, item.rfc9651BareItem)
        }
    }

    /// The largest Integer, with 15 digits (RFC 9651 §3.3.1).
    static let largestInteger: Int64 = 999_999_999_999_999

    private static func item(_ value: String) -> RFC9651BareItem? {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        return (try? parser.parseItemFieldValue())?.rfc9651BareItem
    }
}

extension HTTPField.Name {
    /// A name that is a valid token.
    init(known name: StaticString) {
        guard let name = Self("\(name)") else { preconditionFailure("not a field name: \(name)") }
        self = name
    }
}
#endif
