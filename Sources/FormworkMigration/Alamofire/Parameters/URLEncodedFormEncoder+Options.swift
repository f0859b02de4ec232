import FormworkFoundation
import FormworkURLEncoded
import Foundation

extension URLEncodedFormEncoder {
    /// The names of an array's elements.
    public typealias ArrayEncoding = Flattening.ArrayNames
    /// How true and false are written.
    public typealias BoolEncoding = Flattening.Bools
    /// The names of an object's members, after the object's own.
    public typealias KeyPathEncoding = Flattening.MemberNames
    /// How a space is written.
    public typealias SpaceEncoding = PercentEncoder.Space

    /// How `Data` is written.
    public enum DataEncoding {
        /// As an array of bytes, which is how `Data` encodes itself.
        case deferredToData
        /// As Base64 text.
        case base64
        /// As the closure's text.
        case custom((Data) throws -> String)
    }

    /// How a `Date` is written.
    public enum DateEncoding {
        /// As seconds since 2001, which is how `Date` encodes itself.
        case deferredToDate
        /// As seconds since 1970.
        case secondsSince1970
        /// As milliseconds since 1970.
        case millisecondsSince1970
        /// As `2001-01-01T00:00:00Z`; fractions of a second are lost, and from .9995 on they round up to the next
        /// second.
        case iso8601
        /// As the formatter's text.
        case formatted(DateFormatter)
        /// As the closure's text.
        case custom((Date) throws -> String)
    }

    /// How a name, including its path's brackets and dots, is changed before it is escaped.
    public enum KeyEncoding {
        /// It isn't changed.
        case useDefaultKeys
        /// `oneTwo` becomes `one_two`, `myURLProperty` becomes `my_url_property`. The first letter should be small.
        case convertToSnakeCase
        /// Like snake case, with `-`.
        case convertToKebabCase
        /// Only its first character becomes a capital.
        case capitalized
        /// All letters become capitals.
        case uppercased
        /// All letters become lower case.
        case lowercased
        /// It becomes the closure's result.
        case custom((String) -> String)

        /// `nil` if names aren't changed.
        var rename: ((String) -> String)? {
            switch self {
            case .useDefaultKeys: nil
            case .convertToSnakeCase: { CamelCase.split($0, by: "_") }
            case .convertToKebabCase: { CamelCase.split($0, by: "-") }
            case .capitalized: { $0.prefix(1).uppercased() + $0.dropFirst() }
            case .uppercased: { $0.uppercased() }
            case .lowercased: { $0.lowercased() }
            case .custom(let rename): rename
            }
        }
    }

    /// How `nil` is written.
    public struct NilEncoding: Sendable {
        /// Not at all.
        public static let dropKey = NilEncoding { nil }
        /// As a name with an empty value.
        public static let dropValue = NilEncoding { "" }
        /// As `null`.
        public static let null = NilEncoding { "null" }

        /// `nil` leaves the name out too.
        let text: @Sendable () throws -> String?

        /// Writes the closure's result; for `nil` nothing, not even a name. Its errors are thrown to the caller, so
        /// `nil` can be refused, as in Alamofire before 5.7.
        public init(encoding: @escaping @Sendable () throws -> String?) { self.text = encoding }
    }
}

extension Flattening.ArrayNames {
    /// `a`, repeated.
    public static var noBrackets: Self { .repeated }
    /// `a[0]`, counted from 0.
    public static var indexInBrackets: Self { .indexed }
}

extension Flattening.MemberNames {
    /// Appends the closure's result for a member's name to the object's name.
    public init(encoding: @escaping @Sendable (_ subkey: String) -> String) { self = .custom(encoding) }
}

extension PercentEncoder.Space {
    /// `%20`.
    public static var percentEscaped: Self { .percent }
    /// `+`.
    public static var plusReplaced: Self { .plus }
}
