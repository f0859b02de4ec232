import ArgumentParser
import Formwork
import FormworkMagic
import FormworkSystem
import FormworkURLEncoded

struct TypeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "type",
        abstract: "Print the media type of files, how it was found, and why.",
        usage: "formwork type [options] FILE ...",
        discussion: """
            EXAMPLES
              formwork type *.jpg
              formwork type --from content --charset notes.txt
              tar c . | formwork type - --json

            Each line has the type, how it was found (extension, content, or none), the reason, and the file, with TABs \
            between them. 'auto' uses name and content together: a name can be wrong, and content can be ambiguous.
            """)

    @Argument(help: "The files; '-' is standard input.", completion: .file())
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "How to find types: auto (name and content), extension, or content.", valueName: "auto|extension|content"))
    var from: TypeOption = .auto

    @Flag(help: "Add the charset of text.")
    var charset = false

    @Flag(help: "Print one JSON object.")
    var json = false

    func validate() throws {
        for file in self.files { try GivenPath.check(["the input": file]) }
        guard self.files.filter({ $0 == "-" }).count <= 1 else {
            throw ValidationError("-: is given twice, and standard input can be read only once: leave one out")
        }
    }

    /// What is known of a file: its type, how it was found, and why.
    private static func choice(for file: String, _ types: MediaTypeDetection) throws(FormworkError) -> MediaTypeChoice {
        guard file != "-" else { return try types.choice(of: .descriptor(.standardInput), filename: nil) }
        let source = BodySource.file(try FilePath(ofFile: file))
        guard (try? SystemCalls.status(of: FilePath(file)))?.kind == .fifo else {
            return try types.choice(of: source, filename: file)
        }
        // Nothing else reads it, so its first bytes can be consumed, as those of standard input are.
        let fifo: FileDescriptor
        do throws(Errno) { fifo = try SystemCalls.open(FilePath(file), .readOnly) } catch {
            throw FormworkError(.sourceUnavailable, "can't be read", path: file, cause: error)
        }
        defer { try? SystemCalls.close(fifo) }
        return try types.choice(of: .descriptor(fifo), filename: file)
    }

    func run() throws {
        let types = self.from.detection(charset: self.charset)
        let width = self.json ? nil : Terminal.columns(of: .standardOutput)
        var table = TextTable(["type", "found by", "why", "file"], dropping: [2, 1])
        var answers: [ParameterValue] = []
        var failure: FormworkError?
        for file in self.files {
            var found: MediaTypeChoice?
            var reason: FormworkError?
            do throws(FormworkError) { found = try Self.choice(for: file, types) } catch {
                // The other files are still answered.
                StandardError.write("formwork: \(error)\n")
                (reason, failure) = (error, error)
            }
            answers.append(
                .members([
                    ("file", .text(file)), ("type", .optional(found.map { $0.mediaType ?? "" })),
                    ("detector", .optional(found?.detector.rawValue)), ("reason", .optional(found?.reason)),
                    ("error", .optional(reason.map { "\($0)" })),
                ]))
            guard let found, !self.json else { continue }
            let cells = [found.mediaType ?? "", found.detector.rawValue, found.reason, file]
            table.append(cells)
            guard width == nil else { continue }
            try StandardOutput.write(cells.map(\.withControlCharactersEscaped).joined(separator: "\t") + "\n")
        }
        let status = failure.map { ExitStatus($0) }
        if self.json {
            try JSONOutput.write([("files", .array(answers))], failure: status)
        } else if let width, !answers.isEmpty {
            try StandardOutput.write(table.text(width: width))
        }
        MagicWarning.write()
        if let status { throw ExitStatus(status.code) }
    }
}
