import FormworkSystem

/// A complete file, and its future path.
package struct FileToPublish: Sendable {
    var file: AtomicFile
    var path: SafePath
    var rule: PublishingRule

    package init(_ file: AtomicFile, as path: SafePath, _ rule: PublishingRule) {
        (self.file, self.path, self.rule) = (file, path, rule)
    }
}

/// A small file that is written after the names of the others are known.
package struct RecordToPublish: Sendable {
    var path: SafePath
    var rule: PublishingRule
    var bytes: [UInt8]

    package init(_ bytes: [UInt8], as path: SafePath, _ rule: PublishingRule) {
        (self.path, self.rule, self.bytes) = (path, rule, bytes)
    }
}

extension AtomicFolder {
    /// Gives all files of one form their names. If there is an error, none gets a name, and replaced files are
    /// restored.
    ///
    /// The same holds if the process is killed in between, after another process opens the folder and calls
    /// ``removeLeftovers()``. The caller must close the files in any case.
    /// - Parameters:
    ///   - durably: Whether to wait until the disk has the names and the record. Write the files' bytes to the disk
    ///     before,
    ///     with ``AtomicFile/finish(durably:)``, because that takes long for many files.
    ///   - records: Each is called once, and makes one more file, or none, from the names of the files before it.
    ///   - form: A name of the form that no other has, for ``settleForm(_:)``; `nil` for none.
    /// - Returns: The published files, then the records.
    /// - Throws: `writeFailed`.
    package func publish(
        _ files: [FileToPublish], durably: Bool, records: [@Sendable ([String]) -> RecordToPublish?] = [],
        form: String? = nil
    ) throws(FormworkError) -> [PublishedFile] {
        if files.count == 1, records.isEmpty, files[0].path.folders.isEmpty,
            !(files[0].rule == .replacing && durably)
        {
            // The kernel does this in one step.
            let (file, path, rule) = (files[0].file, files[0].path, files[0].rule)
            return [try file.publish(as: path.name, rule, durably: durably, isFinished: true)]
        }
        return try SystemCalls.withoutWriteSignals { () throws(FormworkError) in
            var states: [FileValidator] = []
            for one in files { states.append(try one.state(in: self)) }
            guard files.contains(where: { $0.rule == .replacing }) else {
                return try FormPublication.run(files, states, in: self, isAlone: false, durably: durably, records, form)
            }
            // Two forms that replace the same files could restore each other's files.
            return try self.exclusively { () throws(FormworkError) in
                try FormPublication.run(files, states, in: self, isAlone: true, durably: durably, records, form)
            }
        }
    }
}

extension FileToPublish {
    /// The state that identifies the file from now on.
    fileprivate func state(in folder: AtomicFolder) throws(FormworkError) -> FileValidator {
        try FormworkError.writing(folder.path.appending(self.path.text)) { () throws(Errno) in
            try SystemCalls.status(of: self.file.descriptor).validator
        }
    }
}

/// The publication of one form.
private struct FormPublication {
    private let folder: AtomicFolder
    private let durably: Bool
    private var journal: FormJournal
    private var published: [PublishedFile] = []
    /// The files with their names.
    private var placed: Set<FileValidator> = []
    /// The same by their paths in lower case; equal strings are also those with other forms of accented letters.
    private var folded: [String: FileValidator] = [:]
    /// Folders with new names.
    private var changed: Set<[String]> = []

    static func run(
        _ files: [FileToPublish], _ states: [FileValidator], in folder: AtomicFolder, isAlone: Bool, durably: Bool,
        _ records: [@Sendable ([String]) -> RecordToPublish?], _ form: String?
    ) throws(FormworkError) -> [PublishedFile] {
        let journal = try FormworkError.writing(folder.path) { () throws(Errno) in
            try FormJournal(in: folder, id: form, durably: durably)
        }
        var publication = FormPublication(folder: folder, durably: durably, journal: journal)
        do throws(FormworkError) {
            try publication.place(files, states)
            for record in records {
                if let next = record(publication.published.map(\.name)) { try publication.place(next) }
            }
            try publication.end()
        } catch {
            if isAlone { publication.takeBack() } else { folder.exclusively { publication.takeBack() } }
            throw error
        }
        return publication.published
    }

    private mutating func place(_ files: [FileToPublish], _ states: [FileValidator]) throws(FormworkError) {
        var planned: Set<String> = []
        for (index, one) in files.enumerated() {
            self.journal.add(FormJournal.Identity(states[index], of: one.file))
            self.plan(one, index, &planned)
        }
        for (index, one) in files.enumerated() {
            try FormworkError.writing(self.folder.path.appending(one.path.text)) { () throws(Errno) in
                try self.place(one, index, states[index])
            }
        }
    }

    /// Adds the name that a file will most likely get, so that the journal is written only once.
    private mutating func plan(_ one: FileToPublish, _ index: Int, _ planned: inout Set<String>) {
        let folders = one.path.folders.map(\.text)
        var name = one.path.name.text
        if one.rule == .numbered {
            name =
                (try? self.folder.within(folders) { descriptor throws(Errno) in
                    self.folder.likelyName(for: one.path) { candidate in
                        planned.contains(one.path.text(named: candidate))
                            || SystemCalls.exists(candidate, in: descriptor)
                    }
                }) ?? name
        }
        let path = one.path.text(named: name)
        planned.insert(path)
        self.journal.add(FormJournal.Destination(path: path, replaces: one.rule == .replacing), for: index)
    }

    private mutating func place(_ one: FileToPublish, _ index: Int, _ state: FileValidator) throws(Errno) {
        let folders = one.path.folders.map(\.text)
        var name = ""
        for attempt in 0... {
            try self.makeFolders(folders)
            try self.journal.write()
            do throws(Errno) {
                name = try self.folder.within(folders) { descriptor throws(Errno) in
                    switch one.rule {
                    case .replacing where self.isTaken(one.path, in: descriptor):
                        try self.takeFree(one, index, in: descriptor)
                    case .replacing: try self.replace(one, index, in: descriptor)
                    case .exclusive: try self.take(one.path.name.text, one, index, in: descriptor)
                    case .numbered: try self.takeFree(one, index, in: descriptor)
                    }
                }
                break
            } catch {
                // Another form failed and removed the folder meanwhile.
                guard error == .noSuchFileOrDirectory, !folders.isEmpty, attempt < 10 else { throw error }
            }
        }
        self.changed.insert(folders)
        let path = one.path.text(named: name)
        self.placed.insert(state)
        self.folded[path.lowercased()] = state
        self.published.append(PublishedFile(name: path, state: state))
    }

    /// Whether an earlier file of the form has the name: many file systems don't distinguish `A` from `a`.
    private func isTaken(_ path: SafePath, in folder: FileDescriptor) -> Bool {
        guard let state = (try? SystemCalls.status(of: path.name.text, in: folder))?.validator else { return false }
        if self.placed.contains(state) { return true }
        // Some FUSE file systems number names, so that one file has two numbers.
        guard let similar = self.folded[path.text.lowercased()] else { return false }
        return similar.size == state.size && similar.modified == state.modified
    }

    private mutating func makeFolders(_ folders: [String]) throws(Errno) {
        for count in folders.indices {
            let (outer, name) = (Array(folders[..<count]), folders[count])
            let isThere = try self.folder.within(outer) { descriptor throws(Errno) in
                SystemCalls.exists(name, in: descriptor)
            }
            guard !isThere else { continue }
            self.journal.add(folder: folders[...count].joined(separator: "/"))
            try self.journal.write()
            try self.folder.within(outer) { descriptor throws(Errno) in
                do throws(Errno) { try SystemCalls.makeFolder(name, in: descriptor) } catch .fileExists {}
            }
            self.changed.insert(outer)
        }
    }

    /// Gives a file a name that is free, or fails.
    @discardableResult
    private mutating func take(
        _ name: String, _ one: FileToPublish, _ index: Int, in folder: FileDescriptor
    ) throws(Errno) -> String {
        self.journal.add(FormJournal.Destination(path: one.path.text(named: name), replaces: false), for: index)
        try self.journal.write()
        try one.file.move(to: name, in: folder)
        return name
    }

    private mutating func takeFree(
        _ one: FileToPublish, _ index: Int, in folder: FileDescriptor
    ) throws(Errno) -> String {
        if let planned = self.journal.entries[index].places.first {
            let name = FormJournal.split(planned.path).name
            do throws(Errno) { return try self.take(name, one, index, in: folder) } catch .fileExists {}
        }
        return try self.folder.firstFree(one.path) { candidate throws(Errno) in
            try self.take(candidate, one, index, in: folder)
        }.name
    }

    /// Gives a file its name, and keeps the replaced file.
    private mutating func replace(
        _ one: FileToPublish, _ index: Int, in folder: FileDescriptor
    ) throws(Errno) -> String {
        let (name, slot) = (one.path.name.text, self.journal.slot(index))
        one.file.inheritAttributes(of: name, in: folder)
        do throws(Errno) { try one.file.move(to: slot, in: folder) } catch .fileExists {
            // It was moved there in an earlier attempt.
        }
        guard self.folder.numbersFiles() else { return try self.replaceInSteps(one, index, in: folder) }
        // Bounded, in case another process keeps creating and removing the name.
        for _ in 0..<100 {
            do throws(Errno) {
                try SystemCalls.exchange(slot, with: name, in: folder)
                guard try SystemCalls.status(of: slot, in: folder).kind == .directory else { return name }
                try SystemCalls.exchange(slot, with: name, in: folder)
                throw Errno.isDirectory
            } catch .noSuchFileOrDirectory {
                do throws(Errno) {
                    try SystemCalls.rename(slot, to: name, in: folder, replacing: false)
                    return name
                } catch .fileExists {
                    continue
                }
            } catch Errno.invalidArgument, Errno.noFunction, Errno.notSupported {
                return try self.replaceInSteps(one, index, in: folder)
            }
        }
        throw .resourceBusy
    }

    /// For file systems that can't exchange two names, or number names.
    private mutating func replaceInSteps(
        _ one: FileToPublish, _ index: Int, in folder: FileDescriptor
    ) throws(Errno) -> String {
        let (name, slot, spare) = (one.path.name.text, self.journal.slot(index), self.journal.spareSlot(index))
        guard let old = try? SystemCalls.status(of: name, in: folder) else {
            // Where names are numbered, only this line says that the file of this name is the new one.
            self.journal.add(FormJournal.Destination(path: one.path.text, replaces: false), for: index)
            try self.journal.write()
            try SystemCalls.rename(slot, to: name, in: folder, replacing: false)
            return name
        }
        guard old.kind != .directory else { throw .isDirectory }
        do throws(Errno) { try SystemCalls.link(name, as: spare, in: folder) } catch {
            // Some file systems have no links, and some files can't be linked. Then the name is missing for a moment.
            try SystemCalls.rename(name, to: spare, in: folder, replacing: false)
        }
        try SystemCalls.rename(slot, to: name, in: folder, replacing: true)
        return name
    }

    /// Writes the record, and gives it its name.
    private mutating func place(_ record: RecordToPublish) throws(FormworkError) {
        let file = try self.folder.makeFile()
        defer { file.close() }
        try file.write(record.bytes)
        try file.finish(durably: self.durably)
        let one = FileToPublish(file, as: record.path, record.rule)
        let state = try one.state(in: self.folder)
        let index = self.journal.entries.count
        self.journal.add(FormJournal.Identity(state, of: file))
        if record.rule == .replacing {
            self.journal.add(FormJournal.Destination(path: record.path.text, replaces: true), for: index)
        }
        try FormworkError.writing(self.folder.path.appending(record.path.text)) { () throws(Errno) in
            try self.place(one, index, state)
        }
    }

    /// Completes the publication, and removes the replaced files.
    private mutating func end() throws(FormworkError) {
        try FormworkError.writing(self.folder.path) { () throws(Errno) in
            if self.durably {
                // The open folder has the journal's name.
                for folders in self.changed.union([[]]) {
                    try self.folder.within(folders) { descriptor throws(Errno) in try SystemCalls.sync(descriptor) }
                }
            }
            try self.journal.end()
        }
        _ = self.journal.settle(in: self.folder)
        self.journal.remove(from: self.folder)
    }

    private mutating func takeBack() {
        // Files that can't be restored now may be at the next start.
        if self.journal.settle(in: self.folder) {
            self.journal.remove(from: self.folder)
        } else {
            self.journal.close()
        }
    }
}
