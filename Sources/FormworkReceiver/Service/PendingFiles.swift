#if Transfer
import Formwork

/// The files of one request, which appear together at its end or not at all.
struct PendingFiles {
    private struct Entry {
        var upload: any StorageUpload
        var file: UploadReceipt.File
        var arrival: Int
        var isFinished = false
    }

    private let storage: any ReceiverStorage
    private let arrivals: Arrivals
    private var entries: [Entry] = []

    init(_ storage: any ReceiverStorage, _ arrivals: Arrivals) {
        (self.storage, self.arrivals) = (storage, arrivals)
    }

    var count: Int { self.entries.count }
    /// Bytes of the file that ended last.
    var lastSize: Int64 { self.entries.last?.file.size ?? 0 }

    mutating func begin(_ file: IncomingFile, field: String?) async throws -> any StorageUpload {
        let storage = self.storage
        var file = file
        // Two files of one form are two files.
        file.mayReplace = !self.entries.contains { $0.file.name == file.name.text }
        let upload = try await StorageProblem.marking { try await storage.begin(file) }
        // A head has room for a long type, and a thousand of them are kept.
        let type = file.contentType?.cut(to: 255)
        let described = UploadReceipt.File(name: file.name.text, size: 0, type: type, field: field)
        self.entries.append(Entry(upload: upload, file: described, arrival: self.arrivals.began(described)))
        return upload
    }

    /// Notes what the file that was begun last came to.
    mutating func ended(size: Int64, sha256: String?) {
        let last = self.entries.count - 1
        (self.entries[last].file.size, self.entries[last].file.sha256) = (size, sha256)
    }

    /// Makes all of them visible.
    mutating func finish() async throws -> [UploadReceipt.File] {
        for index in self.entries.indices {
            let upload = self.entries[index].upload
            self.entries[index].file.name = try await StorageProblem.marking { try await upload.finish() }
            self.entries[index].isFinished = true
        }
        for entry in self.entries { self.arrivals.arrived(entry.arrival, entry.file) }
        return self.entries.map(\.file)
    }

    /// Leaves nothing of them.
    func abandon() async {
        let entries = self.entries
        // In a task of its own, because the request's may be cancelled, and a store still has to be told.
        await Task {
            for entry in entries.reversed() {
                if entry.isFinished { await entry.upload.withdraw() } else { await entry.upload.abandon() }
            }
        }.value
        for entry in entries { self.arrivals.failed(entry.arrival) }
    }
}

extension String {
    /// As much of it as so many bytes hold.
    fileprivate func cut(to limit: Int) -> String {
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
#endif
