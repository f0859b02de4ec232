import Formwork
import FormworkFoundation
import Foundation

/// Finds the value that JSON can't hold. Foundation only says that there is one.
enum JSONCheck {
    /// Whether `JSONSerialization` can write an object.
    static func isValid(_ object: Any) -> Bool {
        !Nesting.isDeeper(object, than: JSONNesting.limit) && JSONSerialization.isValidJSONObject(object)
    }

    /// The error for an object that `JSONSerialization` refuses, with the value's path: `user.tags[2]`.
    static func error(_ object: Any) -> FormworkError {
        self.fault(in: object, at: "")
            ?? FormworkError(
                .invalidArgument,
                "the value is a single \(type(of: object)): give an array or a dictionary, or allow fragments")
    }

    /// - Parameter depth: How many arrays and dictionaries are around the value.
    private static func fault(in value: Any, at path: String, depth: Int = 0) -> FormworkError? {
        switch value {
        case is [String: Any] where depth >= JSONNesting.limit, is [Any] where depth >= JSONNesting.limit:
            return FormworkError(
                .limitExceeded, "\(path.shortened(to: 40)) nests deeper than \(JSONNesting.limit) levels")
        case let members as [String: Any]:
            // In this order, so that the same value is named each time.
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let path = path.isEmpty ? name : "\(path).\(name)"
                if let fault = self.fault(in: member, at: path, depth: depth + 1) { return fault }
            }
            return nil
        case let elements as [Any]:
            for (index, element) in elements.enumerated() {
                if let fault = self.fault(in: element, at: "\(path)[\(index)]", depth: depth + 1) { return fault }
            }
            return nil
        case _ where JSONSerialization.isValidJSONObject([value]): return nil
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
