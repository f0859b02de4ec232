import FormworkSystem

/// A record of the steps of a form's publication, written before each step. If the process is killed in between, the
/// next process that opens the folder can undo or complete the publication.
///
/// It is a hidden file in the folder, locked while its form is published. A line is one of
/// ```text
/// file INODE SIZE SECONDS NANOSECONDS   a file of the form; they are counted from 0. If the file system doesn't keep
///                                       INODE, it is 0, and the name that the file has until it gets another follows
/// at FILE PATH                          that file may get this free name
/// over FILE PATH                        that file may replace what has this name
/// folder PATH                           a folder that may be made
/// done                                  everything has its place: what was replaced can go
/// ```
/// A replaced file is kept beside its name, as `.formwork-form.ID.FILE`. A safe name has no control characters, so it
/// can't break a line. A cut line is ignored.
struct FormJournal {
    /// The prefix of the hidden names.
    static let prefix = ".formwork-form."
    private static let firstLine = "formwork-form 1"
    /// The most bytes that are read of one, more than any form needs.
    private static let maximumBytes = 256 << 20

    /// Identifies a file, even if its inode number was reused since.
    struct Identity: Hashable, Sendable {
        /// 0 on a file system that numbers names, not files.
        var inode: UInt64
        var size: Int64
        var modified: FileTime
        /// The name until it gets another; only known without the inode number.
        var hiddenName: String?

        init(_ state: FileValidator, of file: AtomicFile) {
            self.init(state)
            if let folder = file.folder, !folder.numbersFiles() { (self.inode, self.hiddenName) = (0, file.hiddenName) }
        }

        private init(_ state: FileValidator) {
            (self.inode, self.size, self.modified) = (state.inode, state.size, state.modified)
        }

        fileprivate func isFile(_ status: FileStatus) -> Bool {
            var other = Self(status.validator)
            if self.inode == 0 { (other.inode, other.hiddenName) = (0, self.hiddenName) }
            return other == self
        }

        fileprivate init?(_ words: [String]) {
            guard 4...5 ~= words.count, let inode = UInt64(words[0]), let size = Int64(words[1]),
                let seconds = Int64(words[2]), let nanoseconds = Int64(words[3])
            else { return nil }
            (self.inode, self.size) = (inode, size)
            self.modified = FileTime(seconds: seconds, nanoseconds: nanoseconds)
            guard words.count == 4 || words[4].hasPrefix(AtomicFolder.hiddenPrefix) && !words[4].contains("/") else {
                return nil
            }
            self.hiddenName = words.count == 5 ? words[4] : nil
        }

        fileprivate var words: String {
            "\(self.inode) \(self.size) \(self.modified.seconds) \(self.modified.nanoseconds)"
                + (self.hiddenName.map { " \($0)" } ?? "")
        }
    }

    /// A file of the form, and the names that it may have.
    struct Entry {
        var file: Identity
        var places: [Destination] = []
    }

    struct Destination: Hashable {
        var path: String
        var replaces: Bool
    }

    private let id: String
    private(set) var entries: [Entry] = []
    private(set) var folders: [String] = []
    private(set) var isDone = false
    /// `nil` for a journal that was left by another process.
    private var writer: Writer?

    private struct Writer {
        var descriptor: FileDescriptor
        var durably: Bool
        /// Lines that aren't written yet.
        var waiting = ""
    }

    // MARK: Writing

    /// Begins a journal. It is empty until it is written for the first time.
    /// - Parameter id: A name that no other form has; `nil` for a random one.
    init(in folder: AtomicFolder, id: String? = nil, durably: Bool) throws(Errno) {
        self.id = id ?? RandomWord.make()
        let name = Self.prefix + self.id
        let descriptor = try folder.createLocked(named: name)
        SystemCalls.setPermissions(of: descriptor, .ownerReadWrite)
        self.writer = Writer(descriptor: descriptor, durably: durably, waiting: Self.firstLine + "\n")
    }

    /// Adds a file.
    mutating func add(_ file: Identity) {
        self.entries.append(Entry(file: file))
        self.writer?.waiting += "file \(file.words)\n"
    }

    /// Adds a place before the file gets it.
    mutating func add(_ place: Destination, for index: Int) {
        guard !self.entries[index].places.contains(place) else { return }
        self.entries[index].places.append(place)
        self.writer?.waiting += "\(place.replaces ? "over" : "at") \(index) \(place.path)\n"
    }

    /// Adds a folder before it is made.
    mutating func add(folder path: String) {
        self.folders.append(path)
        self.writer?.waiting += "folder \(path)\n"
    }

    /// Records that every file has its place.
    mutating func end() throws(Errno) {
        self.writer?.waiting += "done\n"
        try self.write()
        self.isDone = true
    }

    /// Writes the new lines to the file.
    mutating func write() throws(Errno) {
        guard let writer, !writer.waiting.isEmpty else { return }
        let bytes = Array(writer.waiting.utf8)
        try bytes.withBytes { bytes throws(Errno) in try SystemCalls.writeAll(writer.descriptor, bytes) }
        try SystemCalls.finishWriting(writer.descriptor, durably: writer.durably)
        self.writer?.waiting = ""
    }

    /// Removes the journal, after everything is done.
    mutating func remove(from folder: AtomicFolder) {
        SystemCalls.unlink(Self.prefix + self.id, in: folder.descriptor)
        self.close()
    }

    /// Closes the journal, and leaves it for the next start.
    mutating func close() {
        if let writer { try? SystemCalls.close(writer.descriptor) }
        self.writer = nil
    }

    // MARK: Reading

    /// Whether a name in a folder is a journal's, not that of a replaced file.
    static func isJournal(_ name: String) -> Bool {
        name.hasPrefix(self.prefix) && !name.dropFirst(self.prefix.count).contains(".")
    }

    /// Reads a journal that was left.
    /// - Throws: What reading throws.
    init(named name: String, from descriptor: FileDescriptor) throws(Errno) {
        self.id = String(name.dropFirst(Self.prefix.count))
        let bytes = try SystemCalls.bytes(of: descriptor, upTo: Self.maximumBytes)
        // The text after the last line end is a cut line.
        let whole = bytes[..<((bytes.lastIndex(of: 0x0A) ?? -1) + 1)]
        for line in whole.split(separator: 0x0A) { self.take(line) }
    }

    private mutating func take(_ line: ArraySlice<UInt8>) {
        // Byte by byte: a path may begin with a mark, which is one `Character` with the space before it.
        func words(_ count: Int) -> [String] {
            line.split(separator: 0x20, maxSplits: count - 1, omittingEmptySubsequences: false)
                .map { String(decoding: $0, as: UTF8.self) }
        }
        let place = words(3)
        switch place[0] {
        case "file": if let file = Identity(Array(words(6).dropFirst())) { self.entries.append(Entry(file: file)) }
        case "at" where place.count == 3, "over" where place.count == 3:
            guard let index = Int(place[1]), self.entries.indices.contains(index), Self.isInside(place[2]) else {
                return
            }
            self.entries[index].places.append(Destination(path: place[2], replaces: place[0] == "over"))
        case "folder" where place.count > 1 && Self.isInside(words(2)[1]): self.folders.append(words(2)[1])
        case "done" where place.count == 1: self.isDone = true
        default: break
        }
    }

    /// Whether a path leads to a place below the folder. Others may write in the folder, so its journals aren't trusted.
    private static func isInside(_ path: String) -> Bool {
        path.utf8.split(separator: 0x2F, omittingEmptySubsequences: false).allSatisfy {
            !$0.isEmpty && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
        }
    }

    // MARK: Carrying out

    /// The name of the file that file `index` replaces, or, before that, of the new file itself.
    func slot(_ index: Int) -> String { "\(Self.prefix)\(self.id).\(index)" }
    /// The name of the old file if the file system can't exchange names.
    func spareSlot(_ index: Int) -> String { self.slot(index) + ".old" }

    /// Completes the form's publication, or undoes it and restores the replaced files.
    /// - Returns: Whether everything is done.
    func settle(in folder: AtomicFolder) -> Bool { self.isDone ? self.conclude(in: folder) : self.undo(in: folder) }

    private func conclude(in folder: AtomicFolder) -> Bool {
        for (index, entry) in self.entries.enumerated() {
            for place in entry.places where place.replaces {
                let (folders, _) = Self.split(place.path)
                try? folder.within(folders) { descriptor throws(Errno) in
                    SystemCalls.unlink(self.slot(index), in: descriptor)
                    SystemCalls.unlink(self.spareSlot(index), in: descriptor)
                }
            }
        }
        return true
    }

    private func undo(in folder: AtomicFolder) -> Bool {
        var isUndone = true
        for (index, entry) in self.entries.enumerated().reversed() {
            let hidden = entry.file.hiddenName.flatMap { try? SystemCalls.openFile($0, in: folder.descriptor) }
            defer { if let hidden { try? SystemCalls.close(hidden) } }
            for place in entry.places.reversed() {
                let (folders, name) = Self.split(place.path)
                do throws(Errno) {
                    try folder.within(folders) { descriptor throws(Errno) in
                        if let hidden {
                            // It still has its first name, so it has the other at most as well.
                            if place.replaces { return SystemCalls.unlink(self.slot(index), in: descriptor) }
                            guard Self.hasContent(of: hidden, name, in: descriptor) else { return }
                        } else if place.replaces {
                            guard entry.file.inode != 0 else {
                                return try self.putBackInSteps(index, name, in: descriptor, of: folder)
                            }
                            try self.putBack(index, name, in: descriptor, of: folder)
                        }
                        if let status = try? SystemCalls.status(of: name, in: descriptor), entry.file.isFile(status) {
                            SystemCalls.unlink(name, in: descriptor)
                        }
                    }
                } catch {
                    // Without the folder, the file doesn't exist.
                    let isNowhere = [.noSuchFileOrDirectory, .notDirectory, .tooManySymbolicLinkLevels].contains(error)
                    if !isNowhere { isUndone = false }
                }
            }
        }
        for path in self.folders.reversed() {
            let (folders, name) = Self.split(path)
            // A folder that isn't empty any more stays.
            try? folder.within(folders) { descriptor throws(Errno) in SystemCalls.removeFolder(name, in: descriptor) }
        }
        return isUndone
    }

    /// Whether a name has a file with the same content. Size and time alone may be those of another file.
    private static func hasContent(of file: FileDescriptor, _ name: String, in folder: FileDescriptor) -> Bool {
        guard let other = try? SystemCalls.openFile(name, in: folder) else { return false }
        defer { try? SystemCalls.close(other) }
        var offset: Int64 = 0
        while true {
            var (one, two): ([UInt8], [UInt8]) = ([], [])
            do throws(Errno) {
                try one.append(upTo: 256 << 10) { room throws(Errno) in
                    try SystemCalls.read(file, at: offset, into: &room)
                }
                try two.append(upTo: 256 << 10) { room throws(Errno) in
                    try SystemCalls.read(other, at: offset, into: &room)
                }
            } catch { return false }
            guard one == two else { return false }
            if one.isEmpty { return true }
            offset += Int64(one.count)
        }
    }

    /// Restores the file that file `index` replaced.
    private func putBack(
        _ index: Int, _ name: String, in folder: FileDescriptor, of root: AtomicFolder
    ) throws(Errno) {
        let entry = self.entries[index]
        for slot in [self.slot(index), self.spareSlot(index)] {
            guard let old = try? SystemCalls.status(of: slot, in: folder) else { continue }
            guard !entry.file.isFile(old) else {
                // The new file didn't get its name yet.
                SystemCalls.unlink(slot, in: folder)
                continue
            }
            guard let current = try? SystemCalls.status(of: name, in: folder) else {
                try SystemCalls.rename(slot, to: name, in: folder, replacing: false)
                continue
            }
            if entry.file.isFile(current) {
                try SystemCalls.rename(slot, to: name, in: folder, replacing: true)
            } else if current.validator.inode == entry.file.inode, let safe = SafeFilename(name) {
                // The new file was changed since: both files are kept.
                try root.move(slot, toFree: safe, in: folder)
            } else {
                // The old file still has its name, or another form has replaced both.
                SystemCalls.unlink(slot, in: folder)
            }
        }
    }

    /// The same on a file system that numbers names: names are never exchanged there, so each name says which file it has.
    private func putBackInSteps(
        _ index: Int, _ name: String, in folder: FileDescriptor, of root: AtomicFolder
    ) throws(Errno) {
        let (entry, spare) = (self.entries[index], self.spareSlot(index))
        // The new file, if it didn't get its name yet. Without a spare, the old one wasn't touched.
        SystemCalls.unlink(self.slot(index), in: folder)
        guard let old = try? SystemCalls.status(of: spare, in: folder) else { return }
        guard let current = try? SystemCalls.status(of: name, in: folder) else {
            return try SystemCalls.rename(spare, to: name, in: folder, replacing: false)
        }
        let isOld = (old.validator.size, old.validator.modified) == (current.validator.size, current.validator.modified)
        if isOld || entry.file.isFile(current) {
            try SystemCalls.rename(spare, to: name, in: folder, replacing: true)
            // Renaming a file to another of its own names has no effect.
            SystemCalls.unlink(spare, in: folder)
        } else if let safe = SafeFilename(name) {
            // Somebody else's file: both are kept.
            try root.move(spare, toFree: safe, in: folder)
        }
    }

    /// The folders of a path, and its last name. Scalar by scalar: a name may begin with a mark, which is one `Character`
    /// with the slash before it.
    static func split(_ path: String) -> (folders: [String], name: String) {
        var components = path.unicodeScalars.split(separator: "/").map { String($0) }
        return components.popLast().map { (components, $0) } ?? ([], path)
    }
}
