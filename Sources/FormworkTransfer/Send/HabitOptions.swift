import ArgumentParser
import FormworkCommand
import HTTPTypes

/// Options that users of curl type without thinking, with curl's meaning. They aren't in the help: others say the same.
struct HabitOptions: ParsableArguments {
    @Flag(name: [.customShort("s"), .long], help: "No progress, warnings or errors; with -S errors are shown.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "With -s: show errors.")
    var showError = false

    @Flag(name: [.customShort("L"), .long], help: "Redirects are followed anyway.")
    var location = false

    @Flag(name: [.customShort("#"), .long], help: "The same as --progress bar.")
    var progressBar = false

    @Option([.customShort("A"), .long], parsing: .unconditional, value: "name", "The User-Agent.")
    var userAgent: String?

    @Option(
        [.customShort("b"), .long], parsing: .unconditional, value: "name=value; …",
        "Send these cookies. Received ones aren't kept.")
    var cookie: String?

    /// Whether errors are hidden, too.
    var hidesErrors: Bool { self.silent && !self.showError }

    /// The headers that these options mean. Those of `-H` have precedence.
    func headers() throws -> [String] {
        var headers: [String] = []
        for (option, value) in [("-A", self.userAgent), ("-b", self.cookie)]
        where value.map(HTTPField.isValidValue) == false {
            throw ExitStatus(2, "\(option): a value can't contain line ends or other control characters")
        }
        if let userAgent { headers.append(userAgent.isEmpty ? "User-Agent:" : "User-Agent: \(userAgent)") }
        if let cookie {
            // By bytes: a sign and a combining mark after it are one Character.
            try ExitStatus.refuse(
                if: !cookie.utf8.contains(UInt8(ascii: "=")),
                "-b: cookie files aren't read: write -b 'name=value; other=value'")
            headers.append("Cookie: \(cookie)")
        }
        return headers
    }
}

/// How to treat an answer of 400 or more.
enum FailureOption: String, EnumerableFlag {
    case failWithBody, fail, noFail

    static func name(for value: Self) -> NameSpecification {
        value == .fail ? [.customShort("f"), .customLong("fail")] : .long
    }

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        // The default.
        case .failWithBody: .hidden
        case .fail: "Don't write the body of an answer of 400 or more. The exit status is 22 with and without this."
        case .noFail: "Exit with 0 even after an answer of 400 or more."
        }
    }
}
