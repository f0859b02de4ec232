import FormworkSystem

/// Writes arriving bytes to one file on a separate thread, so that a slow disk doesn't block an event loop.
///
/// A file that isn't published or made a spool is removed with the writer.
actor FileWriter {
    private enum Destination {
        case none
        /// A file that appears at its path when it is published.
        case path(AtomicFile)
        /// A file that gets its name in a folder when it is published.
        case folder(UnpublishedFile, FilePath)
        /// A file without a name.
        case unnamed(FileDescriptor, FilePath)
    }

    private let executor = ThreadExecutor()
    private var destination = Destination.none
    /// The number of bytes written.
    private(set) var count: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    deinit {
        switch self.destination {
        case .none, .path: break
        case .folder(let file, _): file.close()
        case .unnamed(let descriptor, _): try? SystemCalls.close(descriptor)
        }
    }

    /// Begins a file that appears when it is published.
    func open(_ path: FilePath, replacing: Bool) throws(FormworkError) {
        self.destination = .path(try AtomicFile(path, replacing: replacing))
    }

    /// Begins a file in a folder, which gets its name when it is published.
    func open(in folder: FilePath) throws(FormworkError) {
        self.destination = .folder(try OpenFolder(folder).makeFile(), folder)
    }

    /// Begins a file that is a finished one, if possible; otherwise the finished one is to be copied.
    func open(in folder: FilePath, from file: FinishedFile) throws(FormworkError) {
        let place = try OpenFolder(folder)
        if let adopted = place.adopt(file) {
            self.destination = .folder(adopted, folder)
            self.count = file.count
        } else {
            self.destination = .folder(try place.makeFile(), folder)
        }
    }

    /// Copies bytes of a finished file.
    func append(_ file: FinishedFile, _ range: Range<Int64>) throws(FormworkError) {
        guard case .folder(let target, _) = self.destination else { return }
        try target.append(file, range)
        self.count += Int64(range.count)
    }

    /// Begins a file without a name, which only this process can access.
    func openTemporary(in folder: FilePath?) throws(FormworkError) {
        let folder = folder ?? BodySpool.usualFolder
        let descriptor = try FormworkError.writing(folder) { () throws(Errno) in
            try SystemCalls.openTemporary(in: folder)
        }
        self.destination = .unnamed(descriptor, folder)
    }

    /// Writes all of a chunk.
    func write(_ bytes: some BodyChunk) throws(FormworkError) {
        switch self.destination {
        case .none: return
        case .path(let file): try file.write(bytes)
        case .folder(let file, _): try file.write([bytes])
        case .unnamed(let descriptor, let folder): try bytes.write(to: descriptor, at: folder)
        }
        self.count += Int64(bytes.byteCount)
    }

    /// Gives the file its name.
    /// - Returns: The number of bytes written.
    func publish(durably: Bool) throws(FormworkError) -> Int64 {
        guard case .path(let file) = self.destination else { return 0 }
        self.destination = .none
        try file.publish(durably: durably)
        return self.count
    }

    /// Gives the file a free name in its folder.
    func publish(as name: SafeFilename, durably: Bool) throws(FormworkError) -> FilePath {
        guard case .folder(var file, let folder) = self.destination else {
            throw FormworkError(.writeFailed, "no file was begun")
        }
        self.destination = .none
        defer { file.close() }
        return folder.appending(try file.publish(as: name, .numbered, durably: durably).name)
    }

    /// Passes the file without a name to the caller.
    /// - Throws: ``FormworkError/Code/writeFailed`` if none was begun.
    func closeTemporary() throws(FormworkError) -> (descriptor: FileDescriptor, count: Int64) {
        guard case .unnamed(let descriptor, _) = self.destination else {
            throw FormworkError(.writeFailed, "no file was begun")
        }
        self.destination = .none
        return (descriptor, self.count)
    }
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
