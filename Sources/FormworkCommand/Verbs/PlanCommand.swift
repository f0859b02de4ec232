import ArgumentParser
import Formwork
import FormworkSystem
import FormworkURLEncoded

struct PlanCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Show every piece of the body with its offset, length, source and type, without reading whole files.",
        usage: "formwork plan [options] -F NAME=VALUE -F NAME=@FILE",
        discussion: """
            EXAMPLES
              formwork plan -F title=Harbour -F photo=@a.jpg
              formwork plan -F photo=@a.jpg --save form.json
              formwork body --from form.json

            --save writes a description with the boundary and the state of every file. Another process can make the same \
            bytes from it later; a file that changed meanwhile is an error.

            To find a type, up to 32 KiB of a file are read; --save and --from read its first and last 64 KiB.
            """)

    @OptionGroup(title: "Form") var parts: PartOptions

    @OptionGroup(title: "Details of the form") var form: FormOptions

    @OptionGroup(title: "Details of the form") var composing: ComposingOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Option(file: "Write a description to a file, for --from; '-' is standard output.")
    var save: String?

    func validate() throws { try GivenPath.check(["--save": self.save]) }

    func run() throws {
        try GivenPath.checkOutput("--save", self.save)
        let plan = try self.form.makePlan(self.composing)
        try SeparateOutput.check("--save", self.save, inputs: self.form.inputs(of: plan))
        if let save = self.save {
            let text = try JSONText.encode(plan.describe())
            guard save != "-" else {
                try ExitStatus.refuse(if: self.json, "--save - writes to standard output: leave out --json")
                return try StandardOutput.write(text)
            }
            do { try BodyPlan(copying: .text(text)).write(toFile: FilePath(save), replacing: true) } catch {
                // What is written here isn't a body.
                guard error.code == .writeFailed, error.path == nil else { throw error }
                throw FormworkError(.writeFailed, "can't be written", path: save, cause: error.cause)
            }
        }
        if self.json {
            try JSONOutput.write(plan.properties + [("pieces", .array(plan.layout.map(\.json)))])
        } else if self.save == nil {
            try StandardOutput.write(plan.table(width: Terminal.columns(of: .standardOutput)))
        }
    }
}
