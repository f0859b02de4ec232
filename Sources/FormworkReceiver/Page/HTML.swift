import FormworkCore

/// Markup that interpolated text can't break out of: literals come from the source, and interpolated text is escaped.
/// Suited for content and for attribute values in double quotes; not for script, style or foreign URLs.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    let markup: String

    // Literals only: text made at run time can't become markup.
    init(stringLiteral value: StaticString) { self.markup = value.description }
    init(stringInterpolation: Interpolation) { self.markup = stringInterpolation.markup }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) { self.markup.reserveCapacity(2 * literalCapacity) }

        mutating func appendLiteral(_ literal: StaticString) { self.markup += literal.description }
        mutating func appendInterpolation(_ markup: HTML) { self.markup += markup.markup }
        mutating func appendInterpolation(_ all: [HTML]) { for one in all { self.markup += one.markup } }
        mutating func appendInterpolation(_ number: Int) { self.markup += String(number) }
        /// Text; control characters of lines and of text direction are made visible.
        mutating func appendInterpolation(_ text: String) {
            self.markup += text.withControlCharactersEscaped.escapedForMarkup
        }
    }
}

extension String {
    /// The text with character references for the five characters with a meaning in HTML's or XML's content, or in a quoted
    /// attribute.
    var escapedForMarkup: String {
        var escaped = ""
        escaped.reserveCapacity(self.utf8.count)
        for scalar in self.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
