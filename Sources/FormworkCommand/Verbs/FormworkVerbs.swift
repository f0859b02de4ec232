#if Command
import ArgumentParser
import Formwork

/// What the two executables share: the list of verbs, and how one of them is run.
package enum FormworkVerbs {
    /// The abstracts of the verbs that only one of the executables has, in the list of all verbs.
    package static let send = "Send the form to a server, with retries, progress and resuming after a cut."
    package static let receive = "Receive uploads into a folder or an object store, from a web page or any client."

    /// The root command's configuration.
    package static func configuration(
        send: any ParsableCommand.Type, receive: any ParsableCommand.Type
    ) -> CommandConfiguration {
        CommandConfiguration(
            commandName: "formwork",
            abstract: "Composes and reads multipart/form-data bodies, streamed: no body is held in memory.",
            discussion: """
                EXAMPLES
                  Send a form through curl, streamed, with its Content-Length:
                    formwork curl https://example.com/up -F title=Harbour -F photo=@a.jpg

                  Make the body, and the headers that go with it:
                    formwork body -F title=Harbour -F photo=@a.jpg --boundary b1 -o body.bin
                    formwork headers -F title=Harbour -F photo=@a.jpg --boundary b1

                  See what would be sent, without reading it:
                    formwork plan -F title=Harbour -F photo=@a.jpg

                  Stream standard input, with or without a length:
                    tar c . | formwork curl https://example.com/up -F 'b=@-;filename=b.tar'

                  List the parts of a saved or captured body, and extract one:
                    formwork inspect request.http
                    formwork extract request.http --part photo > photo.jpg

                  Write parameters as a query string, as another system would:
                    echo '{"tags":["x","y"]}' | formwork query encode --dialect rails

                EXIT STATUS
                  0   everything was written
                  2   the arguments are wrong, or name a part that isn't there
                  23  the output can't be written, or its reader went away
                  26  a file or stream can't be read, or isn't as long as declared
                  63  a limit was exceeded
                  65  a file changed, or a source can't be read again
                  70  the input is malformed: a body, JSON, or a query string with --strict
                  127 curl is not installed
                  'formwork curl' exits with curl's own status if curl ran.
                """,
            version: "0.1.0",
            subcommands: [
                BodyCommand.self, HeadersCommand.self, send, CurlCommand.self, PlanCommand.self,
                TypeCommand.self, receive, InspectCommand.self, ExtractCommand.self, QueryCommand.self,
            ]
        )
    }

    /// Runs the verb that the process's arguments name.
    /// - Parameter beforehand: Sees the arguments first, and may replace this process.
    package static func run<Root: ParsableCommand>(
        _ root: Root.Type, beforehand: ([String]) throws(ExitStatus) -> Void = { _ throws(ExitStatus) in }
    ) async {
        StandardDescriptors.fill()
        var parsed: [String] = []
        do {
            if let place = RawArguments.firstNotUTF8 {
                throw ExitStatus(2, "formwork: argument \(place) is not UTF-8: rename the file, or pass it as '@-'")
            }
            let words = Array(CommandLine.arguments.dropFirst())
            try beforehand(words)
            SecretArguments.blank()
            parsed = PartArgument.take(from: try HeaderFile.expand(words))
            var command = try Root.parseAsRoot(parsed)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch let error as ExitStatus {
            error.leave()
        } catch let error as FormworkError {
            ExitStatus(error).leave()
        } catch {
            // ArgumentParser exits with 64 for usage errors; curl uses 2.
            let isUsage = Root.exitCode(for: error) == .validationFailure
            guard isUsage else { Root.exit(withError: error) }
            let advice = UsageAdvice(tool: Root._dumpHelp())
            let text = advice?.text(for: parsed, given: Root.message(for: error)) ?? Root.fullMessage(for: error)
            ExitStatus(2, text).leave()
        }
    }
}
#endif
