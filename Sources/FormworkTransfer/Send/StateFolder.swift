#if Transfer
import Formwork
import FormworkCommand
import FormworkFiles
import FormworkHTTP
import FormworkResumable
import FormworkSystem
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The folder of `--state-dir`: a saved upload for each URL and form.
struct StateFolder {
    private let folder: FilePath

    init(_ folder: FilePath) { self.folder = folder }

    /// Creates it, for this user only, if only its last component is missing.
    func create() throws {
        do throws(Errno) { try SystemCalls.makePrivateFolder(self.folder) } catch {
            let shown = ShellQuote.quote(self.folder.string).withControlCharactersEscaped
            throw ExitStatus(23, "formwork: --state-dir \(shown): the folder can't be created (\(error))")
        }
    }

    /// - Parameter key: The upload's key.
    func path(for key: String) -> FilePath { self.folder.appending("\(key.prefix(32)).json") }

    /// Removes the states of uploads that the servers have removed, too, and the locks of processes that were killed.
    func removeExpired(except own: FilePath) {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: self.folder.string)) ?? []
        for name in names where name.hasSuffix(".json") {
            let path = self.folder.appending(name)
            guard path != own, let state = try? ResumableState(file: path), state.isExpired() else { continue }
            // The lock is taken by the process that uses the state.
            guard let lock = try? FileLock(FilePath("\(path).lock")) else { continue }
            ResumableState.remove(path)
            withExtendedLifetime(lock) {}
        }
        for name in names where name.hasSuffix(".json.lock") && name != "\(own.lastComponent?.string ?? "").lock" {
            // A lock that can be taken belongs to no process. It is removed when it is released.
            _ = try? FileLock(self.folder.appending(name))
        }
    }
}
#endif
