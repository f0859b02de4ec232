import FormworkCore
import SystemPackage

/// Writes what arrives to one file, on a thread of its own, so that a slow disk holds up nobody's event loop.
///
/// Whatever isn't published or made a spool is gone with the writer.
actor FileWriter {
    private let executor = ThreadExecutor()
    private var file: PendingFile?
    private var replacing = false
    private var folder: FilePath?
    private var temporary: FileDescriptor?
    /// Bytes written.
    private(set) var count: Int64 = 0

    nonisolated var unownedExecutor: UnownedSerialExecutor {
        // SAFETY: the actor holds its executor as long as it lives.
        unsafe self.executor.asUnownedSerialExecutor()
    }

    deinit {
        self.file?.discard()
        if let temporary = self.temporary { try? SystemCalls.close(temporary) }
    }

    /// Begins a file that appears when it is published.
    func open(_ path: FilePath, replacing: Bool) throws(FormworkError) {
        self.file = try PendingFile(at: path, nil)
        self.replacing = replacing
    }

    /// Begins a file without a name, which only this process can reach.
    func openTemporary(in folder: FilePath?) throws(FormworkError) {
        let folder = folder ?? Spool.usualFolder
        self.temporary = try FormworkError.writing(folder) { () throws(Errno) in
            try SystemCalls.openTemporary(in: folder)
        }
        self.folder = folder
    }

    /// Writes all of a chunk.
    func write(_ bytes: some BodyChunk) throws(FormworkError) {
        guard let descriptor = self.file?.descriptor ?? self.temporary else { return }
        try bytes.withBytes { bytes throws(FormworkError) in
            var done = 0
            try SystemCalls.withoutWriteSignals { () throws(FormworkError) in
                while done < bytes.byteCount {
                    done += try FormworkError.writing(self.path) { () throws(Errno) in
                        try SystemCalls.write(descriptor, bytes.extracting(droppingFirst: done))
                    }
                }
            }
        }
        self.count += Int64(bytes.byteCount)
    }

    private var path: FilePath { self.file?.target ?? self.folder ?? "" }

    /// Gives the file its name.
    /// - Returns: Bytes written.
    func publish(durably: Bool) throws(FormworkError) -> Int64 {
        guard self.file != nil else { return 0 }
        try self.file?.publish(durably: durably, replacing: self.replacing)
        self.file?.close()
        self.file = nil
        return self.count
    }

    /// Hands over the file without a name.
    /// - Throws: ``FormworkError/Code/writeFailed`` when none was begun.
    func closeTemporary() throws(FormworkError) -> (descriptor: FileDescriptor, count: Int64) {
        guard let descriptor = self.temporary else { throw FormworkError(.writeFailed, "no file was begun") }
        self.temporary = nil
        return (descriptor, self.count)
    }
}
