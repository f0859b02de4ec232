#if Transfer
import Formwork
import FormworkClient
import FormworkCommand
import SystemPackage

/// A netrc file: users and passwords by host, as ftp, curl and Git read it.
struct Netrc {
    private struct Entry {
        /// `nil` for the default entry.
        var host: String?
        var user = ""
        var password = ""
    }

    private var entries: [Entry] = []

    /// - Parameter option: The option's name, for errors.
    init(file path: String, option: String) throws {
        let shown = "formwork: \(option): \(path.withControlCharactersEscaped)"
        let bytes: [UInt8]
        do { bytes = try BodyPlan(copying: .file(FilePath(path))).bytes(upTo: 1 << 20) } catch {
            throw ExitStatus(26, "\(shown): can't be read\(error.cause.map { " (\($0))" } ?? "")")
        }
        guard let text = String(validating: bytes, as: UTF8.self), let entries = Self.entries(in: text) else {
            throw ExitStatus(2, "\(shown): isn't a netrc file: write machine HOST login USER password PASSWORD")
        }
        self.entries = entries
    }

    /// The entry for a host, otherwise the default one; `nil` for none, or one without user and password.
    func credentials(for host: String) -> BasicCredentials? {
        let entry =
            self.entries.first { $0.host?.lowercased() == host.lowercased() } ?? self.entries.first { $0.host == nil }
        // An entry with neither, such as a bare "default", gives no credentials.
        guard let entry, !entry.user.isEmpty || !entry.password.isEmpty else { return nil }
        return BasicCredentials(user: entry.user, password: entry.password)
    }

    /// `nil` for a word at a place where none belongs.
    private static func entries(in text: String) -> [Entry]? {
        var entries: [Entry] = []
        // A macro ends with an empty line, and a comment with its line.
        var isMacro = false
        var words: [String] = []
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            if isMacro {
                isMacro = !line.allSatisfy(\.isWhitespace)
                continue
            }
            guard !line.drop(while: \.isWhitespace).hasPrefix("#") else { continue }
            let more = Self.words(in: line)
            if let macro = more.firstIndex(of: "macdef") {
                words += more[..<macro]
                isMacro = true
            } else {
                words += more
            }
        }
        var index = 0
        while index < words.count {
            let word = words[index]
            index += 1
            if word == "default" {
                entries.append(Entry())
                continue
            }
            guard index < words.count else { return nil }
            let value = words[index]
            index += 1
            switch word {
            case "machine": entries.append(Entry(host: value))
            case "login" where !entries.isEmpty: entries[entries.count - 1].user = value
            case "password" where !entries.isEmpty: entries[entries.count - 1].password = value
            case "account" where !entries.isEmpty: break
            default: return nil
            }
        }
        return entries
    }

    /// Words are separated by blanks. Double quotes protect blanks, and a backslash in them the next character.
    private static func words(in line: Substring) -> [String] {
        var words: [String] = []
        var rest = line.drop(while: \.isWhitespace)
        while let first = rest.first {
            var word = ""
            if first == "\"" {
                rest = rest.dropFirst()
                while let character = rest.popFirst(), character != "\"" {
                    word.append(character == "\\" ? rest.popFirst() ?? "\\" : character)
                }
            } else {
                word = String(rest.prefix { !$0.isWhitespace })
                rest = rest.dropFirst(word.count)
            }
            words.append(word)
            rest = rest.drop(while: \.isWhitespace)
        }
        return words
    }
}
#endif
