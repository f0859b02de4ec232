#if Resumable
import FormworkHTTP
import HTTPTypes
import RawStructuredFieldValues

/// Structured fields (RFC 9651) as far as uploads and digests need them: a value that doesn't parse is `nil`, as a
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

    /// A Dictionary in its order; a member that is an inner list has no value.
    static func dictionary(_ value: String) -> [(key: String, value: RFC9651BareItem?)]? {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        guard let members = try? parser.parseDictionaryFieldValue() else { return nil }
        return members.map { member in
            guard case .item(let item) = member.1 else { return (member.0, nil) }
            return (member.0, item.rfc9651BareItem)
        }
    }

    /// An Integer may have 15 digits at most (RFC 9651 §3.3.1).
    static let largestInteger: Int64 = 999_999_999_999_999

    private static func item(_ value: String) -> RFC9651BareItem? {
        var parser = StructuredFieldValueParser(Array(value.utf8))
        return (try? parser.parseItemFieldValue())?.rfc9651BareItem
    }
}

extension HTTPField.Name {
    /// A name that is known to be a token.
    init(known name: StaticString) {
        guard let name = Self("\(name)") else { preconditionFailure("not a field name: \(name)") }
        self = name
    }
}
#endif
