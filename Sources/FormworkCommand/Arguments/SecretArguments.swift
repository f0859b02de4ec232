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
        let urls = self.places(in: words)
        for (index, word) in words.enumerated() {
            let before = index > 0 ? words[index - 1] : ""
            if let range = self.value(of: word, after: before) {
                found.append((index, range))
            } else {
                let bytes = Array(word.utf8)
                var inWord = SecretText.userInfo(in: bytes) + SecretText.linkSignatures(in: bytes)
                inWord += self.parameters(of: word, after: before)
                if let start = self.startOfURL(word, after: before, urls.contains(index)) {
                    inWord += [SecretText.userInfo(of: bytes, from: start)].compactMap { $0 }
                }
                found += inWord.map { (index, $0) }
            }
        }
        return found.filter { !$0.1.isEmpty }
    }

    /// The words that can be a URL because of their place: `send` and `curl` have no other arguments without an option.
    private static func places(in words: [String]) -> Set<Int> {
        guard let verb = words.firstIndex(where: { ["send", "curl"].contains($0) }), verb < 2 else { return [] }
        var places: Set<Int> = []
        var index = verb + 1
        while index < words.count {
            let word = words[index]
            let option = ShortOptions(word).flatMap { $0.value.isEmpty ? $0.option : nil } ?? word
            if !word.hasPrefix("-") { places.insert(index) }
            index += PartArgument.hasValue(option) ? 2 : 1
        }
        return places
    }

    /// Where a URL begins that may have no scheme; `nil` if the word has a scheme, or isn't a URL.
    private static func startOfURL(_ word: String, after before: String, _ isPlace: Bool) -> Int? {
        let options = ["-x", "--proxy", "--url"]
        guard word.utf8.authorityStart == nil else { return nil }
        let option = ShortOptions(before).flatMap { $0.value.isEmpty ? $0.option : nil } ?? before
        if isPlace || options.contains(option) { return 0 }
        if let short = ShortOptions(word), short.option == "-x" { return word.utf8.count - short.value.utf8.count }
        return options.first { $0.hasPrefix("--") && word.hasPrefix($0 + "=") }.map { $0.utf8.count + 1 }
    }

    private static let secretOptions = ["-u", "--user", "-b", "--cookie", "--token", "--oauth2-bearer"]

    /// The secret value that a word is, or contains after its option's name.
    private static func value(of word: String, after before: String) -> Range<Int>? {
        let count = word.utf8.count
        // The value of `-sSu` is the next word.
        let option = ShortOptions(before).flatMap { $0.value.isEmpty ? $0.option : nil } ?? before
        if self.secretOptions.contains(option) { return 0..<count }
        if ["-H", "--header"].contains(option) { return self.fieldValue(in: word, from: 0) }
        if let short = ShortOptions(word) {
            let start = count - short.value.utf8.count
            if self.secretOptions.contains(short.option) { return start..<count }
            return short.letter == "H" ? self.fieldValue(in: word, from: start) : nil
        }
        for option in self.secretOptions where option.hasPrefix("--") && word.hasPrefix(option + "=") {
            return option.utf8.count + 1..<count
        }
        let header = "--header="
        return word.hasPrefix(header) ? self.fieldValue(in: word, from: header.utf8.count) : nil
    }

    /// The value of a field that carries credentials.
    private static func fieldValue(in word: String, from start: Int) -> Range<Int>? {
        let bytes = Array(word.utf8)
        guard let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = String(decoding: bytes[start..<colon], as: UTF8.self)
        return Redirection.carriesCredentials(name) ? colon + 1..<bytes.count : nil
    }

    /// The options whose values begin with a parameter.
    private static let parameterOptions = [
        "--url-query", "-d", "--data", "--data-raw", "--data-binary", "--data-urlencode",
    ]

    /// The values of a URL's parameters that carry credentials. They are looked for in every word, as a URL may have no
    /// scheme.
    private static func parameters(of word: String, after before: String) -> [Range<Int>] {
        let bytes = Array(word.utf8)
        guard bytes.contains(UInt8(ascii: "=")) else { return [] }
        var starts: [Int] = []
        let option = ShortOptions(before).flatMap { $0.value.isEmpty ? $0.option : nil } ?? before
        if self.parameterOptions.contains(option) { starts.append(0) }
        if let short = ShortOptions(word), short.option == "-d" {
            starts.append(word.utf8.count - short.value.utf8.count)
        }
        for option in self.parameterOptions where word.hasPrefix(option + "=") { starts.append(option.utf8.count + 1) }
        let separators = "?&;".utf8
        for index in bytes.indices where separators.contains(bytes[index]) { starts.append(index + 1) }
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
