import Formwork

/// Writes parts as files of a folder.
final class FolderSink: PartSink {
    /// Below the 255 bytes of a file system, to leave room for the number that is added to a duplicate name.
    private static let nameBytes = 240

    private let folder: StagedFiles
    /// The name of the only file; `nil` for the parts' own names.
    private let onlyName: SafeFilename?
    private var written = 0
    private(set) var selector: PartSelector
    private var file: AtomicFile?
    private var count = 0

    /// Throws for a name that can't be written.
    private let checkName: (String) throws -> Void

    init(
        _ folder: StagedFiles, _ selector: PartSelector, name: SafeFilename? = nil,
        checking checkName: @escaping (String) throws -> Void
    ) {
        (self.folder, self.selector, self.onlyName, self.checkName) = (folder, selector, name, checkName)
    }

    /// Checks that a file of its own was written once.
    func check() throws {
        guard let name = self.onlyName, self.written != 1 else { return }
        let count = self.written == 0 ? "no part is" : "\(self.written, "part") are"
        throw ExitStatus(
            2,
            "--to \(ShellQuote.quote(name.text)): names one file, but \(count) selected: choose one with --part, "
                + "or name a folder, as in --to \(ShellQuote.quote(name.text))/")
    }

    func begin(_ header: ReceivedHeader, at offset: Int64) throws {
        self.count += 1
        guard self.selector.takes(header) else { return }
        self.written += 1
        guard let onlyName else {
            let name = self.name(for: header)
            try self.checkName(name.text)
            self.file = try self.folder.makeFile(name)
            return
        }
        if self.written == 1 { self.file = try self.folder.makeFile(onlyName) }
    }

    func take(_ bytes: [UInt8], _ range: Range<Int>) throws { try self.file?.write(bytes[range]) }

    func end() throws {
        try self.file?.finish(durably: false)
        self.file = nil
    }

    /// The filename of a file, the name of a field, or `part-N` if that isn't usable as a filename.
    private func name(for header: ReceivedHeader) -> SafeFilename {
        let wanted = header.isFile ? header.filename : header.name
        // Letters, digits and a dash are safe.
        return wanted.flatMap { SafeFilename($0, limit: Self.nameBytes) } ?? SafeFilename("part-\(self.count)")!
    }
}
