import FormworkFoundation
import Foundation

/// Finds the value that JSON can't hold. Foundation only says that there is one.
enum JSONCheck {
    /// The error for an object that `JSONSerialization` refuses, with the value's path: `user.tags[2]`.
    static func error(_ object: Any) -> FormworkError {
        self.fault(in: object, at: "")
            ?? FormworkError(
                .invalidArgument,
                "the value is a single \(type(of: object)): give an array or a dictionary, or allow fragments")
    }

    private static func fault(in value: Any, at path: String) -> FormworkError? {
        guard !JSONSerialization.isValidJSONObject([value]) else { return nil }
        switch value {
        case let members as [String: Any]:
            // In this order, so that the same value is named each time.
            return members.sorted { $0.key < $1.key }.lazy.compactMap { name, member in
                self.fault(in: member, at: path.isEmpty ? name : "\(path).\(name)")
            }.first
        case let elements as [Any]:
            return elements.enumerated().lazy.compactMap { index, element in
                self.fault(in: element, at: "\(path)[\(index)]")
            }.first
        case let number as Double: return self.error(path, "\(number), which isn't a number in JSON")
        case let number as Float: return self.error(path, "\(number), which isn't a number in JSON")
        default: return self.error(path, "of type \(type(of: value)), which JSON can't hold")
        }
    }

    private static func error(_ path: String, _ what: String) -> FormworkError {
        let path = path.withControlCharactersEscaped
        return FormworkError(.invalidArgument, "\(path.isEmpty ? "the value" : path) is \(what)")
    }
}
