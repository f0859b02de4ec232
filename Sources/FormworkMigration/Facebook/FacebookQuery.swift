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

extension FacebookQuery {
    /// Replaces an object that JSON can't represent with another one, or leaves it out for `nil`. With `stop` set,
    /// neither this one nor any after it in its array or dictionary is written.
    public typealias InvalidJSONHandler = (_ object: Any, _ stop: inout Bool) throws -> Any?

    /// JSON of the values in an object that JSON can represent: URLs as text, names as text and sorted, the rest left
    /// out.
    /// - Throws: ``FormworkError/Code/invalidArgument`` if the object itself can't be represented;
    ///   ``FormworkError/Code/limitExceeded`` for more than 512 levels; the handler's errors.
    public static func json(
        of object: Any, options: JSONSerialization.WritingOptions = [],
        invalidObjectHandler: InvalidJSONHandler? = nil
    ) throws -> String {
        let object = try self.jsonObject(object, invalidObjectHandler).object
        guard let object, JSONSerialization.isValidJSONObject(object) else {
            throw FormworkError(.invalidArgument, "Invalid object for JSON serialization.")
        }
        let data = try JSONSerialization.data(withJSONObject: object, options: options.union(.sortedKeys))
        return String(decoding: data, as: UTF8.self)
    }

    private static func jsonObject(
        _ object: Any, _ handler: InvalidJSONHandler?, depth: Int = 0
    ) throws -> (object: Any?, stop: Bool) {
        guard depth <= Nesting.limit else {
            throw FormworkError(.limitExceeded, "the object nests deeper than \(Nesting.limit) levels")
        }
        switch object {
        case let url as URL: return (url.absoluteString, false)
        case let members as [AnyHashable: Any]:
            var result: [String: Any] = [:]
            for (name, value) in members.map({ ("\($0.key)", $0.value) }).sorted(by: { $0.0 < $1.0 }) {
                let (value, stop) = try self.jsonObject(value, handler, depth: depth + 1)
                if stop { break }
                result[name] = value
            }
            return (result, false)
        case let elements as [Any]:
            var result: [Any] = []
            for element in elements {
                let (value, stop) = try self.jsonObject(element, handler, depth: depth + 1)
                if stop { break }
                if let value { result.append(value) }
            }
            return (result, false)
        default:
            if JSONSerialization.isValidJSONObject([object]) { return (object, false) }
            var stop = false
            return (try handler?(object, &stop), stop)
        }
    }
}
