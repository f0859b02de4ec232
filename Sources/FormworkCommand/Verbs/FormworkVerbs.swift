import ArgumentParser
import Formwork
import FormworkSystem

/// What the two executables share: the list of verbs, and how one of them is run.
package enum FormworkVerbs {
    /// The version of the command, as `--version` prints it and `User-Agent` names it.
    package static let version = "0.1.0"

    /// The abstracts of the verbs that only one of the executables has, in the list of all verbs.
    package static let send = "Send a form to a server, with progress, retries and resuming."
    package static let receive = "Receive uploads into a folder or an object store, from a web page or any client."

    package static let link = "Make a signed URL for uploads to a receiver without an account."

    /// The root command's configuration.
    package static func configuration(
        send: any ParsableCommand.Type, receive: any ParsableCommand.Type, link: any ParsableCommand.Type
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "formwork",
            abstract: "Composes and reads multipart/form-data bodies without holding them in memory.",
            discussion: """
                EXAMPLES
                  Send a form, and an upload that resumes after a cut:
                    formwork send https://example.com/up -F title=Harbour -F photo=@a.jpg
                    formwork send https://example.com/up -F film=@a.mov --state a.upload

                  Receive files:
                    formwork receive inbox

                  Make the body, and the headers that go with it:
                    formwork body -F title=Harbour -F photo=@a.jpg --boundary b1 -o body.bin
                    formwork headers -F title=Harbour -F photo=@a.jpg --boundary b1

                  See what would be sent, without reading whole files:
                    formwork plan -F title=Harbour -F photo=@a.jpg

                  Stream standard input through curl, with or without a length:
                    tar c . | formwork curl https://example.com/up -F 'b=@-;filename=b.tar'

                  List the parts of a saved or captured body, and extract one:
                    formwork inspect request.http
                    formwork extract request.http --part photo --to photo.jpg

                  Write parameters as a query string, as another system would:
                    echo '{"tags":["x","y"]}' | formwork query encode --dialect rails

                'formwork help VERB' explains a verb, 'formwork help parts' what -F accepts, 'formwork help statuses' the exit \
                statuses. 'formwork --version' prints the version.
                """,
            subcommands: [
                BodyCommand.self, HeadersCommand.self, send, CurlCommand.self, PlanCommand.self,
                TypeCommand.self, receive, link, InspectCommand.self, ExtractCommand.self, QueryCommand.self,
                CompletionCommand.self,
            ]
        )
    }

    /// Runs the verb that the process's arguments name.
    /// - Parameter beforehand: Sees the arguments first, and may replace this process.
    package static func run<Root: ParsableCommand>(
        _ root: Root.Type, beforehand: ([String]) throws(ExitStatus) -> Void = { _ throws(ExitStatus) in }
    ) {
        StandardDescriptors.fill()
        ThisProcess.prepareSignals()
        let given = Array(ThisProcess.arguments.dropFirst())
        var words = GivenWords(given, isWhole: given.first == "---completion")
        do {
            self.prepare(words.flags, for: words.verb)
            if let place = GivenWords.firstNotUTF8 {
                throw ExitStatus(
                    2,
                    "argument \(place) is not UTF-8: rename a file, or give its content on standard input ('@-' or "
                        + "'-'); a value comes from a file with -F 'NAME=<FILE'")
            }
            try SystemLimits.check(for: words.verb)
            try beforehand(given)
            MagicDatabase.use()
            SecretArguments.blank()
            let interruption = self.reportingSignals(words.verb)
            defer { withExtendedLifetime(interruption) {} }
            try GivenHeaders.take(from: &words)
            PartArgument.take(from: &words)
            GivenData.take(from: &words)
            if words.flags.contains("--version") || given == ["-V"] {
                return try StandardOutput.write(self.version + "\n")
            }
            if words.verb == "help", given.count == 2, let topic = HelpTopic(rawValue: given[1]) {
                // As for the verbs' help.
                let given = SystemCalls.environment("COLUMNS").flatMap { Int($0) }
                return try StandardOutput.write(
                    topic.text(width: max(40, given ?? Terminal.columns(of: .standardOutput) ?? 80)))
            }
            let parsed = words.words
            let topics = words.verb == "help" ? HelpTopic.names : []
            try self.checkVerb(parsed.drop { $0 == "help" }, Root.configuration.subcommands, topics)
            // ArgumentParser answers an empty command line with help, and 0.
            try ExitStatus.refuse(
                if: !given.isEmpty && parsed.allSatisfy { $0 == "--" },
                "no verb: write formwork send URL -F … or formwork body -F …; 'formwork help' lists all")
            try ExitStatus.refuse(if: given == ["query"], "write formwork query encode, or formwork query decode")
            try SingleValueOption.check(words)
            var command = try Root.parseAsRoot(parsed)
            if let completion = command as? CompletionCommand {
                return try StandardOutput.write(completion.script(of: Root.self))
            }
            try command.run()
        } catch let error as ExitStatus {
            self.leave(error)
        } catch let error as FormworkError {
            self.leave(ExitStatus(error))
        } catch let error as Errno {
            self.leave(ExitStatus(71, "\(error)"))
        } catch {
            self.end(error, words, Root.self)
        }
    }

    /// Ends with what ArgumentParser throws: help, the version, completions, or an error.
    private static func end<Root: ParsableCommand>(_ error: any Error, _ words: GivenWords, _ root: Root.Type) {
        switch Root.exitCode(for: error) {
        case .success:
            // ArgumentParser doesn't notice that its text can't be written.
            do { try StandardOutput.write(Root.fullMessage(for: error) + "\n") } catch let error as FormworkError {
                self.leave(ExitStatus(error))
            } catch {}
        case .validationFailure:
            // ArgumentParser exits with 64 for usage errors; curl uses 2.
            let message = Root.message(for: error)
            let isCurls = words.verb == "curl" && message.hasPrefix("Unknown option")
            let foreign =
                ForeignOption.reason(in: words, message)
                ?? (isCurls ? "\(message): curl's own options come after '--'" : nil)
            // Arguments may be a URL with a password.
            let reason = ExitStatus(2, lines: SecretText.masked(foreign ?? message))
            JSONOutput.fail(reason)
            guard foreign == nil, Messages.current != .events else { reason.leave() }
            ExitStatus(2, lines: SecretText.masked(Root.fullMessage(for: error))).leave()
        default: Root.exit(withError: error)
        }
    }

    /// Refuses a word that isn't a verb. ArgumentParser would call it an argument too many, and answer a question for its
    /// help with the list of verbs.
    private static func checkVerb(
        _ words: ArraySlice<String>, _ verbs: [any ParsableCommand.Type], _ topics: [String] = []
    ) throws(ExitStatus) {
        guard let word = words.first, !word.hasPrefix("-"), !verbs.isEmpty else { return }
        let names = verbs.map { $0.configuration.commandName ?? "" }
        guard let place = names.firstIndex(of: word) else {
            let shown = ShellQuote.quote(SecretText.masked(url: word))
            try ExitStatus.refuse(
                if: word.utf8.authorityStart != nil, "no verb before \(shown): write formwork send \(shown) -F …")
            // A letter was left out, added, exchanged with its neighbour, or is another one.
            let meant = names.first { $0.first == word.first && $0.difference(from: word.prefix(20)).count <= 2 }
            let advice =
                ForeignOption.verb(word, verbs: names).map { "write \($0)" } ?? meant.map { "did you mean '\($0)'?" }
                ?? "choose one of \((names + topics).joined(separator: ", "))"
            throw ExitStatus(2, "\(shown) isn't a verb: \(advice)")
        }
        try self.checkVerb(words.dropFirst(), verbs[place].configuration.subcommands)
    }

    /// Reports a signal that stops the command as its error, if errors are objects. `curl` isn't in the list, because
    /// it reports signals itself.
    private static func reportingSignals(_ verb: String?) -> Interruption? {
        guard ["body", "headers", "inspect", "plan", "send", "type"].contains(verb),
            JSONOutput.isRequested || Messages.current == .events
        else { return nil }
        return Interruption(within: .seconds(1)) { ExitStatus(stoppedBy: $0).report() }
    }

    /// Notes the form of results and errors before the arguments are checked, so that wrong ones are reported in it.
    private static func prepare(_ flags: [String], for verb: String?) {
        let wantsJSON = flags.contains { $0 == "--json" || $0.hasPrefix("--json=") }
        if ["send", "plan", "headers", "type", "inspect", "link"].contains(verb), wantsJSON { JSONOutput.request() }
        if flags.contains("--progress=json") { Messages.use(.events) }
        if flags.contains("--progress=none") { Messages.silence() }
    }

    private static func leave(_ status: ExitStatus) -> Never {
        if status.code != 0 { JSONOutput.fail(status) }
        status.leave()
    }
}

struct QueryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "query",
        abstract: "Convert parameters to a query string or url-encoded form and back, as other systems do.",
        discussion: """
            EXAMPLES
              echo '{"q":"a b","tags":["x","y"]}' | formwork query encode --dialect rails
              echo '{"page":2}' | formwork query encode --into 'https://example.com/?all=1'
              echo 'a=1&a=2' | formwork query decode --pairs
            """,
        subcommands: [QueryEncodeCommand.self, QueryDecodeCommand.self]
    )
}
