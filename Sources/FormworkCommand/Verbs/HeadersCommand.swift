import ArgumentParser
import Formwork

struct HeadersCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "headers",
        abstract: "Print the body's request headers: Content-Type and Content-Length.",
        usage: "formwork headers [options] -F NAME=VALUE -F NAME=@FILE",
        discussion: """
            EXAMPLES
              formwork headers -F photo=@a.jpg --boundary b1 > headers.txt
              formwork body -F photo=@a.jpg --boundary b1 |
                curl -X POST -T - -H Transfer-Encoding: -H @headers.txt URL

            Without --boundary each command would choose its own random boundary, and they would not match. \
            A body of unknown length has no Content-Length line; standard error names the part that causes it.
            """)

    @OptionGroup(title: "Form") var parts: PartOptions

    @OptionGroup(title: "Details of the form") var form: FormOptions

    @OptionGroup(title: "Details of the form") var composing: ComposingOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    func run() throws {
        let plan = try self.form.makePlan(self.composing)
        if self.json { return try JSONOutput.write(plan.properties) }
        var text = "Content-Type: \(plan.contentType)\n"
        if let length = plan.contentLength { text += "Content-Length: \(length)\n" }
        try StandardOutput.write(text)
        if let blocker = plan.lengthBlocker {
            throw ExitStatus(0, "no Content-Length: \(blocker)")
        }
    }
}
