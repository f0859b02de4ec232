import ArgumentParser
import Formwork
import FormworkSystem
import Synchronization

struct ExtractCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "extract",
        abstract: "Write the parts of a multipart body to files, or one of them to standard output.",
        usage: "formwork extract [options] [FILE]",
        discussion: """
            EXAMPLES
              formwork extract body.bin --to parts
              formwork extract request.http --part photo --to photo.jpg
              curl -s https://example.com/log | formwork extract --part '#2' | sha256sum

            The input is the same as for 'formwork inspect'. --to names a folder, or, if it has an extension and isn't a \
            folder, a file for one part. In a folder a part is stored under its filename, \
            otherwise its name, otherwise 'part-N'. Folders and characters with a special meaning are removed from it, \
            and a second part of the same name becomes 'name-2.ext'. The files appear after the whole body was read: \
            a malformed or cut body leaves no files. No file is replaced without --overwrite, and no link in the \
            folder is followed.

            The paths of the files are printed, one per line. With --part and without --to, the part's content goes to \
            standard output as it is read, so it is complete only if the exit status is 0.
            """)

    @OptionGroup(title: "Parsing") var options: ParsingOptions

    @Option(
        file: "The folder for the files, or a file such as a.jpg for one part. A folder is created if only its last "
            + "component is missing.", kind: "dir|file")
    var to: String?

    @Option(value: "name|#n", "Extract one part: its name, or '#' and its number from 1.")
    var part: String?

    @Flag(help: "Replace existing files.")
    var overwrite = false

    @Option(help: "Extract only files (parts with a filename), or only fields (parts without).")
    var only: PartSelector.Kind?

    func validate() throws { try GivenPath.check(["--to": self.to]) }

    func run() throws {
        try ExitStatus.refuse(
            if: self.to == nil && self.part == nil, "no destination: give --to DIR, or --part NAME for standard output")
        try ExitStatus.refuse(
            if: self.to == "-" && self.part == nil, "--to -: standard output has room for one part: add --part NAME")
        let to = self.to == "-" ? nil : self.to
        try ExitStatus.refuse(
            if: self.part != nil && self.only != nil, "--part and --only exclude each other: give one of them")
        var walk = try self.options.open()
        let device = try to.flatMap(self.device)
        defer { if let device { try? device.close() } }
        let file = device == nil ? to.flatMap(Self.file) : nil
        if file != nil { try SeparateOutput.check("--to", to, inputs: self.options.inputs) }
        let selector = PartSelector(self.part, self.only, isSingle: to == nil || device != nil)
        if let file {
            try self.write(&walk, to: file.folder, as: file.name, selector)
        } else if let to, device == nil {
            try self.write(&walk, to: FilePath(to), as: nil, selector)
        } else {
            var sink = OutputSink(selector, device ?? .standardOutput)
            let notes = try walk.run(&sink)
            try sink.selector.check()
            notes.forEach(Messages.warn)
        }
    }

    /// The opened device or FIFO, if `--to` names one, such as `/dev/null`.
    private func device(_ path: String) throws -> FileDescriptor? {
        switch (try? SystemCalls.status(of: FilePath(path)))?.kind {
        case nil, .regular?, .directory?: return nil
        default: break
        }
        try ExitStatus.refuse(
            if: self.part == nil, "--to \(ShellQuote.quote(path)): a device or FIFO has room for one part: give --part")
        do { return try FileDescriptor.open(FilePath(path), .writeOnly, options: .closeOnExec) } catch {
            throw FormworkError(.writeFailed, "can't be written", path: path, cause: error)
        }
    }

    /// The folder and the name, if `--to` names a file: it has an extension, or is an existing file.
    private static func file(_ text: String) -> (folder: FilePath, name: SafeFilename)? {
        let path = FilePath(text)
        let kind = (try? SystemCalls.status(of: path))?.kind
        guard !text.hasSuffix("/"), kind == .regular || kind == nil && path.extension != nil,
            let last = path.lastComponent?.string, let name = SafeFilename(last), name.text == last
        else { return nil }
        let folder = path.removingLastComponent()
        return (folder.isEmpty ? "." : folder, name)
    }

    /// - Parameter name: The name of the only file; `nil` for the parts' own names.
    private func write(
        _ walk: inout PartWalk, to path: FilePath, as name: SafeFilename?, _ selector: PartSelector
    ) throws {
        // The signal waits while the folder is made.
        let staged = Mutex<StagedFiles?>(nil)
        let interruption = Interruption { _ in staged.withLock { $0 }?.discard() }
        defer { withExtendedLifetime(interruption) {} }
        let replacing = self.overwrite
        let folder = try staged.withLock { staged throws(FormworkError) in
            let folder = try StagedFiles(in: path, replacing: replacing)
            staged = folder
            return folder
        }
        let notes: [String]
        let names: [String]
        do {
            var sink = FolderSink(folder, selector, name: name) { [options, overwrite] name in
                guard overwrite else { return }
                try SeparateOutput.check("--to", path.appending(name).string, inputs: options.inputs)
            }
            notes = try walk.run(&sink)
            try sink.selector.check()
            try sink.check()
            names = try folder.publish()
        } catch {
            // The process exits without running any deinit.
            folder.discard()
            if let error = error as? FormworkError, error.cause as? Errno == .fileExists {
                throw ExitStatus(23, "\(error.path ?? ""): already exists: --overwrite replaces it")
            }
            throw error
        }
        let output = OutputBuffer()
        // Inside "./" a path is shown as it was given.
        let shown = path == "." ? FilePath() : path
        for name in names { try output.write(shown.appending(name).string.withControlCharactersEscaped + "\n") }
        try output.flush()
        notes.forEach(Messages.warn)
    }
}
