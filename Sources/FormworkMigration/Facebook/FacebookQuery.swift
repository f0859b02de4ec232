import FormworkFoundation
import Foundation

/// Writes and reads query strings like facebook-ios-sdk: flat, sorted by name, a space as `%20`.
public enum FacebookQuery {
    /// Returns an unescaped text for a value that isn't text, or `nil` to leave out the pair. With `stop` set, neither
    /// this pair nor any after it is written.
    public typealias InvalidObjectHandler = (_ object: Any, _ stop: inout Bool) throws -> String?

    /// Escapes everything except letters, digits and `-._~`.
    public static func encode(_ text: String) -> String { PercentEncoder.facebook.encode(text) }

    /// Replaces `+` with a space and decodes escapes; `nil` for an invalid escape or text that isn't UTF-8.
    public static func decode(_ text: String) -> String? {
        // By bytes: a plus with a combining mark after it would be another character.
        String(decoding: text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 }, as: UTF8.self).removingPercentEncoding
    }

    /// The names and values of a query: the last of several values, without pairs that can't be read.
    public static func dictionary(of query: String) throws(FormworkError) -> [String: String] {
        var rules = URLEncodedDialect.facebook.parsing
        rules.limits = .unlimited
        let pairs = try URLEncodedPairs(query, rules: rules).pairs
        return [String: String](pairs.map { ($0.name, $0.value ?? "") }) { _, last in last }
    }

    /// Writes texts, numbers and URLs, sorted by name; names that aren't text are left out.
    /// - Parameters:
    ///   - dictionary: Names and values.
    ///   - compatibility: `.exact` leaves names and other values' descriptions unescaped.
    ///   - invalidObjectHandler: Called for every other value; without it such a value is an error.
    /// - Returns: The query; `nil` for an empty one.
    /// - Throws: The handler's errors; ``FormworkError/Code/invalidArgument``; ``FormworkError/Code/limitExceeded`` for a
    ///   value of more than 512 levels.
    public static func query(
        of dictionary: [AnyHashable: Any], compatibility: Compatibility = .safe,
        invalidObjectHandler: InvalidObjectHandler? = nil
    ) throws -> String? {
        let pairs = dictionary.compactMap { name, value in (name.base as? String).map { ($0, value) } }
        var query = ""
        for (name, value) in pairs.sorted(by: { $0.0.precedes($1.0) }) {
            guard !Nesting.isDeeper(value, than: Nesting.limit) else {
                throw FormworkError(.limitExceeded, "\"\(name)\" nests deeper than \(Nesting.limit) levels")
            }
            var text = (self.requestValue(value) as? String).map(self.encode)
            if text == nil, let invalidObjectHandler {
                var stop = false
                text = try invalidObjectHandler(value, &stop)
                if stop { break }
                guard text != nil else { continue }
            }
            if text == nil, compatibility == .exact { text = "\(value)" }
            guard let text else {
                throw FormworkError(
                    .invalidArgument, "\"\(name)\" is of type \(type(of: value)): use text, a number or a URL")
            }
            query += "\(query.isEmpty ? "" : "&")\(compatibility == .safe ? self.encode(name) : name)=\(text)"
        }
        return query.isEmpty ? nil : query
    }

    /// A number or a URL as text; every other value unchanged.
    public static func requestValue(_ value: Any) -> Any {
        switch value {
        // First, because a cast of a deep value to a class would overflow the stack.
        case is [Any], is [AnyHashable: Any], is Set<AnyHashable>: return value
        case is NSString, is Substring, is URL, is NSURL, is Decimal: break
        default:
            guard let parameter = try? ParameterValue(value) else { return value }
            switch parameter {
            case .bool, .integer, .double: break
            default: return value
            }
        }
        let dialect = URLEncodedDialect.facebook
        guard let pairs = try? dialect.pairs(of: ["": ParameterValue(value)]) else { return value }
        return pairs.first?.value ?? value
    }
}
