import FormworkSystem
import Synchronization

/// A file that is written: it appears, or replaces another one, only when it is complete.
///
/// Until then it has no name if the file system can do that, otherwise a hidden one. It is removed if it is closed before.
///
/// One that may replace a file at a path is placed as by a shell: links are followed, and the new file has the old one's
/// permissions and, if the system allows that, its owner and group. Devices, FIFOs and open descriptors such as /dev/stdout
/// are written at once.
package final class AtomicFile: Sendable {
    /// Where it appears.
    private struct Target {
        /// Where the links of the caller's path lead.
        var path: FilePath
        var replacing: Bool
        /// Whether it gets the permissions and the owner of the file that it replaces.
        var inherits = true
    }

    /// The folder in which it appears; `nil` if it is written at once.
    let folder: AtomicFolder?
    /// Where to write, before it is published.
    let descriptor: FileDescriptor
    /// Its name until it is published or moved; `nil` if it has no name at all.
    let hiddenName: String?
    /// The path in errors of writing.
    private let path: FilePath
    /// `nil` if it is written at once, and if its name is given when it is published.
    private let target: Target?
    private let isOpen = Atomic(true)

    /// Takes over a descriptor whose file is written at once.
    init(writing descriptor: FileDescriptor, at path: FilePath) {
        (self.descriptor, self.path) = (descriptor, path)
        (self.folder, self.hiddenName, self.target) = (nil, nil, nil)
    }

    /// Begins a file that never gets a name, and that only this process can access.
    convenience init(temporaryIn folder: FilePath) throws(FormworkError) {
        let descriptor = try FormworkError.writing(folder) { () throws(Errno) in
            try SystemCalls.openTemporary(in: folder)
        }
        self.init(writing: descriptor, at: folder)
    }

    /// Takes over a file that was begun in a folder, and gets its name there when it is published.
    convenience init(_ folder: AtomicFolder, _ begun: AtomicFolder.Begun) {
        self.init(folder.path, nil, (folder, begun))
    }

    private init(_ path: FilePath, _ target: Target?, _ place: (folder: AtomicFolder, begun: AtomicFolder.Begun)) {
        (self.folder, self.path, self.target) = (place.folder, path, target)
        (self.descriptor, self.hiddenName) = (place.begun.descriptor, place.begun.hiddenName)
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
            self.init(writing: open, at: path)
            return
        }
        let isSpecial = inPlace && (path.string.hasPrefix("/dev/") || path.string.hasPrefix("/proc/"))
        let target =
            isSpecial
            ? path : try FormworkError.writing(path) { () throws(Errno) in try SystemCalls.destination(of: path) }
        let existing = try? SystemCalls.status(of: target)
        var direct: FileDescriptor.OpenOptions = inPlace ? [.create, .truncate] : []
        switch existing?.kind {
        case .directory where !inPlace:
            throw FormworkError(.writeFailed, "is a directory: name a file in it", path: path.string)
        case .regular where !isSpecial, nil where !isSpecial:
            // Before bytes are read that can't be read again.
            if !replacing, (try? SystemCalls.linkStatus(of: path)) != nil { throw Self.exists(path) }
            if let existing {
                try plan?.refuseInput(existing, at: path)
                if !inPlace { try Self.checkReplacing(target, named: path) }
            }
            direct = [.create, .truncate]
            do throws(FormworkError) {
                let place = try Self.begin(target, existing?.permissions)
                self.init(path, Target(path: target, replacing: replacing), place)
                return
            } catch {
                guard inPlace, existing != nil else { throw error }
            }
        default: break
        }
        let descriptor = try FormworkError.writing(path) { [direct] () throws(Errno) in
            guard existing?.kind != .fifo else { return try SystemCalls.openFIFO(target, .writeOnly) }
            return try SystemCalls.open(target, .writeOnly, direct, permissions: SystemCalls.newFilePermissions)
        }
        self.init(writing: descriptor, at: path)
    }

    /// Begins a file in a target's folder.
    /// - Parameter permissions: What it has before there is any content; `nil` for the usual ones of a new file.
    private static func begin(
        _ target: FilePath, _ permissions: FilePermissions?
    ) throws(FormworkError) -> (AtomicFolder, AtomicFolder.Begun) {
        try FormworkError.writing(target) { () throws(Errno) in
            let folder = try AtomicFolder(of: target)
            let begun = try folder.begin()
            if let permissions {
                SystemCalls.setPermissions(
                    of: begun.descriptor, permissions.intersection(FilePermissions(rawValue: 0o777)))
            }
            return (folder, begun)
        }
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

    deinit { self.close() }

    /// Closes the file, and removes it if it was not published.
    package func close() {
        guard self.isOpen.exchange(false, ordering: .relaxed) else { return }
        // If the file got another name, this one doesn't exist, and removing it has no effect.
        if let folder, let hiddenName { SystemCalls.unlink(hiddenName, in: folder.descriptor) }
        try? SystemCalls.close(self.descriptor)
    }

    /// Passes the descriptor to the caller, who has to close it.
    func release() -> FileDescriptor {
        self.isOpen.store(false, ordering: .relaxed)
        return self.descriptor
    }

    /// Whether it isn't written at once.
    var isNew: Bool { self.folder != nil }

    /// Appends all of the bytes. A full disk, a size limit or a closed FIFO is an error, never a signal.
    /// - Throws: `writeFailed`.
    package func write(_ bytes: some BodyChunk) throws(FormworkError) {
        try bytes.write(to: self.descriptor, at: self.path)
    }

    /// Waits until the disk has the bytes, if wanted; otherwise until the file system has accepted them.
    /// - Throws: `writeFailed`.
    package func finish(durably: Bool) throws(FormworkError) {
        try FormworkError.writing(self.path) { () throws(Errno) in
            try SystemCalls.finishWriting(self.descriptor, durably: durably)
        }
    }

    /// An error in writing, with the path instead of the part, whose bytes only didn't fit.
    func named(_ error: FormworkError) -> FormworkError {
        guard error.code == .writeFailed, error.path == nil else { return error }
        return FormworkError(.writeFailed, "can't be written", path: self.path.string, cause: error.cause)
    }
}

// MARK: - The name

extension AtomicFile {
    /// Gives the complete file the name that its path has, and closes it, unless that was done before. A file that is written
    /// at once has the name already.
    /// - Throws: `writeFailed`.
    package func publish(durably: Bool = false) throws(FormworkError) {
        guard let folder, let target else { return try self.finish(durably: false) }
        guard self.isOpen.load(ordering: .relaxed) else { return }
        defer { self.close() }
        do throws(Errno) {
            try SystemCalls.finishWriting(self.descriptor, durably: durably)
            if target.replacing {
                try self.replace(target.path, in: .currentFolder, of: folder, inheriting: target.inherits)
            } else {
                try self.move(to: target.path, in: .currentFolder)
            }
        } catch {
            if error == .fileExists, !target.replacing { throw Self.exists(target.path) }
            throw FormworkError(.writeFailed, "can't be written", path: target.path.string, cause: error)
        }
    }

    /// Gives the file its name in its folder: `a.txt`, or `a (1).txt` if that is taken. After an error, only the hidden name
    /// remains until the file is closed.
    /// - Parameters:
    ///   - rule: What to do if the name is taken.
    ///   - durably: Whether to wait until the disk has the bytes and the name.
    ///   - isFinished: Whether ``finish(durably:)`` was called.
    /// - Throws: `writeFailed`.
    package func publish(
        as name: SafeFilename, _ rule: PublishingRule, durably: Bool, isFinished: Bool = false
    ) throws(FormworkError) -> PublishedFile {
        guard let folder else {
            throw FormworkError(.writeFailed, "has its name already", path: self.path.string)
        }
        let published = try FormworkError.writing(folder.path.appending(name.text)) { () throws(Errno) in
            if !isFinished { try SystemCalls.finishWriting(self.descriptor, durably: durably) }
            let state = try SystemCalls.status(of: self.descriptor).validator
            var taken = name.text
            switch rule {
            case .replacing: try self.replace(taken, in: folder.descriptor, of: folder)
            case .exclusive: try self.move(to: taken, in: folder.descriptor)
            case .numbered:
                taken = try folder.firstFree(SafePath(name)) { candidate throws(Errno) in
                    try self.move(to: candidate, in: folder.descriptor)
                }.name
            }
            return PublishedFile(name: taken, state: state)
        }
        if durably {
            do throws(FormworkError) { try folder.sync() } catch {
                // After an error the caller doesn't expect a file.
                folder.remove(published)
                throw error
            }
        }
        return published
    }

    /// Gives the file a free name in its folder.
    func place(as name: SafeFilename, durably: Bool) throws(FormworkError) -> FilePath {
        let name = try self.publish(as: name, .numbered, durably: durably).name
        return (self.folder?.path ?? "").appending(name)
    }

    private func replace(
        _ name: some SystemPath, in place: FileDescriptor, of folder: AtomicFolder, inheriting: Bool = true
    ) throws(Errno) {
        // Only a rename replaces a file in one step, and only a named file can be renamed.
        let temporary = self.hiddenName ?? AtomicFolder.hiddenName()
        if self.hiddenName == nil { try SystemCalls.link(self.descriptor, as: temporary, in: folder.descriptor) }
        do throws(Errno) {
            try folder.exclusively { () throws(Errno) in
                if inheriting { self.inheritAttributes(of: name, in: place) }
                try SystemCalls.rename(temporary, from: folder.descriptor, to: name, in: place, replacing: true)
            }
        } catch {
            // For example, a folder has the name. The hidden name was made here, so it is removed here.
            if self.hiddenName == nil { SystemCalls.unlink(temporary, in: folder.descriptor) }
            throw error
        }
    }

    /// Gives the file a free name, in this folder or one of the same file system; `fileExists` if it isn't free.
    package func move(to name: some SystemPath, in place: FileDescriptor) throws(Errno) {
        if let folder, let hiddenName {
            try SystemCalls.rename(hiddenName, from: folder.descriptor, to: name, in: place, replacing: false)
        } else {
            try SystemCalls.link(self.descriptor, as: name, in: place)
        }
    }

    /// Gives the file the permissions and, if this process may, the owner of the file that it replaces.
    func inheritAttributes(of name: some SystemPath, in place: FileDescriptor) {
        guard let old = try? SystemCalls.status(of: name, in: place) else { return }
        SystemCalls.inheritAttributes(of: old, to: self.descriptor)
    }
}

/// A file that has its name.
package struct PublishedFile: Sendable {
    /// Its name, with the folders below the open one.
    package let name: String
    /// Identifies it, even if its inode number was reused since.
    let state: FileValidator
}

/// What to do if a name is taken.
package enum PublishingRule: Sendable, Hashable {
    /// `a.txt` becomes `a (1).txt`.
    case numbered
    /// The existing file, or the link itself, is replaced.
    case replacing
    /// It is an error with the cause `fileExists`.
    case exclusive
}

/// Small files that only this user may read. A reader sees either the old or the new file.
extension AtomicFile {
    /// Writes a file.
    /// - Parameter durably: Whether to wait until the disk has the bytes, before the renaming, and then the name.
    /// - Throws: `writeFailed`. The old file stays, unless only syncing the name failed.
    package static func writePrivate(
        _ bytes: [UInt8], to path: FilePath, durably: Bool = false
    ) throws(FormworkError) {
        let place = try self.begin(path, .ownerReadWrite)
        let file = AtomicFile(path, Target(path: path, replacing: true, inherits: false), place)
        try file.write(bytes)
        try file.publish(durably: durably)
        if durably { try place.0.sync() }
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
