import Formwork
import FormworkSystem

/// Arguments that contain passwords or tokens. The list of processes shows arguments to every user of the machine.
enum SecretArguments {
    /// Overwrites them with asterisks, as curl does. Swift's copies of the arguments don't change.
    ///
    /// They are visible until then, for a few milliseconds: a file, a prompt or the environment doesn't show them at all.
    static func blank() {
        // Only this thread runs.
        ThisProcess.changeArguments { words in
            for (index, range) in self.ranges(in: words.map { String(decoding: $0, as: UTF8.self) }) {
                for place in range { words[index][place] = UInt8(ascii: "*") }
            }
        }
    }

    /// The bytes to overwrite: the number of a word, and a range in it.
    static func ranges(in words: [String]) -> [(word: Int, range: Range<Int>)] {
        var found: [(Int, Range<Int>)] = []
        let urls = self.urls(in: words)
        for (index, word) in words.enumerated() {
            let bytes = Array(word.utf8)
            let values = self.values(in: word, after: index > 0 ? words[index - 1] : "")
            if let secret = values.compactMap({ self.secret($0.option, bytes, from: $0.start) }).first {
                found.append((index, secret))
                continue
            }
            var inWord = SecretText.userInfo(in: bytes) + SecretText.linkSignatures(in: bytes)
            inWord += self.parameters(of: bytes, values)
            let start = values.first { ["-x", "--proxy", "--url"].contains($0.option) }?.start
            // A URL with a scheme is found in every word.
            if let start = urls.contains(index) ? 0 : start, word.utf8.authorityStart == nil {
                inWord += [SecretText.userInfo(of: bytes, from: start)].compactMap { $0 }
            }
            found += inWord.map { (index, $0) }
        }
        return found.filter { !$0.1.isEmpty }
    }

    /// The words that can be a URL because of their place: `send` and `curl` have no other arguments without an option.
    private static func urls(in words: [String]) -> Set<Int> {
        guard let verb = words.firstIndex(where: { ["send", "curl"].contains($0) }), verb < 2 else { return [] }
        var places: Set<Int> = []
        var index = verb + 1
        while index < words.count {
            let option = GivenWords.option(words[index])
            if !words[index].hasPrefix("-") { places.insert(index) }
            index += option != nil && option?.value == nil ? 2 : 1
        }
        return places
    }

    private static let secretOptions: Set = ["-u", "--user", "-b", "--cookie", "--token", "--oauth2-bearer"]

    /// The options whose values a word may have, and where in the word they begin. The word before may be an option, or the
    /// value of one.
    private static func values(in word: String, after before: String) -> [(option: String, start: Int)] {
        var values: [(option: String, start: Int)] = []
        // Also of options that only curl has.
        if self.secretOptions.contains(before) { values.append((before, 0)) }
        if let (_, option, value) = GivenWords.option(before), value == nil { values.append((option, 0)) }
        if case (_, let option, let value?)? = GivenWords.option(word) {
            values.append((option, word.utf8.count - value.utf8.count))
        }
        let name = String(Substring(word.utf8.prefix { $0 != UInt8(ascii: "=") }))
        if self.secretOptions.contains(name), name != word { values.append((name, name.utf8.count + 1)) }
        return values
    }

    /// A value that is a secret, or the value of a field that carries credentials.
    private static func secret(_ option: String, _ bytes: [UInt8], from start: Int) -> Range<Int>? {
        if self.secretOptions.contains(option) { return start..<bytes.count }
        guard ["-H", "--header"].contains(option), let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")) else {
            return nil
        }
        let name = String(decoding: bytes[start..<colon], as: UTF8.self)
        return Redirection.carriesCredentials(name) ? colon + 1..<bytes.count : nil
    }

    /// The options whose values begin with a parameter.
    private static let parameterOptions: Set = [
        "--url-query", "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode",
    ]

    /// The values of a URL's parameters that carry credentials. They are looked for in every word, as a URL may have no
    /// scheme.
    private static func parameters(
        of bytes: [UInt8], _ values: [(option: String, start: Int)]
    ) -> [Range<Int>] {
        guard bytes.contains(UInt8(ascii: "=")) else { return [] }
        var starts = bytes.indices.filter { "?&;".utf8.contains(bytes[$0]) }.map { $0 + 1 }
        starts += values.filter { self.parameterOptions.contains($0.option) }.map(\.start)
        return starts.compactMap { start -> Range<Int>? in
            guard let equals = bytes[start...].firstIndex(where: { "=?&;#".utf8.contains($0) }),
                bytes[equals] == UInt8(ascii: "="),
                SecretText.isSecret(parameter: String(decoding: bytes[start..<equals], as: UTF8.self))
            else { return nil }
            let end = bytes[equals...].firstIndex { "&#".utf8.contains($0) } ?? bytes.count
            return equals + 1..<end
        }
    }
}
