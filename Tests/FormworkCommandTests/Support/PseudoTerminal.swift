import Foundation

/// A run of a command on a pseudo-terminal of its own.
struct TerminalRun {
    var screen: Screen
    /// Everything that was written to the terminal.
    var text: String
    var status: Int32
}

/// Runs commands as a user at a terminal does.
enum PseudoTerminal {
    /// Runs a shell script in which `$F` is the command, with the terminal as its standard input, output and error.
    /// - Parameter typed: What the user types, once the terminal shows a prompt. Before, a command discards it.
    static func run(
        _ script: String, columns: Int, in folder: String? = nil, environment: [String: String] = [:],
        typing typed: (prompt: String, bytes: [UInt8])? = nil
    ) throws -> TerminalRun {
        // As posix_openpt, unlockpt and ptsname do, which Swift's Glibc doesn't have.
        let master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var (unlocked, number) = (Int32(0), UInt32(0))
        guard master >= 0, ioctl(master, 0x4004_5431, &unlocked) == 0, ioctl(master, 0x8004_5430, &number) == 0 else {
            throw POSIXError(.ENOTTY)
        }
        let slave = open("/dev/pts/\(number)", O_RDWR | O_NOCTTY | O_CLOEXEC)
        guard slave >= 0 else { throw POSIXError(.ENOTTY) }
        var size = winsize(ws_row: 24, ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(slave, UInt(TIOCSWINSZ), &size)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["-c", script]
        var variables = ProcessInfo.processInfo.environment.merging(
            ["F": Command.path, "SWIFT_BACKTRACE": "enable=no", "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"]) { $1 }
        for name in ["NO_COLOR", "COLUMNS", "LINES"] { variables[name] = nil }
        process.environment = variables.merging(environment) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let handle = FileHandle(fileDescriptor: slave, closeOnDealloc: false)
        (process.standardInput, process.standardOutput, process.standardError) = (handle, handle, handle)
        try process.run()
        close(slave)
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        // A terminal that nobody has open any more is an error, not an end.
        var typed = typed
        while case let count = read(master, &buffer, buffer.count), count > 0 {
            bytes += buffer.prefix(count)
            if let (prompt, keys) = typed, bytes.firstRange(of: prompt.utf8) != nil {
                typed = nil
                _ = write(master, keys, keys.count)
            }
        }
        close(master)
        process.waitUntilExit()
        let text = String(decoding: bytes, as: UTF8.self)
        return TerminalRun(
            screen: Screen(text, columns: columns), text: text, status: process.terminationStatus)
    }
}

/// What a terminal shows after some output, lines that have scrolled away included.
///
/// It knows what the command may use: text, CR, LF, tabs, erasing to a line's end, and colours. A character's width is
/// the C library's.
struct Screen {
    private struct Row {
        /// A wide character has an empty cell after it.
        var cells: [String] = []
        var text: String {
            var text = cells.joined()
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    private typealias Width = @convention(c) (Int32) -> Int32
    /// The C library's function, which Swift's Glibc doesn't have.
    private static let wcwidth = unsafeBitCast(dlsym(nil, "wcwidth"), to: Width.self)

    let columns: Int
    private var rows = [Row()]
    private var row = 0
    private var column = 0
    /// How often text went on in the next row, because it was longer than the terminal is wide.
    private(set) var wraps = 0
    /// Sequences that the model doesn't know.
    private(set) var unknown: [String] = []
    /// Whether colours were used.
    private(set) var isColoured = false

    init(_ text: String, columns: Int) {
        self.columns = columns
        let locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", nil)
        let before = uselocale(locale)
        defer {
            uselocale(before)
            freelocale(locale)
        }
        var scalars = Substring(text).unicodeScalars
        while let scalar = scalars.popFirst() { self.draw(scalar, &scalars) }
    }

    /// The rows without blanks at their ends, up to the last one with text.
    var lines: [String] {
        var lines = self.rows.map(\.text)
        while lines.last == "" { lines.removeLast() }
        return lines
    }

    var text: String { self.lines.map { $0 + "\n" }.joined() }

    private mutating func draw(_ scalar: Unicode.Scalar, _ rest: inout Substring.UnicodeScalarView) {
        switch scalar {
        case "\r": self.column = 0
        case "\n":
            self.row += 1
            if self.row == self.rows.count { self.rows.append(Row()) }
        case "\t": self.column = min(self.columns - 1, (self.column / 8 + 1) * 8)
        case "\u{1B}": self.escape(&rest)
        default:
            let width = Int(Self.wcwidth(Int32(bitPattern: scalar.value)))
            if width < 0 { return self.unknown.append("U+\(String(scalar.value, radix: 16))") }
            self.put(String(scalar), width)
        }
    }

    private mutating func put(_ text: String, _ width: Int) {
        guard width > 0 else {
            let place = min(self.column, self.rows[self.row].cells.count) - 1
            // A mark belongs to the character before it, which may be two columns wide.
            if let cell = (0..<max(0, place + 1)).last(where: { self.rows[self.row].cells[$0] != "" }) {
                self.rows[self.row].cells[cell] += text
            }
            return
        }
        if self.column + width > self.columns {
            self.wraps += 1
            self.column = 0
            self.row += 1
            if self.row == self.rows.count { self.rows.append(Row()) }
        }
        while self.rows[self.row].cells.count < self.column + width { self.rows[self.row].cells.append(" ") }
        self.rows[self.row].cells[self.column] = text
        if width == 2 { self.rows[self.row].cells[self.column + 1] = "" }
        self.column += width
    }

    private mutating func escape(_ rest: inout Substring.UnicodeScalarView) {
        guard rest.first == "[" else { return self.unknown.append("ESC \(rest.first.map(String.init) ?? "")") }
        rest.removeFirst()
        var parameters = ""
        while let next = rest.first, next == ";" || ("0"..."9").contains(next) {
            parameters.unicodeScalars.append(next)
            rest.removeFirst()
        }
        switch rest.popFirst() {
        case "K" where parameters == "" || parameters == "0":
            self.rows[self.row].cells = Array(self.rows[self.row].cells.prefix(self.column))
        case "m": self.isColoured = true
        case let final: self.unknown.append("CSI \(parameters)\(final.map(String.init) ?? "")")
        }
    }
}
