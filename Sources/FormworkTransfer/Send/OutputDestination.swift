import FormworkClient
import FormworkCommand
import FormworkSystem

/// Checks, before a transfer, a file that is written after it: nothing is sent if its result can't be stored.
enum OutputDestination {
    /// Throws if the answer can't be written there, as far as that is known without changing an existing file.
    static func checkAnswer(_ path: String) throws {
        try ResponseOutput.writing(to: path) {
            if let status = try? SystemCalls.status(of: FilePath(path)) {
                // A FIFO isn't opened: that would wait for a reader.
                guard status.kind == .regular || status.kind == .directory else { return }
                try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec).close()
            } else if self.kind(path) == nil {
                try self.tryFile(beside: FilePath(path))
            }
        }
    }

    /// Throws if the state of an upload can't be written there.
    /// - Parameter option: The option's name, for errors.
    static func checkState(_ path: String, option: String) throws {
        let shown = "\(option) \(ShellQuote.quote(path))"
        switch self.kind(path) {
        case .directory?: throw ExitStatus(23, "\(shown): is a folder: name a file in it")
        case nil, .regular?, .symbolicLink?: break
        default: throw ExitStatus(23, "\(shown): is a device, FIFO or socket: name a file")
        }
        do { try self.tryFile(beside: FilePath(path)) } catch {
            let reason = Errno(of: error).map { " (\($0))" } ?? ""
            throw ExitStatus(23, "\(shown): the upload's state can't be written\(reason)")
        }
    }

    /// The file's type, without following a link; `nil` if nothing exists there.
    private static func kind(_ path: String) -> FileType? { (try? SystemCalls.linkStatus(of: FilePath(path)))?.kind }

    /// Creates a file in the same folder and removes it. This is more reliable than asking for permissions.
    private static func tryFile(beside path: FilePath) throws {
        let name = ".formwork-\(UInt64.random(in: 0...UInt64.max))"
        let folder = path.removingLastComponent()
        let place = folder.isEmpty ? FilePath(name) : folder.appending(name)
        try AtomicFile.writePrivate([], to: place)
        AtomicFile.remove(place)
    }
}
