#if Command
import FormworkCommand
import FormworkSystem
import SystemPackage

/// The executable with `send`, `receive` and `link`.
///
/// Its libraries take longer to load than most forms take to be composed, so the other verbs don't link them.
enum TransferExecutable {
    private static let name = "formwork-transfer"

    /// Replaces this process by it if the arguments name one of its verbs; otherwise returns.
    static func takeOver(_ arguments: [String]) throws(ExitStatus) {
        let isPrefixed = ["help", "--help", "-h", "---completion"].contains(arguments.first)
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
        throw ExitStatus(
            127,
            "formwork: '\(verb)' needs \(self.name), which isn't in \(places): 'scripts/install' puts it there")
    }
}
#endif
