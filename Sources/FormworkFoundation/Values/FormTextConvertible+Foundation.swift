import Formwork
import Foundation

extension URL: FormTextConvertible {
    /// The URL of a field's text; `nil` for text that is none.
    public init?(formText: String) { self.init(string: formText) }
    /// The URL as text.
    public var formText: String { self.absoluteString }
}

extension Decimal: FormTextConvertible {
    /// The number of a field's text, with a point whatever the locale; `nil` for text that isn't all number.
    public init?(formText: String) {
        let isNumber = formText.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        guard isNumber, let number = Decimal(string: formText, locale: Locale(identifier: "en_US_POSIX")) else {
            return nil
        }
        self = number
    }
    /// The number as text, with a point whatever the locale.
    public var formText: String { NSDecimalNumber(decimal: self).description(withLocale: nil) }
}
