import FormworkSystem
import Synchronization

/// A file that is written: it appears, or replaces another one, only when it is complete.
///
/// A file that may be replaced is found as a shell finds it: links are followed, and the new file has the old one's
/// permissions and, if the system allows that, its owner and group. Devices, FIFOs and open descriptors such as /dev/stdout
/// are written at once.
package final class AtomicFile: Sendable {
    private enum State: Sendable {
        /// Invisible until it is published; with a temporary name where the file system has no files without one.
        case pending(FilePath?)
        /// Written at once.
        case direct
        case closed
    }

    /// The caller's path.
    private let path: FilePath
    /// Where its links lead.
    private let target: FilePath
    private let replacing: Bool
    /// The file to replace; `nil` if there is none, or if it doesn't matter.
    private let replaced: FileStatus?
    /// Where to write, before ``publish(durably:)``.
    let descriptor: FileDescriptor
    private let state: Mutex<State>

    private init(
        _ path: FilePath, at target: FilePath, replacing: Bool, over replaced: FileStatus? = nil,
        _ open: (descriptor: FileDescriptor, state: State)
    ) {
        (self.path, self.target, self.replacing, self.replaced) = (path, target, replacing, replaced)
        self.descriptor = open.descriptor
        self.state = Mutex(open.state)
    }

    /// Opens the file; an existing one stays as it is until ``publish(durably:)``.
    /// - Parameters:
    ///   - replacing: Whether an existing file is replaced; otherwise it is an error.
    ///   - inPlace: Whether other paths below /dev and /proc are written at once, and so is an existing file in a folder in
    ///     which no new file can be created.
    ///   - plan: The body that is written to it, whose files it can't replace.
    /// - Throws: `writeFailed`; `invalidArgument` for a file of the plan.
    package convenience init(
        _ path: FilePath, replacing: Bool, inPlace: Bool = false, for plan: BodyPlan? = nil
    ) throws(FormworkError) {
        let open = try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.copyOfDescriptor(named: path) }
        if let open {
            self.init(path, at: path, replacing: replacing, (open, .direct))
            return
        }
        let isSpecial = inPlace && (path.string.hasPrefix("/dev/") || path.string.hasPrefix("/proc/"))
        let target =
            isSpecial
            ? path : try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.destination(of: path) }
        let existing = try? SystemCalls.status(of: target)
        let begun: (FileDescriptor, State)
        switch existing?.kind {
        case .fifo:
            begun = try FormworkError.writing(path) { () throws(Errno) in
                (try SystemCalls.openFIFO(target, .writeOnly), .direct)
            }
        case .directory where !inPlace:
            throw FormworkError(.writeFailed, "is a directory: name a file in it", path: path.string)
        case .regular where !isSpecial, nil where !isSpecial:
            // Before bytes are read that can't be read again.
            if !replacing, (try? SystemCalls.linkStatus(of: path)) != nil { throw Self.exists(path) }
            if let existing {
                try plan?.refuseInput(existing, at: path)
                if !inPlace { try Self.checkReplacing(target, named: path) }
            }
            do throws(FormworkError) {
                // Permissions are set before there is any content.
                begun = try Self.begin(
                    at: target, existing?.permissions.intersection(FilePermissions(rawValue: 0o777)))
            } catch {
                guard inPlace, existing != nil else { throw error }
                begun = try Self.direct(target, path, [.create, .truncate])
            }
        default: begun = try Self.direct(target, path, inPlace ? [.create, .truncate] : [])
        }
        self.init(path, at: target, replacing: replacing, over: existing, begun)
    }

    private static func direct(
        _ target: FilePath, _ path: FilePath, _ options: FileDescriptor.OpenOptions
    ) throws(FormworkError) -> (FileDescriptor, State) {
        try FormworkError.writing(path) { () throws(Errno) in
            (
                try SystemCalls.open(target, .writeOnly, options, permissions: SystemCalls.newFilePermissions),
                .direct
            )
        }
    }

    /// - Parameter permissions: `nil` for the usual ones of a new file.
    private static func begin(
        at target: FilePath, _ permissions: FilePermissions?
    ) throws(FormworkError) -> (FileDescriptor, State) {
        let folder = target.removingLastComponent()
        var temporary: FilePath?
        let descriptor: FileDescriptor
        // A file without a name disappears if the process is killed.
        if SystemCalls.namesUnnamedFiles,
            let unnamed = try? SystemCalls.openUnnamed(in: folder.isEmpty ? "." : folder)
        {
            descriptor = unnamed
        } else {
            let name = Self.temporaryName(beside: target)
            descriptor = try FormworkError.writing(target) { () throws(Errno) in
                try SystemCalls.open(
                    name, .readWrite, [.create, .exclusiveCreate], permissions: SystemCalls.newFilePermissions)
            }
            temporary = name
        }
        if let permissions { SystemCalls.setPermissions(of: descriptor, permissions) }
        return (descriptor, .pending(temporary))
    }

    /// Throws for a file that this process may not write: a rename would replace it nevertheless.
    private static func checkReplacing(_ target: FilePath, named path: FilePath) throws(FormworkError) {
        try FormworkError.writing(path) { () throws(Errno) in
            guard SystemCalls.mayWrite(target) || (try? SystemCalls.status(of: target)) == nil else {
                throw .permissionDenied
            }
        }
    }

    private static func exists(_ path: FilePath) -> FormworkError {
        FormworkError(
            .writeFailed, "already exists, and replacing it is not allowed", path: path.string, cause: Errno.fileExists)
    }

    deinit {
        switch self.state.withLock({ $0 }) {
        case .pending(let temporary): self.discard(temporary)
        case .direct: try? SystemCalls.close(self.descriptor)
        case .closed: break
        }
    }

    private func discard(_ temporary: FilePath?) {
        if let temporary { SystemCalls.unlink(temporary) }
        try? SystemCalls.close(self.descriptor)
    }

    /// Whether it isn't written at once.
    var isNew: Bool { if case .pending = self.state.withLock({ $0 }) { true } else { false } }

    /// Appends all of the bytes. A full disk or a closed FIFO is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ bytes: some BodyChunk) throws(FormworkError) {
        try bytes.write(to: self.descriptor, at: self.path)
    }

    /// Gives the complete file its name. Without this call, nothing is left of a file that was not written at once.
    /// - Throws: `writeFailed`.
    package func publish(durably: Bool = false) throws(FormworkError) {
        let state = self.state.withLock { state in
            defer { if case .pending = state { state = .closed } }
            return state
        }
        switch state {
        case .pending(let temporary): try self.place(temporary, durably: durably)
        case .direct:
            try FormworkError.writing(self.path) { () throws(Errno) in try SystemCalls.flush(self.descriptor) }
        case .closed: break
        }
    }

    private func place(_ hidden: FilePath?, durably: Bool) throws(FormworkError) {
        var temporary = hidden
        defer { self.discard(temporary) }
        try FormworkError.writing(self.target) { () throws(Errno) in
            try SystemCalls.finishWriting(self.descriptor, durably: durably)
        }
        let replaces = self.replacing
        do throws(Errno) {
            if temporary == nil {
                do throws(Errno) { return try SystemCalls.link(self.descriptor, as: self.target) } catch {
                    guard error == .fileExists, replaces else { throw error }
                }
            }
            // Only a rename replaces a file in one step, and only a named file can be renamed.
            let name = temporary ?? Self.temporaryName(beside: self.target)
            if temporary == nil { try SystemCalls.link(self.descriptor, as: name) }
            temporary = name
            guard replaces else { return try SystemCalls.link(name, as: self.target) }
            if let replaced { SystemCalls.inheritAttributes(of: replaced, to: self.descriptor) }
            try SystemCalls.rename(name, to: self.target)
            temporary = nil
        } catch {
            if error == .fileExists, !replaces { throw Self.exists(self.target) }
            throw FormworkError(.writeFailed, "can't be written", path: self.target.string, cause: error)
        }
    }

    /// At most 75 bytes, of the 255 that a name may have.
    private static func temporaryName(beside target: FilePath) -> FilePath {
        var name = (target.lastComponent?.string ?? "").unicodeScalars[...]
        while name.reduce(0, { $0 + UTF8.width($1) }) > 60 { name.removeLast() }
        return target.removingLastComponent().appending(".\(Substring(name)).\(RandomWord.make())")
    }

    /// An error in writing, with the path instead of the part, whose bytes only didn't fit.
    func named(_ error: FormworkError) -> FormworkError {
        guard error.code == .writeFailed, error.path == nil else { return error }
        return FormworkError(.writeFailed, "can't be written", path: self.path.string, cause: error.cause)
    }
}

/// Small files that only this user may read. A reader sees either the old or the new file.
extension AtomicFile {
    /// Writes a file.
    /// - Parameter durably: Whether to wait until the disk has the bytes, before the renaming, and then the name.
    /// - Throws: `writeFailed`. The old file stays, unless only syncing the name failed.
    package static func writePrivate(
        _ bytes: [UInt8], to path: FilePath, durably: Bool = false
    ) throws(FormworkError) {
        let file = AtomicFile(path, at: path, replacing: true, try self.begin(at: path, .ownerReadWrite))
        try file.write(bytes)
        try file.publish(durably: durably)
        guard durably else { return }
        let folder = path.removingLastComponent()
        try FormworkError.writing(path) { () throws(Errno) in
            let descriptor = try SystemCalls.open(folder.isEmpty ? "." : folder, .readOnly, .directory)
            defer { try? SystemCalls.close(descriptor) }
            try SystemCalls.sync(descriptor)
        }
    }

    /// The file itself if a path is a symbolic link: each of its names has the same lock beside it.
    package static func place(of path: FilePath) -> FilePath {
        guard (try? SystemCalls.linkStatus(of: path))?.kind == .symbolicLink else { return path }
        return (try? SystemCalls.destination(of: path)) ?? path
    }

    /// Removes a file, if there is one.
    package static func remove(_ path: FilePath) { SystemCalls.unlink(path) }
}

extension BodyChunk {
    /// Appends all of the bytes to a file. A full disk, a size limit or a closed FIFO is an error, never a signal.
    /// - Throws: `writeFailed`.
    func write(to descriptor: FileDescriptor, at path: FilePath) throws(FormworkError) {
        try SystemCalls.withoutWriteSignals(to: descriptor) { () throws(FormworkError) in
            try FormworkError.writing(path) { () throws(Errno) in
                try self.withBytes { bytes throws(Errno) in try SystemCalls.writeAll(descriptor, bytes) }
            }
        }
    }
}

extension BodyPlan {
    /// Refuses to write over a file that the body reads.
    /// - Parameter outer: The part that has this body as its content; `nil` for none.
    func refuseInput(_ output: FileStatus, at path: FilePath? = nil, in outer: PartReference? = nil)
        throws(FormworkError)
    {
        for piece in self.layoutPieces {
            guard case .source(let number) = piece.content else { continue }
            let part = self.isForm && piece.part >= 0 ? self.storage.parts[piece.part].reference : outer
            switch self.storage.sources[number] {
            case .encoded(let content): try content.raw.refuseInput(output, at: path, in: part)
            case .file(let file) where file.status.validator.isSameFile(as: output.validator):
                throw FormworkError(
                    .invalidArgument, "the output is also an input: write to another file", part: part,
                    path: path?.string ?? file.path)
            default: continue
            }
        }
    }
}
