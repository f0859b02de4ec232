import Formwork
import Synchronization

/// The headers of `-H`. They are removed before ArgumentParser sees the rest, as parts are.
enum GivenHeaders {
    private static let taken = Mutex<[String]>([])

    /// The headers of this process, in order.
    static var ofThisProcess: [String] { self.taken.withLock { $0 } }

    /// Takes the headers of a verb that makes a form from the words of this process.
    ///
    /// `@FILE` has a header on each line of a file, which keeps it out of the list of processes; `@-` is standard input. A file is
    /// read once, because it may be a pipe: `-H @<(pass show upload)`. As in curl, a line that begins with `#` is a comment, and
    /// other lines without a colon are left out, with a warning.
    static func take(from words: inout GivenWords) throws {
        guard PartArgument.verbs.contains(words.verb ?? "") else { return }
        // A printed command line has the file's name, not its secrets.
        let isPrinted = words.verb == "curl" && words.flags.contains("--print")
        let headers = try words.take { item -> [String]? in
            guard ["-H", "--header"].contains(item.word), let header = item.value else { return nil }
            let file = isPrinted ? nil : header.fileAfterSign
            return try file.map { try self.lines(of: String($0)) } ?? [header]
        }
        self.taken.withLock { $0 = headers.flatMap(\.self) }
    }

    private static func lines(of file: String) throws -> [String] {
        let shown = ShellQuote.quote("@\(file)")
        let bytes = try GivenFile.bytes(of: file, "-H \(shown)", limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ExitStatus(2, "-H \(shown): is not UTF-8")
        }
        var lines: [String] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.allSatisfy(\.isWhitespace) && line.first != "#" {
            if Self.isHeader(line) {
                lines.append(String(line))
            } else {
                // The line may be a secret.
                Messages.warn("-H \(shown): line \(index + 1) isn't 'Name: value', and isn't sent")
            }
        }
        return lines
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
