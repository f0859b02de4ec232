#if Command
import Formwork
import FormworkCore
import SystemPackage

// Unsafe code in this file: overwriting this process's arguments where the system shows them.

/// Arguments that contain passwords or tokens. The list of processes shows arguments to every user of the machine.
enum SecretArguments {
    /// Overwrites them with asterisks, as curl does. Swift's copies of the arguments don't change.
    ///
    /// They are visible until then, for a few milliseconds: a file, a prompt or the environment doesn't show them at all.
    static func blank() {
        guard let (start, end) = self.place, end > start else { return }
        // SAFETY: the kernel reports where this process's arguments are; they are writable, and only this thread runs.
        guard let pointer = unsafe UnsafeMutableRawPointer(bitPattern: start) else { return }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: pointer, count: Int(end - start))
        var position = 0
        var words: [Range<Int>] = []
        while position < bytes.count {
            let wordEnd = unsafe bytes[position...].firstIndex(of: 0) ?? bytes.count
            words.append(position..<wordEnd)
            position = wordEnd + 1
        }
        let texts = words.map { unsafe String(decoding: bytes[$0], as: UTF8.self) }
        for (index, range) in self.ranges(in: Array(texts)) {
            for place in range { unsafe bytes[words[index].lowerBound + place] = UInt8(ascii: "*") }
        }
    }

    /// The bytes to overwrite: the number of a word, and a range in it.
    static func ranges(in words: [String]) -> [(word: Int, range: Range<Int>)] {
        var found: [(Int, Range<Int>)] = []
        for (index, word) in words.enumerated() {
            let before = index > 0 ? words[index - 1] : ""
            if let range = self.value(of: word, after: before) ?? self.userInfo(in: word) {
                found.append((index, range))
            }
        }
        return found.filter { !$0.1.isEmpty }
    }

    private static let secretOptions = ["-u", "--user", "-b", "--cookie", "--token", "--oauth2-bearer"]

    /// The secret value that a word is, or contains after its option's name.
    private static func value(of word: String, after before: String) -> Range<Int>? {
        let count = word.utf8.count
        if self.secretOptions.contains(before) { return 0..<count }
        if ["-H", "--header"].contains(before) { return self.fieldValue(in: word, from: 0) }
        for option in self.secretOptions {
            let head = option.hasPrefix("--") ? option + "=" : option
            if word != option, word.hasPrefix(head) { return head.utf8.count..<count }
        }
        for head in ["-H", "--header="] where word != head && word.hasPrefix(head) {
            return self.fieldValue(in: word, from: head.utf8.count)
        }
        return nil
    }

    /// The value of a field that carries credentials.
    private static func fieldValue(in word: String, from start: Int) -> Range<Int>? {
        let bytes = Array(word.utf8)
        guard let colon = bytes[start...].firstIndex(of: UInt8(ascii: ":")) else { return nil }
        let name = String(decoding: bytes[start..<colon], as: UTF8.self)
        return Redirection.carriesCredentials(name) ? colon + 1..<bytes.count : nil
    }

    /// The user and password in a URL.
    private static func userInfo(in word: String) -> Range<Int>? {
        guard let start = word.firstRange(of: "://")?.upperBound else { return nil }
        let authority = word[start...].prefix { !"/?#".contains($0) }
        guard let at = authority.lastIndex(of: "@") else { return nil }
        let first = word.utf8.distance(from: word.startIndex, to: start)
        return first..<first + word.utf8.distance(from: start, to: at)
    }

    /// Where the arguments are in memory.
    private static var place: (start: UInt, end: UInt)? {
        guard let file = try? FileDescriptor.open(FilePath("/proc/self/stat"), .readOnly, options: .closeOnExec) else {
            return nil
        }
        defer { try? file.close() }
        var buffer = [UInt8](repeating: 0, count: 4096)
        guard let count = try? unsafe buffer.withUnsafeMutableBytes({ unsafe try file.read(into: $0) }) else {
            return nil
        }
        // proc(5): arg_start and arg_end are fields 48 and 49. The name of the program is in parentheses, and the field
        // after it is the third.
        let text = String(decoding: buffer[..<count], as: UTF8.self)
        guard let end = text.lastIndex(of: ")") else { return nil }
        let fields = text[text.index(after: end)...].split(whereSeparator: \.isWhitespace)
        guard fields.count > 46, let start = UInt(fields[45]), let stop = UInt(fields[46]), start != 0 else {
            return nil
        }
        return (start, stop)
    }
}
#endif
