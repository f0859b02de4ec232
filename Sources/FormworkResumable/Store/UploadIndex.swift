import FormworkEssentials
import FormworkSystem
import Synchronization

/// Caches the content of records. In a folder, a record is read again only if its file has changed. In a storage of the
/// caller's, which doesn't show that, it is read again after five seconds: another process may have changed it.
final class UploadIndex: Sendable {
    /// The data of an upload that eviction is based on.
    struct Entry: Sendable {
        var name: String
        var expires: Date
        var isFinished: Bool
        /// Bytes stored.
        var size: Int64
        /// Bytes announced; `nil` if not known yet.
        var length: Int64?
        /// When bytes last arrived, or otherwise when the upload began: seconds since 1970.
        var written: Double

        /// Bytes that it has, or is going to have. Of a completed upload only the answer is kept.
        var claim: Int64 { self.isFinished ? 0 : max(self.size, self.length ?? 0) }
    }

    private struct Known {
        /// Of the record's file; `nil` in a storage of the caller's.
        var validator: FileValidator?
        var read: ContinuousClock.Instant
        var entry: Entry

        /// Whether the record doesn't have to be read again.
        func isCurrent(_ now: ContinuousClock.Instant, _ file: FileValidator?) -> Bool {
            if let file { return file == self.validator }
            // Only its bytes show how much of the total it has.
            return self.validator == nil && now - self.read < .seconds(5)
                && (self.entry.isFinished || self.entry.length != nil)
        }
    }

    private let known = Mutex([String: Known]())

    /// Forgets an upload that this process changes.
    func forget(_ name: String) { self.known.withLock { $0[name] = nil } }

    /// Forgets uploads that are gone.
    private func forget(allBut names: [String]) {
        self.known.withLock { known in
            // Not with each call: one may ask for a single upload.
            guard known.count > 2 * names.count + 1_000 else { return }
            let names = Set(names)
            known = known.filter { names.contains($0.key) }
        }
    }

    /// The entries of those uploads that have a record of a known version.
    func entries(_ names: [String], in storage: any UploadStorage) async -> [Entry] {
        let folder = storage as? FolderUploads
        let known = self.known.withLock { $0 }
        let now = ContinuousClock.now
        var entries: [Entry] = []
        entries.reserveCapacity(names.count)
        for name in names {
            let stamp = folder?.stamp(of: name)
            if folder != nil, stamp == nil { continue }
            var entry: Entry
            if let old = known[name], old.isCurrent(now, stamp?.record) {
                entry = old.entry
            } else {
                guard let bytes = (try? await storage.record(of: name)) ?? nil, let record = UploadRecord(bytes) else {
                    continue
                }
                let size: Int64 = if folder == nil { (try? await storage.count(of: name)) ?? 0 } else { 0 }
                let idle: Double? = if folder == nil { try? await storage.idleTime(of: name) } else { nil }
                let changed = idle.map { Date(timeIntervalSinceNow: -$0) } ?? record.created
                entry = Entry(
                    name: name, expires: record.expires, isFinished: record.answer != nil, size: size,
                    length: record.parts == nil ? record.length : 0, written: changed.timeIntervalSince1970)
                let one = Known(validator: stamp?.record, read: now, entry: entry)
                self.known.withLock { $0[name] = one }
            }
            // Bytes don't change the record.
            if let stamp { (entry.size, entry.written) = (stamp.size, stamp.written) }
            entries.append(entry)
        }
        self.forget(allBut: names)
        return entries
    }
}
