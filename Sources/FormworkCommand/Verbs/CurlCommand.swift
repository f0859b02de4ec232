import ArgumentParser
import Formwork
import FormworkSystem

struct CurlCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "curl",
        abstract: "Run curl with the body piped in: streamed, with its exact length and curl's exit status.",
        usage: "formwork curl URL -F NAME=VALUE -F NAME=@FILE [options] [-- CURL-OPTIONS]",
        discussion: """
            EXAMPLES
              formwork curl https://example.com/up -F title=Harbour -F photo=@a.jpg
              formwork curl https://example.com/up -F photo=@a.jpg -- -sS -u me:secret
              formwork curl https://example.com/up -F photo=@a.jpg --print

            Arguments after '--' are passed to curl. FORMWORK_USER=user:password and FORMWORK_TOKEN (sent as Bearer) in the \
            environment are used as in 'send', unless the URL, -H or curl's own arguments contain credentials. In the \
            list of processes, credentials in the URL and in formwork's own -H are masked, but not those in curl's -H after '--'. If a source fails half-way, or formwork is killed, \
            curl is killed before it can end the body as if it were complete. curl reads the body once, so it can't \
            follow redirects, try again or send to a second URL: --retry, -L, --next and logins in two steps are refused. \
            'formwork send' follows redirects and tries again.
            """)

    @Argument(help: "The URL to which curl sends the body.")
    var url: String

    @OptionGroup(title: "Form") var parts: PartOptions

    @OptionGroup(title: "Details of the form") var form: FormOptions

    @OptionGroup(title: "Details of the form") var composing: ComposingOptions

    @Flag(help: "Print a curl command line that makes the same body, instead of running curl.")
    var print = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto

    @Argument(parsing: .postTerminator, help: "Arguments for curl.")
    var curlArguments: [String] = []

    func run() throws {
        try ExitStatus.refuse(
            if: CurlArguments(self.curlArguments).haveParts, "-F: give each part before '--': curl only sends the form")
        let plan = try self.form.makePlan(self.composing, passesHeaders: true)
        if self.print {
            try self.form.refuseBoundary(for: "--print")
            let headers = self.form.otherHeaders.flatMap { ["-H", $0.text] }
            let rest = headers + self.curlArguments + [self.url]
            return try StandardOutput.write(CurlCommandLine.text(for: plan, followedBy: rest))
        }
        try self.checkArguments()
        try self.checkHeaders()
        let checks = try self.form.checksWhileSending(plan, isResumed: false)
        let configuration = try self.configuration()
        let pipe = try SystemCalls.pipe()
        let curl: ChildProcess
        do {
            let arguments = self.arguments(for: plan) + ["-K", "/dev/fd/\(pipe.reading.rawValue)"]
            curl = try ChildProcess("curl", arguments, inheriting: pipe.reading)
        } catch Errno.noSuchFileOrDirectory {
            throw ExitStatus(127, "curl is not installed, or not in PATH")
        }
        let interruption = Interruption { [curl] signal in
            curl.kill()
            ExitStatus(stoppedBy: signal).report()
        }
        defer { withExtendedLifetime(interruption) {} }
        try SystemCalls.close(pipe.reading)
        // If curl doesn't read it, its exit status says why.
        _ = try? BodyPlan(copying: .text(configuration.text)).write(to: pipe.writing)
        try SystemCalls.close(pipe.writing)
        do {
            let options = ReaderOptions(checksFraming: checks)
            try ProgressLine.shown(self.progress.style(bodyGoesToTerminal: false), options) { options in
                try plan.write(to: curl.input, options: options)
            }
            curl.finish()
        } catch let error as FormworkError where error.code == .writeFailed {
            // curl stopped reading: the server answered early, or curl failed and reported it itself.
            curl.finish()
            let status = curl.wait()
            guard status == 0 else { throw Self.failure(status) }
            throw ExitStatus(0, Self.cutShort(at: error.offset ?? 0, of: plan.contentLength))
        } catch {
            curl.kill()
            curl.finish()
            _ = curl.wait()
            throw error
        }
        let status = curl.wait()
        guard status == 0 else { throw Self.failure(status) }
    }

    /// curl has written its own message, except as an object.
    private static func failure(_ status: Int32) -> ExitStatus {
        ExitStatus(status, Messages.current == .events ? "curl exited with status \(status)" : nil)
    }

    /// curl exits with 0 if the answer arrives before the whole body was sent, so a message has to say it.
    private static func cutShort(at offset: Int64, of length: Int64?) -> String {
        "the server answered before it had the whole body: curl read at most \(offset, "byte")"
            + (length.map { " of \($0)" } ?? "")
    }

    /// The only way to make curl stream a pipe with a length: without the empty `Transfer-Encoding:` it sends both
    /// fields.
    private func arguments(for plan: BodyPlan) -> [String] {
        var headers = ["Content-Type: \(plan.contentType)", "Expect:"]
        if let length = plan.contentLength { headers += ["Transfer-Encoding:", "Content-Length: \(length)"] }
        return ["--no-progress-meter", "-X", "POST", "-T", "-"] + headers.flatMap { ["-H", $0] } + self.curlArguments
            // Those of a configuration file, after which the second request would have an empty body; and so would one of the
            // URLs that `{a,b}` and `[1-3]` mean.
            + ["--retry", "0", "--no-location", "--globoff"]
    }

    /// Refuses what makes curl read the body twice.
    private func checkArguments() throws(ExitStatus) {
        let arguments = CurlArguments(self.curlArguments)
        if let option = arguments.repetition {
            throw ExitStatus(
                2,
                "\(option): curl would send the body twice, but can read it only once from a pipe: use 'formwork "
                    + "send', which repeats and redirects, or 'formwork curl --print'")
        }
        if let header = arguments.headers.map({ GivenHeader($0) }).first(where: { $0.isNamed("content-type") }) {
            throw header.refused("curl would send two types, and the body has one boundary: give it before '--'")
        }
        if let word = arguments.secondRequest {
            throw ExitStatus(
                2,
                "\(ShellQuote.quote(word)): curl would make a second request, but can read the body only once from "
                    + "a pipe: give one URL, before '--'")
        }
    }

    /// curl would write a line break in a header as it is, which begins another header.
    private func checkHeaders() throws(ExitStatus) {
        for header in self.form.otherHeaders where header.text.utf8.contains(where: { $0 == 0x0A || $0 == 0x0D }) {
            throw header.refused("has a line break: give each header with an -H of its own")
        }
    }

    /// What may hold secrets. curl overwrites only some of them in its arguments.
    private func configuration() throws(ExitStatus) -> CurlConfiguration {
        var configuration = CurlConfiguration()
        for header in self.form.otherHeaders { configuration.add("header", header.text) }
        configuration.add("url", self.url)
        let isGiven =
            self.form.otherHeaders.contains { CurlArguments.isAuthorization($0.text) }
            || CurlArguments(self.curlArguments).giveCredentials
            || SecretText.hasUserInfo(url: self.url)
        if !isGiven, let given = try EnvironmentCredentials.read() {
            let header = "Authorization: \(given.fieldValue)"
            configuration.add(given.user == nil ? "header" : "user", given.user ?? header)
        }
        return configuration
    }
}
