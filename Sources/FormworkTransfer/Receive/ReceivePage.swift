#if Transfer
import ArgumentParser
import Formwork
import FormworkReceiver

/// What the page of `receive` says.
struct ReceivePage: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The heading of the upload page, in place of \"Send files\".", valueName: "text"))
    var title: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "A text below the heading, one paragraph for each line. Plain text: markup is shown as it is written.",
            valueName: "text"))
    var message: String?

    func validate() throws {
        for (name, text) in [("--title", self.title), ("--message", self.message)] {
            guard let text else { continue }
            guard text.contains(where: { !$0.isWhitespace }) else {
                throw ValidationError("\(name): the text is empty")
            }
            guard text.utf8.count <= Self.maximumBytes else {
                throw ValidationError("\(name): give at most \(Self.maximumBytes, "byte")")
            }
        }
    }

    private static let maximumBytes = 10_000

    var settings: PageSettings { PageSettings(title: self.title, message: self.message) }
}
#endif
