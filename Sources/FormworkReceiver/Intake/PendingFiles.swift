import Formwork
import FormworkDigests

/// The files of one request, which appear together when it ends, or not at all.
struct PendingFiles {
    private struct Entry {
        var upload: any StorageUpload
        var file: UploadReceipt.File
        var arrival: Int
    }

    private let storage: any ReceiverStorage
    private let arrivals: Arrivals
    private let context: UploadContext
    private var entries: [Entry] = []
    /// The state of ``UploadReceipt/fingerprint``; `nil` for none.
    var fingerprint: SHA256Digest?
    /// Whether the storage is publishing them. If that fails, the storage removes them itself.
    private var isPublishing = false
    /// The number of files whose bytes weren't in the body that was read, but are known.
    var foundElsewhere = 0

    init(_ storage: any ReceiverStorage, _ arrivals: Arrivals, _ context: UploadContext) {
        (self.storage, self.arrivals, self.context) = (storage, arrivals, context)
    }

    var count: Int { self.entries.count }
    /// The files, with the names that they are to get.
    var files: [UploadReceipt.File] { self.entries.map(\.file) }
    /// Bytes of the file that ended last.
    var lastSize: Int64 { self.entries.last?.file.size ?? 0 }

    mutating func begin(_ file: IncomingFile, field: String?) async throws -> any StorageUpload {
        ReceiverMemory.lease?.fileEnded()
        let storage = self.storage
        let file = self.beside(file)
        let upload = try await StorageProblem.marking { try await storage.begin(file) }
        self.add(upload, file, field: field)
        return upload
    }

    /// Begins a file, the only one of its request, that has the bytes of a complete body.
    /// - Returns: Whether the storage can use the body where it is.
    mutating func begin(_ file: IncomingFile, from stored: StoredBody) async throws -> Bool {
        ReceiverMemory.lease?.fileEnded()
        let storage = self.storage
        let upload = try await StorageProblem.marking {
            if let finished = stored.file { return try await storage.begin(file, from: [finished.whole]) }
            guard let name = stored.upload else { return nil }
            return try await storage.begin(file, fromUpload: name, nil)
        }
        guard let upload else { return false }
        self.add(upload, file, field: nil)
        return true
    }

    /// Begins a file that has the bytes of a form's file.
    /// - Returns: Whether the storage can copy them.
    mutating func begin(
        _ file: IncomingFile, field: String?, from stored: StoredForm.File, of form: StoredForm
    ) async throws -> Bool {
        ReceiverMemory.lease?.fileEnded()
        let storage = self.storage
        let file = self.beside(file)
        let upload = try await StorageProblem.marking {
            if !stored.slices.isEmpty { return try await storage.begin(file, from: stored.slices) }
            return try await storage.begin(file, fromUpload: form.upload, stored.content)
        }
        guard let upload else { return false }
        self.add(upload, file, field: field)
        return true
    }

    /// A file as one of this form: two of them never replace each other.
    private func beside(_ file: IncomingFile) -> IncomingFile {
        var file = file
        if self.entries.contains(where: { $0.file.name == file.path.text }) { file.mayReplace = false }
        return file
    }

    private mutating func add(_ upload: any StorageUpload, _ file: IncomingFile, field: String?) {
        // A head can contain a long type or name, and a thousand of them are kept, and reported to a hook.
        let type = file.contentType?.cut(to: 255)
        var described = UploadReceipt.File(name: file.path.text, size: 0, type: type, field: field?.cut(to: 255))
        described.droppedFolders = file.droppedFolders?.cut(to: 255)
        self.entries.append(
            Entry(upload: upload, file: described, arrival: self.arrivals.began(described, of: self.context.owner)))
    }

    /// Records the size and digest of the file that was begun last.
    mutating func ended(size: Int64, sha256: String?) {
        let last = self.entries.count - 1
        (self.entries[last].file.size, self.entries[last].file.sha256) = (size, sha256)
    }

    /// Adds to the fingerprint what a repeated upload must have, too.
    mutating func note(_ texts: String..., bytes: [UInt8] = []) {
        guard self.fingerprint != nil else { return }
        for part in texts.map({ Array($0.utf8) }) + [bytes] {
            Array("\(part.count):".utf8).withBytes { self.fingerprint?.update($0) }
            part.withBytes { self.fingerprint?.update($0) }
        }
    }

    /// Makes all of them visible.
    /// - Returns: The names of the files, followed by the record's.
    mutating func finish(_ publication: Publication) async throws -> [String] {
        if let run = self.context.run, !run.beginPublishing() { throw CancellationError() }
        self.isPublishing = true
        ReceiverMemory.lease?.fileEnded()
        let (storage, uploads) = (self.storage, self.entries.map(\.upload))
        let names = try await StorageProblem.marking { try await storage.publish(uploads, publication) }
        for (entry, file) in zip(self.entries, self.files.named(names)) { self.arrivals.arrived(entry.arrival, file) }
        return names
    }

    /// Removes all of them.
    func abandon() async {
        let entries = self.entries
        if !self.isPublishing {
            // In a separate task: the request's task may be cancelled, but the store must still be told to remove the
            // files.
            await Task { for entry in entries.reversed() { await entry.upload.abandon() } }.value
        }
        for entry in entries { self.arrivals.failed(entry.arrival) }
    }
}

extension [UploadReceipt.File] {
    /// The same files with these names.
    func named(_ names: some Sequence<String>) -> [UploadReceipt.File] {
        zip(self, names).map { file, name in
            var file = file
            file.name = name
            return file
        }
    }
}

extension String {
    /// The longest prefix that fits in this many bytes of UTF-8.
    func cut(to limit: Int) -> String {
        guard self.utf8.count > limit else { return self }
        var scalars = String.UnicodeScalarView()
        var room = limit
        for scalar in self.unicodeScalars {
            room -= UTF8.width(scalar)
            guard room >= 0 else { break }
            scalars.append(scalar)
        }
        return String(scalars)
    }
}
