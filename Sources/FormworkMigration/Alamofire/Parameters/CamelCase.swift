import FormworkFoundation

/// Names of several words, in which each word except the first begins with a capital.
enum CamelCase {
    /// Puts a separator between words, and makes all letters lower case.
    ///
    /// A word ends before a capital, and a run of capitals ends before its last one if any small letter follows, even
    /// after brackets: this is Alamofire's rule, which treats the first character as a small letter.
    static func split(_ name: String, by separator: String) -> String {
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
}
