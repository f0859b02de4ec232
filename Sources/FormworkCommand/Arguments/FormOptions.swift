import ArgumentParser
import Formwork
import FormworkMagic

/// The parts of a form. ``PartArgument`` takes all of these but `-H` before ArgumentParser sees them.
package struct PartOptions: ParsableArguments {
    @Option(
        name: [.customShort("F"), .long],
        help: ArgumentHelp("A part: name=value, name=@file or name=<file.", valueName: "name=content"),
        completion: FileWord.completion)
    var form: [String] = []

    // In the topic, beside -F.
    @Option(help: ArgumentHelp(visibility: .hidden))
    var formString: [String] = []

    @Option(
        help: ArgumentHelp("A file for each path in a list, or in '-'.", valueName: "name=list"),
        completion: FileWord.completion)
    var filesFrom: [String] = []

    // Lists with NULs are recognized, so this is only for hands that are used to it.
    @Flag(name: .customShort("0"), help: .hidden) var isNullSeparated = false

    @Option(
        name: [.customShort("H"), .long],
        help: ArgumentHelp("A header, or @FILE with one on each line.", valueName: "name: value"),
        completion: FileWord.completion)
    var header: [String] = []

    package init() {}
}

/// Whose types and bytes a form has.
package struct ComposingOptions: ParsableArguments {
    @Option(
        value: "auto|extension|content",
        "How to find the type of a file without ;type=: auto (name and content), extension, or content.")
    var typeFrom: TypeOption?

    @Option(
        value: "curl",
        "'curl' produces exactly curl's bytes, including its quirks, if arguments and names of files are UTF-8.")
    var compat: CompatOption?

    package init() {}
}

/// How a form is made, shared by all verbs.
package struct FormOptions: ParsableArguments {
    @Flag(
        help: """
            -F name=@folder sends each file below the folder. Its name is relative, such as folder/sub/a.txt. \
            Links to files are followed, those to folders aren't.
            """)
    var recursive = false

    // curl's name of --escape backslash.
    @Flag(help: .hidden) var formEscape = false

    @Option(
        help: "Use this boundary, not a random one. If content contains it, send and curl fail; body does with --check."
    )
    var boundary: String?

    @Option(
        value: "whatwg|backslash|refuse",
        "How names are escaped: whatwg (as browsers and curl, the default), backslash (curl's --form-escape), or refuse."
    )
    var escape: EscapeOption?

    @Flag(
        help: """
            Give the body a length and make it repeatable: store standard input and FIFOs in an unlinked temporary file first, \
            and read content with ;encoder=quoted-printable beforehand.
            """)
    package var spool = false

    @Flag(
        help: ArgumentHelp(
            "Copy every file before sending, so that later writes to the files don't matter.",
            discussion: """
                A copy takes no space on file systems that share content (Btrfs, XFS), and is in $TMPDIR otherwise. \
                Without --snapshot, a file that changes is an error, except for changes that leave no trace.
                """))
    var snapshot = false

    @Option(
        .customLong("from"), file: "Read the form from a description that 'plan --save' wrote; '-' is standard input.")
    var description: String?

    package init() {}

    package func validate() throws {
        try GivenPath.check(["--from": self.description])
        guard !GivenHeaders.ofThisProcess.contains(where: { $0.isContentType && $0.value.isEmpty }) else {
            throw ValidationError(
                "-H 'Content-Type:': a body is always sent with its type: leave out this header, or give another type, "
                    + "such as application/octet-stream")
        }
    }

    /// The `Content-Type` fields of `-H`. Blanks at the end stay, as in curl.
    private var givenTypes: [String] {
        GivenHeaders.ofThisProcess.filter(\.isContentType).map { header in
            String(Substring(header.text.utf8.dropFirst(header.name.utf8.count + 1).drop(while: \.isBlank)))
        }
    }

    /// The `Content-Type` of `-H`, if there is one.
    /// - Parameter isCurl: Whether there may be several, as in curl.
    private func givenType(isCurl: Bool = false) throws -> String? {
        try ExitStatus.refuse(
            if: !isCurl && self.givenTypes.count > 1,
            "-H 'Content-Type: …': it can be given only once: leave one of them out")
        return self.givenTypes.first
    }

    /// Whether a form is described.
    package var isGiven: Bool { !PartArgument.ofThisProcess.isEmpty || self.description != nil }

    /// A part that is only a URL or another word, as errors show it; `nil` if each has a name.
    package static var partWithoutName: String? {
        PartArgument.ofThisProcess.map(\.text).first { !$0.contains("=") || $0.hasPrefix("http") && $0.contains("://") }
            .map { ShellQuote.quote(SecretText.masked(url: $0)) }
    }

    /// The `Content-Type` of a body that isn't a form: that of `-H`, otherwise the file's.
    /// - Parameters:
    ///   - file: `nil` for content without a name.
    ///   - usual: The type of such content.
    package func contentType(of file: String?, otherwise usual: String = "application/octet-stream") throws -> String {
        if let given = try self.givenType() { return given }
        guard let file else { return usual }
        var form = FormData()
        form.types = .auto
        form.append(name: "file", file: FilePath(file))
        return try Self.plan(form).outerParts?.first?.part.header.contentType ?? usual
    }

    /// The headers other than `Content-Type`.
    package var otherHeaders: [GivenHeader] { GivenHeaders.ofThisProcess.filter { !$0.isContentType } }

    /// The form's plan.
    /// - Parameters:
    ///   - composing: The verb's options for types and bytes; `nil` if it has none.
    ///   - passesHeaders: Whether the verb sends other headers.
    ///   - leading: How many parts `arrange` inserts at the front.
    ///   - arrange: Changes the form before it is planned.
    package func makePlan(
        _ composing: ComposingOptions? = nil, passesHeaders: Bool = false, leading: Int = 0,
        arrange: (FormData) throws -> FormData = { $0 }
    ) throws -> BodyPlan {
        let arguments = PartArgument.ofThisProcess
        let isCurl = composing?.compat != nil
        if let other = self.otherHeaders.first, !passesHeaders, !isCurl {
            throw other.refused("is a header of the request, not of the body: leave it out")
        }
        if let description = self.description {
            try ExitStatus.refuse(
                if: !arguments.isEmpty, "--from reads the whole form: leave out \(arguments[0].option.rawValue)")
            try self.refuseDescribed(composing)
            return try self.plan(arrange(JSONText.decode(PlanDescription.self, from: description, of: "--from").form))
        }
        try ExitStatus.refuse(
            if: arguments.isEmpty, "the form has no parts: give at least one -F name=value or -F name=@file")
        var form = try self.emptyForm(composing)
        defer {
            form.warnings.forEach(Messages.warn)
            MagicWarning.write()
        }
        let expansion = FileExpansion(isRecursive: self.recursive, isCurl: isCurl)
        // The number of each part's argument: a pattern makes several parts.
        var numbers: [Int] = []
        var notes: [String] = []
        for (number, argument) in arguments.enumerated() {
            let before = form.argumentCount
            try argument.add(to: &form, expansion, &notes)
            numbers += Array(repeating: number, count: form.argumentCount - before)
        }
        do {
            let plan = try self.plan(arrange(form.formData()))
            notes.forEach(Messages.warn)
            return plan
        } catch let error as FormworkError {
            guard var part = error.part else { throw error }
            if part.enclosing.isEmpty { part.index -= leading } else { part.enclosing[0] -= leading }
            guard part.index >= 0, let index = form.argument(of: part) else { throw error }
            throw arguments[numbers[index]].explain(error)
        }
    }

    /// Refuses options whose effect the description of `--from` has already.
    private func refuseDescribed(_ composing: ComposingOptions?) throws {
        let options: KeyValuePairs = [
            "--boundary": self.boundary != nil, "-H 'Content-Type: …'": !self.givenTypes.isEmpty,
            "--form-escape": self.formEscape, "--escape": self.escape != nil,
            "--type-from": composing?.typeFrom != nil, "--compat": composing?.compat != nil,
            "--recursive": self.recursive,
        ]
        for (option, isGiven) in options where isGiven {
            throw ExitStatus(2, "--from reads the whole form: leave out \(option)")
        }
    }

    private func plan(_ form: FormData) throws(FormworkError) -> BodyPlan {
        var form = form
        if self.snapshot { try form.snapshotFiles() }
        return try Self.plan(form)
    }

    private static func plan(_ form: FormData) throws(FormworkError) -> BodyPlan {
        // The types of all files are known then.
        defer { LibMagic.shared.closeIdle() }
        return try form.plan()
    }

    private func emptyForm(_ composing: ComposingOptions?) throws -> CurlForm {
        let (isCurl, typeFrom) = (composing?.compat != nil, composing?.typeFrom)
        try ExitStatus.refuse(
            if: isCurl && typeFrom != nil, "--type-from: --compat curl uses curl's types: give only one of the two")
        if self.formEscape, let escape, escape != .backslash {
            throw ExitStatus(2, "--form-escape and --escape \(escape) contradict each other: leave one out")
        }
        let type = try self.givenType(isCurl: isCurl)
        let named = try self.boundary.map(Boundary.init)
        // curl sends both.
        if !isCurl, let named, let type, let other = Boundary(of: type), other != named {
            throw ExitStatus(2, "--boundary and -H 'Content-Type: …' both give the boundary: leave one out")
        }
        var form = CurlForm(grammar: isCurl ? .curl : .strict)
        form.escapesWithBackslash = self.formEscape
        form.escaping = self.escape.flatMap { ParameterEscaping(rawValue: $0.rawValue) } ?? .whatwg
        form.contentType = type
        form.boundary = named
        form.measuresQuotedPrintable = self.spool
        form.spoolsPipes = self.spool
        form.types = isCurl ? nil : typeFrom?.detection() ?? .auto
        return form
    }
}

extension GivenHeader {
    fileprivate var isContentType: Bool { self.sign != nil && self.isNamed("content-type") }
}

/// The names of the escaping rules that the command offers.
enum EscapeOption: String, ChoiceOption { case whatwg, backslash, refuse }

/// The program whose bytes to produce.
enum CompatOption: String, ChoiceOption { case curl }

extension FormOptions {
    /// The files that a plan reads, and the description that it was made from.
    package func inputs(of plan: BodyPlan) -> [String] {
        let sources = plan.layout.compactMap { entry in
            switch entry.kind {
            case .file(let path, _): path
            // A stream's name may be a path, too.
            case .stream(let name): name
            default: nil
            }
        }
        return sources + [self.description].compactMap(\.self)
    }
}

extension FormOptions {
    /// Checks that no content contains the boundary, if it isn't a random one of this process.
    ///
    /// A body that can be read twice is checked before anything is sent.
    /// - Parameter isResumed: Whether the body may be sent from an offset other than 0. Then it can't be checked while
    ///   it is sent.
    /// - Returns: Whether the body must be checked while it is sent.
    /// - Throws: `framingBroken` with the part, and `ExitStatus` for a body that can't be checked at all.
    package func checksWhileSending(_ plan: BodyPlan, isResumed: Bool) throws -> Bool {
        // A saved plan has the boundary that its writer gave or that was random. Reading files twice for it would be slow.
        if self.description != nil, !isResumed { return true }
        guard self.description != nil || self.choosesBoundary else { return false }
        guard plan.isReplayable else {
            let reason = plan.replayBlocker.map { " (\($0))" } ?? ""
            try ExitStatus.refuse(
                if: isResumed,
                "--boundary: a body that is resumed can't be checked for it, as it can be read only once\(reason): leave out "
                    + "--boundary, or add --spool")
            return true
        }
        let reader = try plan.makeReader(options: ReaderOptions(checksFraming: true))
        do {
            while try !reader.read(upTo: 256 << 10).isEmpty {}
        } catch {
            var status = ExitStatus(error)
            if error.code == .framingBroken {
                status.message? += "; a random boundary, without --boundary, occurs in no content"
            }
            throw status
        }
        return false
    }

    /// Refuses a given boundary where curl makes the body: no argument of curl's sets it.
    func refuseBoundary(for option: String) throws {
        let given = self.boundary == nil ? "the boundary of -H 'Content-Type: …'" : "--boundary"
        try ExitStatus.refuse(
            if: self.choosesBoundary, "\(option): curl chooses its boundary itself: leave out \(given)")
    }

    /// Whether `--boundary` or `-H` gives the boundary.
    package var choosesBoundary: Bool {
        self.boundary != nil || self.givenTypes.first.flatMap(Boundary.init(of:)) != nil
    }
}

extension Boundary {
    /// The boundary that a `Content-Type` names; `nil` if it names none.
    init?(of contentType: String) {
        let random = Boundary.random()
        guard let framing = try? MultipartFraming(contentType: contentType, boundary: random),
            framing.boundary != random
        else { return nil }
        self = framing.boundary
    }
}
