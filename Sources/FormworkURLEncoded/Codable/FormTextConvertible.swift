/// A type that is the text of one field in forms, even if other coders code it differently.
///
/// The standard library's strings, numbers and `Bool` don't need this conformance.
public protocol FormTextConvertible {
    /// Parses a field's text; `nil` if it is invalid.
    init?(formText: String)
    /// The value as a field's text.
    var formText: String { get }
}

/// Stands in for `Date` in this module, which doesn't import Foundation. The members are `Date`'s own.
package protocol FormMoment {
    init(timeIntervalSinceReferenceDate seconds: Double)
    var timeIntervalSinceReferenceDate: Double { get }
}

extension Bool {
    /// The value of a checkbox or of a word, in upper or lower case; `nil` for other texts.
    package init?(formText: String) {
        switch formText {
        case "true", "1", "on", "yes": self = true
        case "false", "0", "off", "no": self = false
        default:
            switch formText.lowercased() {
            case "true", "on", "yes": self = true
            case "false", "off", "no": self = false
            default: return nil
            }
        }
    }
}
