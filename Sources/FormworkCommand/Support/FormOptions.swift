import ArgumentParser
import Formwork
import SystemPackage

/// The options that describe a form, the same for every verb.
struct FormOptions: ParsableArguments {
    @Option(
        name: [.customShort("F"), .long],
        help: ArgumentHelp(
            "A part, as curl's -F has it.",
            discussion: """
                name=value is a field, name=@path a file upload, name=<path a field with a file's content; a path of \
                '-' is standard input. Behind it may stand ;type=TYPE, ;filename=NAME, and for standard input \
                ;length=BYTES. Double quotes protect ';'.
                """,
            valueName: "name=content"))
    var form: [String] = []

    @Option(
        help: ArgumentHelp("A field whose value is taken as it is, '@' and ';' too.", valueName: "name=value"))
    var formString: [String] = []

    @Option(help: "The boundary, instead of a random one.")
    var boundary: String?

    @Option(help: "How names are escaped: whatwg (as browsers and curl), backslash, or refuse.")
    var escape: EscapeOption = .whatwg

    @Flag(help: "Collect standard input in an unlinked temporary file first, so that it has a length.")
    var spool = false

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("Take the form from a description that 'plan --save' wrote.", valueName: "file"))
    var description: String?

    /// The form's plan.
    func makePlan() throws -> BodyPlan {
        let arguments = PartArgument.ofThisProcess
        if let description = self.description {
            guard arguments.isEmpty else {
                throw ExitStatus(2, "formwork: --from has the whole form: leave out -F and --form-string")
            }
            return try JSONText.decode(PlanDescription.self, from: FilePath(description)).form.plan()
        }
        guard !arguments.isEmpty else {
            throw ExitStatus(2, "formwork: the form has no parts: give at least one -F name=value or -F name=@file")
        }
        var form = FormData(
            framing: MultipartFraming(
                boundary: try self.boundary.map(Boundary.init) ?? .random(), escaping: self.escape.rule))
        var standardInput = StandardInput(spool: self.spool)
        for argument in arguments {
            form.append(try argument.explaining { try argument.part(&standardInput) })
        }
        do throws(FormworkError) {
            return try form.plan()
        } catch {
            // Parts are the arguments in order: the person at the keyboard knows an argument, not a part.
            guard let index = error.part?.index, arguments.indices.contains(index) else { throw error }
            return try arguments[index].explaining { throw error }
        }
    }
}

/// The escaping rules that the command offers.
enum EscapeOption: String, ExpressibleByArgument, CaseIterable {
    case whatwg, backslash, refuse

    var rule: ParameterEscaping {
        switch self {
        case .whatwg: .whatwg
        case .backslash: .backslash
        case .refuse: .refuse
        }
    }
}
