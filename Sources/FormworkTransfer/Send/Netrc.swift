import FormworkClient
import FormworkCommand

/// A netrc file: users and passwords by host, as ftp, curl and Git read it.
struct Netrc {
    private struct Entry {
        /// `nil` for the default entry.
        var host: String?
        var user = ""
        var password = ""
    }

    private struct Fault: Error {
        /// From 1.
        var line: Int
        /// Whether it is UTF-8.
        var isText = true
    }

    private var entries: [Entry] = []

    /// - Parameter option: The option's name, for errors.
    init(file path: String, option: String) throws {
        let shown = "\(option): \(path)"
        let bytes = try GivenFile.bytes(of: path, shown, limit: 1 << 20)
        do throws(Fault) { self.entries = try Self.entries(in: bytes) } catch {
            let what = error.isText ? "is wrong: write machine HOST login USER password PASSWORD" : "isn't UTF-8"
            throw ExitStatus(2, "\(shown): line \(error.line) \(what)")
        }
    }

    /// The entry for a host, otherwise the default one; `nil` for none, or one without user and password.
    /// - Parameter given: An `Authorization` that only an entry of the same user replaces, if it has no password; `nil` for
    ///   none.
    func credentials(for host: String, replacing given: String?) -> BasicCredentials? {
        let entries = self.entries.filter { entry in
            given.map { BasicCredentials(user: entry.user, password: "").fieldValue == $0 } ?? true
        }
        let entry = entries.first { $0.host?.lowercased() == host.lowercased() } ?? entries.first { $0.host == nil }
        // An entry with neither, such as a bare "default", gives no credentials.
        guard let entry, !entry.user.isEmpty || !entry.password.isEmpty else { return nil }
        return BasicCredentials(user: entry.user, password: entry.password)
    }

    private static func entries(in bytes: [UInt8]) throws(Fault) -> [Entry] {
        var entries: [Entry] = []
        // A macro ends with an empty line, and a comment with its line.
        var isMacro = false
        // The keyword whose value comes next.
        var keyword: String?
        let lines = Self.lines(of: bytes)
        for (number, line) in zip(1..., lines) {
            guard String(validating: line, as: UTF8.self) != nil else { throw Fault(line: number, isText: false) }
            if isMacro {
                isMacro = !line.allSatisfy(Self.isBlank)
                continue
            }
            var rest = line.drop(while: Self.isBlank)
            while let first = rest.first {
                // A password may begin with this sign.
                if keyword == nil, first == UInt8(ascii: "#") { break }
                guard let word = Self.takeWord(&rest) else { throw Fault(line: number) }
                rest = rest.drop(while: Self.isBlank)
                if let known = keyword {
                    keyword = nil
                    switch known {
                    case "machine": entries.append(Entry(host: word))
                    case "login" where !entries.isEmpty: entries[entries.count - 1].user = word
                    case "password" where !entries.isEmpty: entries[entries.count - 1].password = word
                    case "account" where !entries.isEmpty: break
                    default: throw Fault(line: number)
                    }
                    continue
                }
                let lowercased = word.lowercased()
                if lowercased == "macdef" {
                    isMacro = true
                    break
                }
                if lowercased == "default" { entries.append(Entry()) } else { keyword = lowercased }
            }
        }
        guard keyword == nil else { throw Fault(line: lines.count) }
        return entries
    }

    /// By bytes here and below: a blank and a combining mark after it are one Character.
    private static func isBlank(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0B, 0x0C].contains(byte) }

    /// The lines, which end with LF, CR or CRLF.
    private static func lines(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        let pairs = zip(bytes, bytes.dropFirst() + [0])
        let single = pairs.filter { $0 != (0x0D, 0x0A) }.map(\.0)
        return single.split(omittingEmptySubsequences: false) { $0 == 0x0A || $0 == 0x0D }
    }

    /// Words are separated by blanks. Double quotes protect blanks, and a backslash in them the next character, or is
    /// a line end or tab with n, r or t. `nil` without the closing quote.
    private static func takeWord(_ rest: inout ArraySlice<UInt8>) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            let word = rest.prefix { !Self.isBlank($0) }
            rest = rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }
        rest = rest.dropFirst()
        var word: [UInt8] = []
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { return String(decoding: word, as: UTF8.self) }
            guard byte == UInt8(ascii: "\\") else {
                word.append(byte)
                continue
            }
            guard let next = rest.popFirst() else { return nil }
            switch next {
            case UInt8(ascii: "n"): word.append(0x0A)
            case UInt8(ascii: "r"): word.append(0x0D)
            case UInt8(ascii: "t"): word.append(0x09)
            default: word.append(next)
            }
        }
        return nil
    }
}
