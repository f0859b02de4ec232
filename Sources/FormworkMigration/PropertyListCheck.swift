import Formwork
import FormworkFoundation
import Foundation

/// Finds values that a property list can't hold, or would hold as other values. Foundation's error has no path.
struct PropertyListCheck {
    let isXML: Bool

    /// - Parameters:
    ///   - path: The value's path, for errors: `user.tags[2]`.
    ///   - depth: How many arrays and dictionaries are around the value.
    /// - Throws: ``FormworkError/Code/invalidArgument``; ``FormworkError/Code/limitExceeded`` for more than 512 levels,
    ///   because Foundation would overflow the stack.
    func check(_ value: Any, at path: String = "", depth: Int = 0) throws(FormworkError) {
        guard depth <= Nesting.limit else {
            throw FormworkError(.limitExceeded, "\(path.shortened(to: 40)) nests deeper than \(Nesting.limit) levels")
        }
        switch value {
        case let text as String: try self.check(text, path)
        case let text as Substring: try self.check(String(text), path)
        case let members as [String: Any]:
            // In this order, so that the same value is named each time.
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                let path = path.isEmpty ? name : "\(path).\(name)"
                try self.check(name, path)
                try self.check(member, at: path, depth: depth + 1)
            }
        case let elements as [Any]:
            for (index, element) in elements.enumerated() {
                try self.check(element, at: "\(path)[\(index)]", depth: depth + 1)
            }
        case let date as Date: try self.check(date, path)
        case let number as Decimal: try self.check(number, path)
        case let number as NSDecimalNumber: try self.check(number.decimalValue, path)
        case let number as Double: try self.check(number, path)
        case let number as Float: try self.check(Double(number), path)
        default:
            guard !PropertyListSerialization.propertyList(value, isValidFor: .xml) else { return }
            throw self.loss(path, "of type \(type(of: value)), which a property list can't hold")
        }
    }

    /// Checks only the depth.
    /// - Throws: ``FormworkError/Code/limitExceeded`` for more than 512 levels.
    static func checkDepth(_ value: Any) throws(FormworkError) {
        guard Nesting.isDeeper(value, than: Nesting.limit) else { return }
        throw FormworkError(.limitExceeded, "the value nests deeper than \(Nesting.limit) levels")
    }

    private func check(_ text: String, _ path: String) throws(FormworkError) {
        guard self.isXML,
            let scalar = text.unicodeScalars.first(where: {
                $0.value < 0x20 && !["\t", "\n", "\r"].contains($0) || [0xFFFE, 0xFFFF].contains($0.value)
            })
        else { return }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        let number = String(repeating: "0", count: 4 - digits.count) + digits
        throw self.loss(path, "text with the character U+\(number), which XML can't contain: remove it")
    }

    private func check(_ number: Double, _ path: String) throws(FormworkError) {
        if self.isXML, number == 0, number.sign == .minus {
            throw self.loss(path, "-0.0, whose sign is lost in XML: write 0")
        }
    }

    /// Nearly every date has a fraction of a second, which XML lists have no text for; their readers know that.
    private func check(_ date: Date, _ path: String) throws(FormworkError) {
        guard self.isXML,
            FormDateFormat.iso8601.text(secondsSince2001: date.timeIntervalSinceReferenceDate) == nil
        else { return }
        throw self.loss(path, "a date that XML lists have no text for: their years have four digits")
    }

    /// A decimal number is written as the nearest `Double`.
    private func check(_ number: Decimal, _ path: String) throws(FormworkError) {
        let written = NSDecimalNumber(decimal: number).doubleValue
        guard Decimal(string: "\(written)") != number else { return }
        throw self.loss(path, "\(number), which would be written as \(written): write it as text")
    }

    private func loss(_ path: String, _ what: String) -> FormworkError {
        let path = path.withControlCharactersEscaped
        return FormworkError(.invalidArgument, "\(path.isEmpty ? "the value" : path) is \(what)")
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
