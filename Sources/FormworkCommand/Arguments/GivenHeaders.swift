import Formwork
import Synchronization

/// A header of `-H`: `Name: value`; `Name:` leaves a field out, and `Name;` has no value, as in curl.
package struct GivenHeader: Sendable {
    let text: String
    /// What is before the ':' or ';', or all of the text.
    package let name: String
    /// ':' or ';'; `nil` without.
    package let sign: UInt8?
    /// What is after the sign, without blanks around it.
    package let value: String

    package init(_ text: String) {
        // By bytes: a sign or a blank and a combining mark after it are one Character.
        let name = text.utf8.prefix { $0 != UInt8(ascii: ":") && $0 != UInt8(ascii: ";") }
        let rest = text.utf8[name.endIndex...]
        (self.text, self.name, self.sign) = (text, String(Substring(name)), rest.first)
        self.value = String(Substring(rest.dropFirst().trimmingBlanks))
    }

    func isNamed(_ names: String...) -> Bool { names.contains(self.name.lowercased()) }

    /// Whether it leaves out a field that would be sent without it.
    package var isRemoval: Bool { self.sign == UInt8(ascii: ":") && self.value.isEmpty }

    /// The name, and an ellipsis in place of the value, which may be a secret; quoted for a shell.
    private var masked: String {
        let name = self.text.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "-_.".contains($0)) }
        // Without a separator the whole text may be the value: its writer forgot the name.
        guard !name.isEmpty, name.utf8.count <= 40, name.endIndex < self.text.endIndex else { return "…" }
        return ShellQuote.quote("\(name)\(self.text[name.endIndex] == ":" ? ":" : "") …")
    }

    /// The end of the command because of the header.
    package func refused(_ reason: String) -> ExitStatus { ExitStatus(2, "-H \(self.masked): \(reason)") }
}

/// The headers of `-H`. They are removed before ArgumentParser sees the rest, as parts are.
enum GivenHeaders {
    private static let taken = Mutex<[GivenHeader]>([])

    /// The headers of this process, in order.
    static var ofThisProcess: [GivenHeader] { self.taken.withLock { $0 } }

    /// Takes the headers of a verb that makes a form from the words of this process.
    ///
    /// `@FILE` has a header on each line of a file, which keeps it out of the list of processes; `@-` is standard input. A file is
    /// read once, because it may be a pipe: `-H @<(pass show upload)`. As in curl, a line that begins with `#` is a comment, and
    /// other lines without a colon are left out, with a warning.
    static func take(from words: inout GivenWords) throws {
        guard PartArgument.verbs.contains(words.verb ?? "") else { return }
        // A printed command line has the file's name, not its secrets.
        let isPrinted = words.verb == "curl" && words.flags.contains("--print")
        let headers = try words.take(["-H", "--header"]).flatMap { item -> [GivenHeader] in
            let file = isPrinted ? nil : item.text.fileAfterSign
            return try file.map { try self.lines(of: String($0)) } ?? [GivenHeader(item.text)]
        }
        self.taken.withLock { $0 = headers }
    }

    private static func lines(of file: String) throws -> [GivenHeader] {
        let shown = ShellQuote.quote("@\(file)")
        let bytes = try GivenFile.bytes(of: file, "-H \(shown)", limit: 1 << 20)
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw ExitStatus(2, "-H \(shown): is not UTF-8")
        }
        var headers: [GivenHeader] = []
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated()
        where !line.allSatisfy(\.isWhitespace) && line.first != "#" {
            let header = GivenHeader(String(line))
            if header.sign != nil, !header.name.isEmpty, header.name.utf8.allSatisfy(\.isTokenByte) {
                headers.append(header)
            } else {
                // The line may be a secret.
                Messages.warn("-H \(shown): line \(index + 1) isn't 'Name: value', and isn't sent")
            }
        }
        return headers
    }
}

/// `-d` and its kin, whose order counts. They are removed before ArgumentParser sees the rest, as parts are.
package enum GivenData {
    private static let taken = Mutex<[(option: String, text: String)]>([])

    /// The options of this process, in order.
    package static var ofThisProcess: [(option: String, text: String)] { self.taken.withLock { $0 } }

    static func take(from words: inout GivenWords) {
        guard words.verb == "send" else { return }
        let data = words.take(["-d", "--data", "--data-raw", "--data-binary", "--data-urlencode"])
        self.taken.withLock { $0 = data.map { ($0.option == "--data" ? "-d" : $0.option, $0.text) } }
    }
}
