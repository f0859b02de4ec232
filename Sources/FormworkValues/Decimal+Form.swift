import Formwork

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

extension Decimal: FormTextConvertible {
    /// Reads a number from a field's text, such as `-12.50` or `1e3`, with a point in every locale; `nil` for other
    /// texts.
    public init?(formText: String) {
        guard Self.isNumber(formText), let number = Decimal(string: formText) else { return nil }
        self = number
    }

    /// The number as text, with a point in every locale.
    public var formText: String { self.description }

    /// Whether the whole text is a number: Foundation stops silently at the first invalid character.
    private static func isNumber(_ text: String) -> Bool {
        let halves = text.utf8.split(maxSplits: 1, omittingEmptySubsequences: false) { $0 == 0x65 || $0 == 0x45 }
        let mantissa = self.unsigned(halves[0]).split(separator: 0x2E, maxSplits: 1, omittingEmptySubsequences: false)
        guard mantissa.contains(where: { !$0.isEmpty }), mantissa.allSatisfy({ $0.allSatisfy(\.isDigit) }) else {
            return false
        }
        guard halves.count > 1 else { return true }
        let exponent = self.unsigned(halves[1])
        return !exponent.isEmpty && exponent.allSatisfy(\.isDigit)
    }

    private static func unsigned(_ text: Substring.UTF8View) -> Substring.UTF8View {
        text.first == 0x2B || text.first == 0x2D ? text.dropFirst() : text
    }
}
