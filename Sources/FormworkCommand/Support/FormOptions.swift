import ArgumentParser
import Formwork
import SystemPackage
import Synchronization

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
            valueName: "name=content"),
        transform: { OrderedArgument(.form, $0) })
    var form: [OrderedArgument] = []

    @Option(
        help: ArgumentHelp("A field whose value is taken as it is, '@' and ';' too.", valueName: "name=value"),
        transform: { OrderedArgument(.formString, $0) })
    var formString: [OrderedArgument] = []

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
        if let description = self.description {
            guard self.form.isEmpty, self.formString.isEmpty else {
                throw ExitStatus(2, "formwork: --from has the whole form: leave out -F and --form-string")
            }
            return try JSONText.decode(PlanDescription.self, from: FilePath(description)).form.plan()
        }
        let arguments = (self.form + self.formString).sorted { $0.order < $1.order }
        guard !arguments.isEmpty else {
            throw ExitStatus(2, "formwork: the form has no parts: give at least one -F name=value or -F name=@file")
        }
        var form = FormData(
            framing: MultipartFraming(
                boundary: try self.boundary.map(Boundary.init) ?? .random(), escaping: self.escape.rule))
        var standardInput = StandardInput(spool: self.spool)
        var partArguments: [OrderedArgument] = []
        for argument in arguments {
            form.append(try argument.explaining { try argument.part(&standardInput) })
            partArguments.append(argument)
        }
        do throws(FormworkError) {
            return try form.plan()
        } catch {
            // Parts are the arguments in order: the person at the keyboard knows an argument, not a part.
            guard let index = error.part?.index, partArguments.indices.contains(index) else { throw error }
            return try partArguments[index].explaining { throw error }
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

/// An argument that knows its place among those of other options: parts keep the order of the command line.
struct OrderedArgument {
    enum Option: String {
        case form = "-F"
        case formString = "--form-string"
    }

    private static let count = Atomic(0)

    let option: Option
    let text: String
    let order: Int

    init(_ option: Option, _ text: String) {
        self.option = option
        self.text = text
        self.order = Self.count.add(1, ordering: .relaxed).newValue
    }

    /// The part that the argument stands for.
    func part(_ standardInput: inout StandardInput) throws -> BodyPart {
        let argument =
            switch self.option {
            case .form: try FormArgument(parsing: self.text)
            case .formString: try FormArgument(literal: self.text)
            }
        var filename = argument.filename
        let source: BodySource
        switch argument.content {
        case .text(let text): source = .text(text)
        case .file("-"):
            source = try standardInput.take(length: argument.length)
            if argument.isUpload, filename == nil { filename = "-" }
        case .file(let path):
            source = .file(FilePath(path))
            if argument.isUpload, filename == nil { filename = FilePath(path).lastComponent?.string ?? path }
        }
        return BodyPart(name: argument.name, source: source, filename: filename, contentType: argument.contentType)
    }

    /// Puts the argument in front of what went wrong with it.
    func explaining<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch var error as FormworkError {
            error.part = nil
            error.message = "\(self.option.rawValue) \(ShellQuote.quote(self.text)): \(error.path.map { "\($0) " } ?? "")"
                + error.message
            error.path = nil
            throw error
        }
    }
}

/// Standard input, which can be one part's content.
struct StandardInput {
    let spool: Bool
    private var isTaken = false

    init(spool: Bool) { self.spool = spool }

    mutating func take(length: Int64?) throws -> BodySource {
        guard !self.isTaken else {
            throw FormworkError(.invalidArgument, "standard input is another part's content already")
        }
        self.isTaken = true
        guard self.spool else { return .descriptor(.standardInput, length: length) }
        let spool = try Spool(collecting: .standardInput)
        if let length, length != spool.count {
            throw FormworkError(
                .lengthMismatch, "standard input has \(spool.count) bytes, not the declared length of \(length)")
        }
        return spool.source
    }
}

/// Words as a shell reads them.
enum ShellQuote {
    static func quote(_ word: String) -> String {
        let isPlain = !word.isEmpty && word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x80...: true
            case UInt8(ascii: "="), UInt8(ascii: "@"), UInt8(ascii: "."), UInt8(ascii: "/"), UInt8(ascii: "-"),
                UInt8(ascii: "_"), UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "+"):
                true
            default: false
            }
        }
        return isPlain ? word : "'" + word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}
