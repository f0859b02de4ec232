#if Transfer
import FormworkCore

/// Markup that can't be broken out of: its literals are written in the source, and whatever text is interpolated is
/// escaped. Good for content and for attribute values in double quotes, not for script, style or URLs of others.
struct HTML: ExpressibleByStringInterpolation, Sendable {
    let markup: String

    // Literals only: a text that was made at run time can't become markup.
    init(stringLiteral value: StaticString) { self.markup = value.description }
    init(stringInterpolation: Interpolation) { self.markup = stringInterpolation.markup }

    struct Interpolation: StringInterpolationProtocol {
        fileprivate var markup = ""

        init(literalCapacity: Int, interpolationCount: Int) { self.markup.reserveCapacity(2 * literalCapacity) }

        mutating func appendLiteral(_ literal: StaticString) { self.markup += literal.description }
        mutating func appendInterpolation(_ markup: HTML) { self.markup += markup.markup }
        mutating func appendInterpolation(_ all: [HTML]) { for one in all { self.markup += one.markup } }
        mutating func appendInterpolation(_ number: Int) { self.markup += String(number) }
        /// Text, with controls of lines and of direction made visible.
        mutating func appendInterpolation(_ text: String) {
            self.markup += text.withControlCharactersEscaped.escapedForHTML
        }
    }
}

extension String {
    /// With character references for the five characters that have a meaning in content or in a quoted attribute.
    fileprivate var escapedForHTML: String {
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
#endif
