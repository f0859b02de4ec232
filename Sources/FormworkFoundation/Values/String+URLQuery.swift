import Foundation

extension String {
    /// The text as a URL can hold it behind `?`, with its escapes as they are; `nil` where a `%` begins none.
    ///
    /// Where a text holds anything else, a bracket for one, `URL(string:)` escapes all of it, escapes too, and
    /// `URLComponents` ends the process.
    package var fittingQuery: String? {
        let text = PercentEncoder.urlQuery.encode(self)
        return URL(string: "?\(text)", encodingInvalidCharacters: false).map { _ in text }
    }
}

extension PercentEncoder {
    /// RFC 3986 section 3.4.
    fileprivate static let urlQuery = PercentEncoder(leaving: "!$%&'()*+,-./:;=?@_~")
}
