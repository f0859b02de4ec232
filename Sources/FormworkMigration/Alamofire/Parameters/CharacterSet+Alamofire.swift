import FormworkFoundation
import FormworkURLEncoded
import Foundation

extension CharacterSet {
    /// The characters that Alamofire leaves unescaped: RFC 3986's unreserved ones, `?` and `/` (its section 3.4).
    public static let afURLQueryAllowed = CharacterSet(charactersIn: "-._~/?").union(.asciiLettersAndDigits)

    private static let asciiLettersAndDigits = CharacterSet(charactersIn: "a"..."z")
        .union(CharacterSet(charactersIn: "A"..."Z"))
        .union(CharacterSet(charactersIn: "0"..."9"))
}

extension PercentEncoder {
    /// Leaves the ASCII characters of a set unescaped; others are always escaped.
    init(leaving allowed: CharacterSet, space: Space) {
        self.init(space: space) { allowed.contains(Unicode.Scalar($0)) }
    }
}
