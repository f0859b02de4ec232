#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkSystem
import Synchronization

/// Caches the content of records. In a folder, a record is read again only if its file has changed.
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
        var validator: FileValidator
        var expires: Date
        var isFinished: Bool
        var length: Int64?
    }

    private let known = Mutex([String: Known]())

    /// The entries of those uploads that have a record of a known version.
    func entries(_ names: [String], in storage: any UploadStorage) async -> [Entry] {
        let folder = storage as? FolderUploads
        let known = self.known.withLock { $0 }
        var found: [String: Known] = [:]
        var entries: [Entry] = []
        for name in names {
            let stamp = folder?.stamp(of: name)
            if folder != nil, stamp == nil { continue }
            if let stamp, let one = known[name], one.validator == stamp.record {
                found[name] = one
                entries.append(
                    Entry(
                        name: name, expires: one.expires, isFinished: one.isFinished, size: stamp.size,
                        length: one.length, written: stamp.written))
                continue
            }
            guard let bytes = (try? await storage.record(of: name)) ?? nil, let record = UploadRecord(bytes) else {
                continue
            }
            let isFinished = record.answer != nil
            if let stamp {
                found[name] = Known(
                    validator: stamp.record, expires: record.expires, isFinished: isFinished, length: record.length)
            }
            let size: Int64 = if let stamp { stamp.size } else { (try? await storage.count(of: name)) ?? 0 }
            entries.append(
                Entry(
                    name: name, expires: record.expires, isFinished: isFinished, size: size, length: record.length,
                    written: stamp?.written ?? record.created.timeIntervalSince1970))
        }
        self.known.withLock { [found] in $0 = found }
        return entries
    }
}
#endif
