#if Command
import ArgumentParser
import Formwork
import SystemPackage

struct CurlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curl",
        abstract: "Run curl with the body piped in: streamed, with its exact length, curl's exit status.",
        discussion: """
            EXAMPLES
              formwork curl https://example.com/up -F title=Harbour -F photo=@a.jpg
              formwork curl https://example.com/up -F photo=@a.jpg -- -sS -u me:secret

              formwork curl https://example.com/up -F photo=@a.jpg --print

            Arguments after '--' are curl's. If a source fails half-way, or formwork is killed, curl is stopped before it
            can take the body for a whole one.
            """)

    @Argument(help: "Where curl sends the body.")
    var url: String

    @OptionGroup var form: FormOptions

    @Flag(help: "Print a curl command line that makes the same body, instead of running curl.")
    var print = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto

    @Argument(parsing: .postTerminator, help: "Arguments for curl.")
    var curlArguments: [String] = []

    func run() throws {
        let plan = try self.form.makePlan(passesHeaders: true)
        if self.print {
            let headers = self.form.otherHeaders.flatMap { ["-H", $0] }
            let rest = headers + self.curlArguments + [self.url]
            return try StandardOutput.write(CurlCommandLine.text(for: plan, followedBy: rest))
        }
        let curl: ChildProcess
        do {
            curl = try ChildProcess("curl", self.arguments(for: plan))
        } catch Errno.noSuchFileOrDirectory {
            throw ExitStatus(127, "formwork: curl is not installed, or not in PATH")
        }
        let interruption = Interruption { [curl] in curl.kill() }
        defer { withExtendedLifetime(interruption) {} }
        do {
            try ProgressLine.shown(self.progress.style(bodyGoesToTerminal: false)) { options in
                try plan.write(to: curl.input, options: options)
            }
            curl.finish()
        } catch let error as FormworkError where error.code == .writeFailed {
            // curl stopped reading: an early answer, or a failure that its own status and message tell.
            curl.finish()
            let status = curl.wait()
            throw ExitStatus(status, status == 0 ? Self.cutShort(at: error.offset ?? 0, of: plan.contentLength) : nil)
        } catch {
            curl.kill()
            curl.finish()
            _ = curl.wait()
            throw error
        }
        let status = curl.wait()
        guard status == 0 else { throw ExitStatus(status) }
    }

    /// curl is content with an answer that came before the body was sent: whoever reads 0 has to be told.
    private static func cutShort(at offset: Int64, of length: Int64?) -> String {
        "formwork: the server answered before it had the whole body: curl took at most \(offset) bytes"
            + (length.map { " of \($0)" } ?? "")
    }

    /// The one way to have curl stream a pipe with a length: without the empty `Transfer-Encoding:` it sends both.
    private func arguments(for plan: BodyPlan) -> [String] {
        var headers = ["Content-Type: \(plan.contentType)", "Expect:"]
        if let length = plan.contentLength { headers += ["Transfer-Encoding:", "Content-Length: \(length)"] }
        headers += self.form.otherHeaders
        return ["--no-progress-meter", "-X", "POST", "-T", "-"] + headers.flatMap { ["-H", $0] } + self.curlArguments
            + ["--url", self.url]
    }
}
#endif
