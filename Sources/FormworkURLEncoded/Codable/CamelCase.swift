/// Names of several words, in which each word except the first begins with a capital.
package enum CamelCase {
    /// Puts a separator between words, and makes all letters lower case.
    ///
    /// A word ends before a capital, and a run of capitals ends before its last one if any small letter follows, even
    /// after brackets: this is Alamofire's rule, which treats the first character as a small letter.
    package static func split(_ name: String, by separator: String) -> String {
        let characters = Array(name)
        let scalars = characters.map { $0.unicodeScalars.map(\.properties.generalCategory) }
        let isCapital = scalars.map { $0.contains { $0 == .uppercaseLetter || $0 == .titlecaseLetter } }
        let isSmall = scalars.map { $0.contains(.lowercaseLetter) }
        var (words, start, from): ([String], Int, Int) = ([], 0, 1)
        func cut(to end: Int) {
            words.append(String(characters[start..<end]).lowercased())
            start = end
        }
        while let capital = isCapital.indices.dropFirst(from).first(where: { isCapital[$0] }) {
            cut(to: capital)
            guard let small = isSmall.indices.dropFirst(capital).first(where: { isSmall[$0] }) else { break }
            if small > capital + 1 { cut(to: small - 1) }
            from = small + 1
        }
        cut(to: characters.count)
        return words.joined(separator: separator)
    }

    /// The name whose words are separated by underscores, as Foundation's `JSONDecoder` reads it: `one_two` becomes `oneTwo`.
    /// Underscores at both ends stay.
    package static func joined(_ name: String) -> String {
        let start = name.prefix { $0 == "_" }
        guard start.count < name.count else { return name }
        let end = name.reversed().prefix { $0 == "_" }
        let words = name.split(separator: "_")
        guard words.count > 1 else { return name }
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst().lowercased() }
        return start + words[0].lowercased() + rest.joined() + String(end)
    }
}
