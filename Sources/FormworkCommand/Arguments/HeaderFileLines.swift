import Formwork

/// `-H @FILE`: a header on each line of a file, which keeps it out of the list of processes.
enum HeaderFileLines {
    /// Replaces each `-H @FILE` by the file's headers. `@-` is standard input.
    ///
    /// A file is read once, because it may be a pipe: `-H @<(pass show upload)`.
    static func expand(_ words: [String]) throws -> [String] {
        // A printed command line has the file's name, not its secrets.
        if words.first == "curl", PartArgument.flags(in: words).contains("--print") { return words }
        var expanded: [String] = []
        var index = 0
        while index < words.count {
            let word = words[index]
            if word == "--" { return expanded + words[index...] }
            index += 1
            if ["-H", "--header"].contains(word), index < words.count, let file = words[index].fileAfterSign {
                expanded += try self.lines(of: String(file))
                index += 1
            } else if let head = ["-H@", "--header=@"].first(where: { word.utf8.starts(with: $0.utf8) }) {
                expanded += try self.lines(of: String(Substring(word.utf8.dropFirst(head.utf8.count))))
            } else {
                expanded.append(word)
            }
        }
        return expanded
    }

    private static func lines(of file: String) throws -> [String] {
        let shown = ShellQuote.quote("@\(file)").withControlCharactersEscaped
        let bytes = try GivenFile.bytes(of: file, "-H \(shown)", limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ExitStatus(2, "formwork: -H \(shown): is not UTF-8")
        }
        var words: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.allSatisfy(\.isWhitespace) {
            guard Self.isHeader(line) else {
                throw ExitStatus(2, "formwork: -H \(shown): line \(index + 1): write 'Name: value'")
            }
            words += ["-H", String(line)]
        }
        return words
    }

    /// Whether a line has a field's name, and ':' or curl's ';' after it.
    private static func isHeader(_ line: Substring) -> Bool {
        let name = line.prefix { $0 != ":" && $0 != ";" }
        return !name.isEmpty && name.endIndex < line.endIndex
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "!#$%&'*+-.^_`|~".contains($0)) }
    }
}

/// The value of `-H` in errors.
package enum HeaderText {
    /// The name, and an ellipsis in place of the value, which may be a secret; quoted for a shell.
    package static func masked(_ header: String) -> String {
        let name = header.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        // Without a separator the whole text may be the value: its writer forgot the name.
        guard !name.isEmpty, name.utf8.count <= 40, name.endIndex < header.endIndex else { return "…" }
        return ShellQuote.quote("\(name)\(header[name.endIndex] == ":" ? ":" : "") …")
    }
}
