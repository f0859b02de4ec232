import FormworkSystem

/// A whole file of this process, which its owner removes later. It can be hard-linked to a new name, or cloned by the
/// kernel.
package struct FinishedFile: Sendable, Hashable {
    package let path: FilePath
    /// Its size in bytes.
    package let count: Int64

    package init(_ path: FilePath, count: Int64) { (self.path, self.count) = (path, count) }

    /// The file at a path, with its size. `nil` if nothing is there, or it isn't a regular file.
    package init?(_ path: FilePath) {
        guard let status = try? SystemCalls.status(of: path), status.kind == .regular else { return nil }
        self.init(path, count: status.validator.size)
    }

    /// Some of its bytes.
    package struct Slice: Sendable, Hashable {
        package let file: FinishedFile
        package let range: Range<Int64>

        /// Whether these are all bytes of the file.
        package var isWhole: Bool { self.range == 0..<self.file.count }
    }

    /// All of its bytes.
    package var whole: Slice { Slice(file: self, range: 0..<self.count) }

    /// Writes it to a new file in a folder: `a.txt`, or `a (1).txt` if that is taken.
    /// - Throws: ``FormworkError/Code/writeFailed`` and `sourceUnavailable`. Nothing is left then.
    package func write(into folder: FilePath, as name: SafeFilename, durably: Bool) async throws -> FilePath {
        let thread = BlockingThread()
        let (file, isWhole) = try await thread.run { () throws(FormworkError) in
            let place = try AtomicFolder(folder)
            if let adopted = place.adopt(self) { return (adopted, true) }
            return (try place.makeFile(), false)
        }
        var offset = isWhole ? self.count : 0
        while offset < self.count {
            try Task.checkCancellation()
            let range = offset..<min(offset + Self.stepSize, self.count)
            try await thread.run { () throws(FormworkError) in try file.append(self, range) }
            offset = range.upperBound
        }
        return try await thread.run { () throws(FormworkError) in try file.place(as: name, durably: durably) }
    }

    /// Bytes that are copied at a time, so that others get their turn.
    package static let stepSize: Int64 = 64 << 20
}

extension [FinishedFile] {
    /// Where a range of the bytes is that they have together.
    package func slices(_ range: Range<Int64>) -> [FinishedFile.Slice] {
        var (slices, start): ([FinishedFile.Slice], Int64) = ([], 0)
        for file in self {
            let found = range.clamped(to: start..<start + file.count)
            if !found.isEmpty {
                slices.append(
                    FinishedFile.Slice(file: file, range: found.lowerBound - start..<found.upperBound - start))
            }
            start += file.count
        }
        return slices
    }
}

extension BodySource {
    /// Bytes of finished files, one after another.
    package static func slices(_ slices: [FinishedFile.Slice]) -> BodySource {
        .concatenation(
            slices.map { .file($0.file.path, offset: $0.range.lowerBound, length: Int64($0.range.count)) })
    }
}

extension AtomicFolder {
    /// Begins a file that is a finished one. It has a hidden second name in this folder until it is published, and the
    /// permissions of a new file.
    /// - Parameter path: What it may replace, whose permissions it will get; `nil` if it replaces nothing.
    /// - Returns: `nil` if the file must be copied: the file system is another one or has no links, the file already
    ///   has another name, or a new file here would have properties that can't be given to it.
    package func adopt(_ file: FinishedFile, replacing path: SafePath? = nil) -> AtomicFile? {
        guard self.keepsAccess(replacing: path), let own = try? SystemCalls.status(of: file.path),
            own.kind == .regular, own.links == 1, own.validator.size == file.count
        else { return nil }
        let name = Self.hiddenName()
        guard (try? SystemCalls.link(file.path, from: .currentFolder, as: name, in: self.descriptor)) != nil else {
            return nil
        }
        if let descriptor = try? SystemCalls.openFile(name, in: self.descriptor) {
            if let linked = try? SystemCalls.status(of: descriptor), linked.links == 2,
                linked.validator == own.validator, self.looksNew(descriptor, linked)
            {
                return AtomicFile(self, Begun(descriptor: descriptor, hiddenName: name))
            }
            try? SystemCalls.close(descriptor)
        }
        SystemCalls.unlink(name, in: self.descriptor)
        return nil
    }

    /// Whether a finished file in another folder could be adopted.
    func canAdopt(from place: FilePath) -> Bool {
        guard let probe = try? SystemCalls.openUnnamed(in: place) else {
            // The folder doesn't exist yet, or its file system has no unnamed files.
            return self.sharesDisk(with: place)
        }
        defer { try? SystemCalls.close(probe) }
        _ = SystemCalls.lock(probe)
        let name = Self.hiddenName()
        guard (try? SystemCalls.link(probe, as: name, in: self.descriptor)) != nil else { return false }
        defer { SystemCalls.unlink(name, in: self.descriptor) }
        return (try? SystemCalls.status(of: probe)).map { self.looksNew(probe, $0) } ?? false
    }

    /// Whether a folder, or its parent if it doesn't exist, is on this folder's file system.
    func sharesDisk(with place: FilePath) -> Bool {
        let above = place.removingLastComponent()
        let other = (try? SystemCalls.status(of: place)) ?? (try? SystemCalls.status(of: above.isEmpty ? "." : above))
        guard let other, let own = try? SystemCalls.status(of: self.descriptor) else { return false }
        return other.validator.device == own.validator.device
    }

    /// Gives a file what a new file in this folder has: its group and permissions.
    /// - Returns: Whether that is possible.
    private func looksNew(_ descriptor: FileDescriptor, _ status: FileStatus) -> Bool {
        guard let sample = try? self.makeFile() else { return false }
        defer { sample.close() }
        guard let new = try? SystemCalls.status(of: sample.descriptor), new.user == status.user,
            !SystemCalls.hasAccessList(sample.descriptor), !SystemCalls.hasAccessList(descriptor)
        else { return false }
        if new.group != status.group {
            guard SystemCalls.setOwner(of: descriptor, user: status.user, group: new.group) else { return false }
        }
        SystemCalls.setPermissions(of: descriptor, new.permissions)
        return true
    }

    /// Whether this process could still open a file that has got the permissions of the one that it replaces. If
    /// publishing fails, its owner needs it again.
    private func keepsAccess(replacing path: SafePath?) -> Bool {
        guard let path, !SystemCalls.isPrivileged else { return true }
        let old = try? self.within(path.folders.map(\.text)) { descriptor throws(Errno) in
            try SystemCalls.status(of: path.name.text, in: descriptor)
        }
        guard let old, old.kind == .regular else { return true }
        return old.permissions.isSuperset(of: .ownerReadWrite)
    }
}

extension AtomicFile {
    /// Appends bytes of a finished file. The kernel copies them, or shares their blocks, if it can.
    /// - Throws: `writeFailed`, and `sourceUnavailable` if the file can't be opened.
    package func append(_ file: FinishedFile, _ range: Range<Int64>) throws(FormworkError) {
        let source: FileDescriptor
        do throws(Errno) { source = try SystemCalls.open(file.path, .readOnly, .noFollow) } catch {
            throw FormworkError(.sourceUnavailable, "can't be opened", path: file.path.string, cause: error)
        }
        defer { try? SystemCalls.close(source) }
        do throws(FormworkError) {
            let bytes = BodySource(.descriptor(.init(source, offset: range.lowerBound, length: Int64(range.count))))
            _ = try BodyPlan(copying: bytes).makeReader().write(to: self.descriptor, isNew: true)
        } catch {
            throw self.named(error)
        }
    }
}
