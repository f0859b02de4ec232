import ArgumentParser
import Formwork
import Glibc
import SystemPackage

struct BodyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "body",
        abstract: "Write the body to standard output or a file.",
        discussion: """
            EXAMPLES
              formwork body -F title=Harbour -F photo=@a.jpg -o body.bin
              formwork body -F photo=@a.jpg --boundary b1 | sha256sum
              formwork body -F photo=@a.jpg --boundary b1 --offset 1000000
            """)

    @OptionGroup var form: FormOptions

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp("The file, which appears only when it is whole; '-' is standard output.", valueName: "file"))
    var output: String?

    @Option(
        name: .customLong("as"),
        help: ArgumentHelp(
            "'curl' prints a curl command that makes the same body, instead of the body.", valueName: "curl"))
    var dialect: CompatOption?

    @Option(help: "Begin at this byte of the body, without reading what stands before it.")
    var offset: Int64 = 0

    @Option(help: "Write at most this many bytes.")
    var length: Int64?

    @Flag(help: "Read the body back while it is written: one that its own bytes break is an error.")
    var check = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto

    func run() throws {
        let plan = try self.form.makePlan()
        if self.dialect != nil { return try StandardOutput.write(CurlCommandLine.text(for: plan)) }
        let file = self.output == "-" ? nil : self.output
        let isTerminal = file == nil && isatty(FileDescriptor.standardOutput.rawValue) == 1
        if isTerminal, self.output == nil, !plan.isPlainText {
            throw ExitStatus(
                2,
                "formwork: the body may hold binary data and standard output is a terminal: use -o FILE, a pipe, or "
                    + "-o - to have it all the same")
        }
        try ProgressLine.shown(self.progress.style(bodyGoesToTerminal: isTerminal)) { options in
            var options = options
            options.checksFraming = self.check
            let reader = try plan.makeReader(from: self.offset, count: self.length, options: options)
            if let file {
                try reader.write(toFile: FilePath(file))
            } else {
                try reader.write(to: .standardOutput)
            }
        }
    }
}

extension BodyPlan {
    /// Whether a terminal can show the body: small values in memory, without control characters.
    fileprivate var isPlainText: Bool {
        let isInMemory = self.layout.allSatisfy { $0.kind == .framing || $0.kind == .memory }
        guard isInMemory, let bytes = try? self.bytes(upTo: 64 << 10) else { return false }
        return String(validating: bytes, as: UTF8.self) != nil
            && bytes.allSatisfy { $0 >= 0x20 && $0 != 0x7F || (0x09...0x0D).contains($0) }
    }
}
