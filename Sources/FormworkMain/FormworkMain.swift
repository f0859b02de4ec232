import ArgumentParser
import FormworkCommand
import FormworkSystem
import SystemPackage

/// `formwork`: every verb but those that need a network, which ``TransferExecutable`` has.
@main
struct FormworkMain: ParsableCommand {
    static let configuration = FormworkVerbs.configuration(
        send: SendEntry.self, receive: ReceiveEntry.self, link: LinkEntry.self)

    static let _errorPrefix = "formwork: "

    static func main() { FormworkVerbs.run(Self.self, beforehand: TransferExecutable.takeOver) }
}

/// An entry in the list of verbs.
struct SendEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "send", abstract: FormworkVerbs.send)
}

/// An entry in the list of verbs.
struct ReceiveEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "receive", abstract: FormworkVerbs.receive)
}

/// An entry in the list of verbs.
struct LinkEntry: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "link", abstract: FormworkVerbs.link)
}

/// The executable with `send`, `receive` and `link`.
///
/// Its libraries take longer to load than most forms take to be composed, so the other verbs don't link them.
enum TransferExecutable {
    private static let name = "formwork-transfer"

    /// Replaces this process by it if the arguments name one of its verbs; otherwise returns.
    static func takeOver(_ arguments: [String]) throws(ExitStatus) {
        let isPrefixed = ["help", "---completion"].contains(arguments.first)
        let words = isPrefixed ? arguments.dropFirst() : arguments[...]
        guard let verb = words.first, ["send", "receive", "link", "completion"].contains(verb) else { return }
        var folders: [FilePath] = []
        if let here = ThisProcess.executable, here.lastComponent?.string != self.name {
            let folder = here.removingLastComponent()
            folders = [folder, folder.appending("../libexec/formwork")]
        }
        for folder in folders {
            ThisProcess.replace(by: folder.appending(self.name))
        }
        // Without the other executable this one completes the rest.
        guard verb != "completion" else { return }
        let places = folders.map { "\($0.lexicallyNormalized())" }.joined(separator: " or ")
        throw ExitStatus(127, "'\(verb)' needs \(self.name), which isn't in \(places): 'scripts/install' puts it there")
    }
}
