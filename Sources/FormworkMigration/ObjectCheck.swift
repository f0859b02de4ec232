import Formwork
import FormworkFoundation
import Foundation

/// Finds the first value of Foundation's objects that a format can't hold. Foundation only says that there is one.
struct ObjectCheck {
    /// The most levels of arrays and dictionaries: Foundation would overflow the stack.
    var levels: Int
    /// What is wrong with a name or a single value; `nil` if nothing is.
    var fault: (Any) -> String?

    /// The error for an object that the format can't hold, with the value's path, `user.tags[2]`; `nil` if it can hold the
    /// object.
    /// - Parameter depth: How many arrays and dictionaries are around the value.
    func error(_ value: Any, at path: String = "", depth: Int = 0) -> FormworkError? {
        switch value {
        case is [String: Any] where depth >= self.levels, is [Any] where depth >= self.levels:
            return FormworkError(
                .limitExceeded, "\(path.shortened(to: 40)) nests deeper than \(self.levels) levels")
        case let members as [String: Any]:
            // In this order, so that the same value is named each time.
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let path = path.isEmpty ? name : "\(path).\(name)"
                if let error = self.loss(of: name, path) ?? self.error(member, at: path, depth: depth + 1) {
                    return error
                }
            }
            return nil
        case let elements as [Any]:
            for (index, element) in elements.enumerated() {
                if let error = self.error(element, at: "\(path)[\(index)]", depth: depth + 1) { return error }
            }
            return nil
        default: return self.loss(of: value, path)
        }
    }

    private func loss(of value: Any, _ path: String) -> FormworkError? {
        let path = path.withControlCharactersEscaped
        return self.fault(value).map { what in
            FormworkError(.invalidArgument, "\(path.isEmpty ? "the value" : path) is \(what)")
        }
    }
}

// MARK: JSON

extension ObjectCheck {
    /// Whether `JSONSerialization` can write an object.
    static func isJSON(_ object: Any) -> Bool {
        !Nesting.isDeeper(object, than: JSONNesting.limit) && JSONSerialization.isValidJSONObject(object)
    }

    /// The error for an object that `JSONSerialization` refuses.
    static func jsonError(_ object: Any) -> FormworkError {
        let check = ObjectCheck(levels: JSONNesting.limit) { value in
            if JSONSerialization.isValidJSONObject([value]) { return nil }
            return value is Double || value is Float
                ? "\(value), which isn't a number in JSON" : "of type \(type(of: value)), which JSON can't hold"
        }
        return check.error(object)
            ?? FormworkError(
                .invalidArgument,
                "the value is a single \(type(of: object)): give an array or a dictionary, or allow fragments")
    }
}

// MARK: Property lists

extension ObjectCheck {
    /// Refuses values that a property list can't hold, or would hold as other values.
    /// - Throws: ``FormworkError/Code/invalidArgument``; ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    static func checkList(_ object: Any, isXML: Bool) throws(FormworkError) {
        let check = ObjectCheck(levels: Nesting.limit) { value in
            switch value {
            case let text as String: isXML ? self.fault(in: text) : nil
            case let text as Substring: isXML ? self.fault(in: String(text)) : nil
            case let date as Date:
                // Nearly every date has a fraction of a second, which XML lists have no text for; their readers know that.
                isXML && FormDateFormat.iso8601.text(secondsSince2001: date.timeIntervalSinceReferenceDate) == nil
                    ? "a date that XML lists have no text for: their years have four digits" : nil
            case let number as Decimal: self.fault(in: number)
            case let number as NSDecimalNumber: self.fault(in: number.decimalValue)
            case let number as Double: isXML ? self.fault(in: number) : nil
            case let number as Float: isXML ? self.fault(in: Double(number)) : nil
            case _ where PropertyListSerialization.propertyList(value, isValidFor: .xml): nil
            default: "of type \(type(of: value)), which a property list can't hold"
            }
        }
        if let error = check.error(object) { throw error }
    }

    /// Checks only the depth.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    static func checkDepth(_ object: Any) throws(FormworkError) {
        guard Nesting.isDeeper(object, than: Nesting.limit) else { return }
        throw FormworkError(.limitExceeded, "the value nests deeper than \(Nesting.limit) levels")
    }

    private static func fault(in text: String) -> String? {
        text.unicodeScalars
            .first { $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) || [0xFFFE, 0xFFFF].contains($0.value) }
            .map { "text with the character U+\($0.value.padded(to: 4, radix: 16).uppercased())" }
            .map { "\($0), which XML can't contain: remove it" }
    }

    private static func fault(in number: Double) -> String? {
        number == 0 && number.sign == .minus ? "-0.0, whose sign is lost in XML: write 0" : nil
    }

    /// A decimal number is written as the nearest `Double`.
    private static func fault(in number: Decimal) -> String? {
        let written = NSDecimalNumber(decimal: number).doubleValue
        guard Decimal(string: "\(written)") != number else { return nil }
        return "\(number), which would be written as \(written): write it as text"
    }
}

extension Data {
    /// The same XML with escaped carriage returns: a reader of XML takes an unescaped one for a line feed.
    var escapingCarriageReturns: Data {
        guard self.contains(0x0D) else { return self }
        var escaped = Data()
        for line in self.split(separator: 0x0D, omittingEmptySubsequences: false) {
            if !escaped.isEmpty { escaped.append(contentsOf: "&#13;".utf8) }
            escaped.append(line)
        }
        return escaped
    }
}
