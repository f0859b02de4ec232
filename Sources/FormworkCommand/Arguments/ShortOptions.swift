/// One word of short options, as curl reads it: `-sSXPUT` is `-s`, `-S` and `-X` with the value `PUT`.
///
/// ArgumentParser refuses values that are attached to short options, and shows them in its message.
struct ShortOptions {
    /// The long name of each short option with a value. A short option has the same meaning in every verb.
    private static let longNames: [Character: String] = [
        "A": "--user-agent", "b": "--cookie", "d": "--data", "E": "--cert", "F": "--form", "H": "--header",
        "m": "--max-time", "o": "--output", "T": "--upload-file", "u": "--user", "w": "--write-out", "x": "--proxy",
        "X": "--request",
    ]

    /// The flags before the option with a value, with the hyphen: `-sS`; `-` without flags.
    let flags: Substring
    /// The letter of the option with a value.
    let letter: Character
    /// The rest of the word; empty if the next word is the value.
    let value: Substring

    /// `nil` for a word without an option that has a value.
    init?(_ word: String) {
        guard word.hasPrefix("-"), !word.hasPrefix("--") else { return nil }
        let letters = word.dropFirst()
        guard let place = letters.firstIndex(where: { Self.longNames[$0] != nil }) else { return nil }
        // Other characters aren't flags: the word is something else, such as a negative number.
        guard letters[..<place].allSatisfy({ $0.isASCII && ($0.isLetter || $0 == "#") }) else { return nil }
        self.flags = word[..<place]
        self.letter = letters[place]
        self.value = letters[letters.index(after: place)...]
    }

    /// The option with a value as a word of its own.
    var option: String { "-\(self.letter)" }

    /// The words that mean the same, with one option in each; the value is a word of its own unless it begins with a
    /// hyphen.
    var separated: [String] {
        let before = self.flags == "-" ? [] : [String(self.flags)]
        guard !self.value.isEmpty else { return before + [self.option] }
        // PartArgument takes these apart. The other is ArgumentParser's own form.
        if self.letter == "F" || self.value.hasPrefix("=") { return before + [self.option + self.value] }
        guard self.value.hasPrefix("-"), let long = Self.longNames[self.letter] else {
            return before + [self.option, String(self.value)]
        }
        return before + ["\(long)=\(self.value)"]
    }
}
