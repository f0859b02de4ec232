#if Command
import ArgumentParser
import Formwork
import FormworkMagic
import FormworkFiles
import SystemPackage

struct TypeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "type",
        abstract: "Print the media type of files, how it was found, and why.",
        discussion: """
            EXAMPLES
              formwork type *.jpg
              formwork type --from content --charset notes.txt
              tar c . | formwork type - --json

            Each line has the type, how it was found (extension, content, or none), the reason, and the file, with TABs
            between them. 'auto' uses name and content together: a name can be wrong, and content can be ambiguous.
            """)

    @Argument(help: "The files; '-' is standard input.")
    var files: [String]

    @Option(
        help: ArgumentHelp(
            "How to find types: auto (name and content), extension, or content.", valueName: "auto|extension|content"))
    var from: TypeOption = .auto

    @Flag(help: "Add the charset of text.")
    var charset = false

    @Flag(help: "Print a JSON array of objects.")
    var json = false

    private struct Answer: Encodable {
        var file: String
        var type: String
        var detector: MediaTypeChoice.Detector
        var reason: String

        var line: String {
            "\(self.type)\t\(self.detector.rawValue)\t\(self.reason)\t\(self.file.withControlCharactersEscaped)\n"
        }
    }

    private static func answer(for file: String, _ types: MediaTypeDetection) throws(FormworkError) -> Answer {
        let isInput = file == "-"
        let source: BodySource = isInput ? .descriptor(.standardInput) : .file(FilePath(file))
        let choice = try types.choice(of: source, filename: isInput ? nil : file)
        return Answer(file: file, type: choice.mediaType ?? "", detector: choice.detector, reason: choice.reason)
    }

    func run() throws {
        let types = self.from.detection(charset: self.charset)
        var answers: [Answer] = []
        var failure: FormworkError?
        for file in self.files {
            do throws(FormworkError) {
                answers.append(try Self.answer(for: file, types))
            } catch {
                // The other files are still answered.
                let line = "formwork: \(error)\n"
                StandardError.write(line)
                failure = error
                continue
            }
            if !self.json, let answer = answers.last { try StandardOutput.write(answer.line) }
        }
        if self.json { try StandardOutput.write(JSONText.encode(answers)) }
        MagicWarning.write()
        if let failure { throw ExitStatus(ExitStatus(failure).code) }
    }
}
#endif
