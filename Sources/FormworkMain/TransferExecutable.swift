#if Command
import FormworkCommand
import Glibc
import SystemPackage

// Unsafe code in this file: replacing the process by another program, with the same arguments.

/// The executable with `send` and `receive`.
///
/// Its libraries take longer to load than most forms take to be composed, so the other verbs don't link them.
enum TransferExecutable {
    private static let name = "formwork-transfer"

    /// Replaces this process by it if the arguments name one of its verbs; otherwise returns.
    static func takeOver(_ arguments: [String]) throws(ExitStatus) {
        let isPrefixed = ["help", "---completion"].contains(arguments.first)
        let words = isPrefixed ? arguments.dropFirst() : arguments[...]
        guard let verb = words.first, ["send", "receive", "completion"].contains(verb) else { return }
        var folders: [FilePath] = []
        if let here = self.executable, here.lastComponent?.string != self.name {
            let folder = here.removingLastComponent()
            folders = [folder, folder.appending("../libexec/formwork")]
        }
        for folder in folders {
            // SAFETY: the path is a C string during the call, and argv's C strings live as long as the process.
            _ = unsafe folder.appending(self.name).withPlatformString { unsafe execv($0, CommandLine.unsafeArgv) }
        }
        // Without the other executable this one completes the rest.
        guard verb != "completion" else { return }
        let places = folders.map { "\($0.lexicallyNormalized())" }.joined(separator: " or ")
        throw ExitStatus(
            127,
            "formwork: '\(verb)' needs \(self.name), which isn't in \(places): 'scripts/install' puts it there")
    }

    private static var executable: FilePath? {
        var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
        // SAFETY: the call writes at most as many bytes as the count that is passed.
        let count = unsafe readlink("/proc/self/exe", &buffer, buffer.count)
        guard count > 0 else { return nil }
        let bytes = buffer[..<count].map { UInt8(bitPattern: $0) }
        return FilePath(String(decoding: bytes, as: UTF8.self))
    }
}
#endif
