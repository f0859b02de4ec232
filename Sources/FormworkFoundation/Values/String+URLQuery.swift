import Foundation

extension String {
    /// The text as a URL's query, with its escapes unchanged; `nil` if a `%` doesn't begin an escape.
    ///
    /// If a text contains other characters, such as a bracket, `URL(string:)` escapes all of it again, including
    /// escapes, and `URLComponents` crashes.
    package var fittingQuery: String? {
        let text = PercentEncoder.urlQuery.encode(self)
        return URL(string: "?\(text)", encodingInvalidCharacters: false).map { _ in text }
    }
}

extension PercentEncoder {
    /// RFC 3986 section 3.4.
    fileprivate static let urlQuery = PercentEncoder(leaving: "!$%&'()*+,-./:;=?@_~")
}
