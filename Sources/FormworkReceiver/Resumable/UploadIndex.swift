#if Transfer
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import Synchronization
import SystemPackage

/// What the records of a folder said when they were read last: a record is read again only when its file is another.
final class UploadIndex: Sendable {
    /// Of one upload, what it takes to choose among them.
    struct Entry: Sendable {
        var name: String
        var expires: Date
        var isFinished: Bool
        /// Bytes that are there.
        var size: Int64
        /// When bytes came last, or the upload began: seconds since 1970.
        var written: Double
    }

    private struct Known {
        var validator: FileValidator
        var expires: Date
        var isFinished: Bool
    }

    private let known = Mutex([String: Known]())

    /// Those of these names of which there is a record that this version knows.
    func entries(_ names: [String], in store: UploadStore) -> [Entry] {
        let known = self.known.withLock { $0 }
        var found: [String: Known] = [:]
        var entries: [Entry] = []
        for name in names {
            guard let validator = try? FileValidator(ofRegularFile: store.recordPath(name)) else { continue }
            var one = known[name]
            if one?.validator != validator {
                guard let record = try? UploadRecord.read(at: store.recordPath(name)) else { continue }
                one = Known(validator: validator, expires: record.expires, isFinished: record.answer != nil)
            }
            guard let one else { continue }
            found[name] = one
            let data = try? FileValidator(ofRegularFile: store.dataPath(name))
            entries.append(
                Entry(
                    name: name, expires: one.expires, isFinished: one.isFinished, size: data?.size ?? 0,
                    written: Double((data ?? validator).modified.seconds)))
        }
        self.known.withLock { [found] in $0 = found }
        return entries
    }
}
#endif
