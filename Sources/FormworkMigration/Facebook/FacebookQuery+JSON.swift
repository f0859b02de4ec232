import FormworkFoundation
import Foundation

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
