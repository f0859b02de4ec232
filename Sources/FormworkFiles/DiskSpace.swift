import Formwork
import FormworkSystem
import SystemPackage

/// Free space on a disk.
package enum DiskSpace {
    /// The bytes that this user may still write on the disk of a path; `nil` if that is unknown, or the path doesn't
    /// exist.
    package static func available(at path: FilePath) -> Int64? { try? SystemCalls.availableBytes(at: path) }
}

/// The room that an upload needs which is stored first, and becomes a file, or the files of a form, when it is complete.
package struct UploadRoom: Sendable {
    /// Bytes of the whole upload, 0 or more.
    package var length: Int64
    /// Those that haven't arrived yet.
    package var missing: Int64
    /// Whether it is a form, of which the files are copied.
    package var isForm: Bool
    /// The folder in which it is stored; `nil` if that is not a folder.
    package var place: FilePath?
    /// Bytes in that folder that count as free, since others may be removed.
    package var reclaimable: Int64 = 0

    package init(length: Int64, missing: Int64, isForm: Bool, place: FilePath?, reclaimable: Int64 = 0) {
        (self.length, self.missing, self.isForm) = (max(0, length), max(0, missing), isForm)
        (self.place, self.reclaimable) = (place, max(0, reclaimable))
    }

    /// Whether the disk of the folder for complete files has this room; `true` if that can't be determined.
    /// - Parameter free: Bytes that must stay free.
    package func fits(in folder: OpenFolder, keeping free: Int64) -> Bool {
        let isOnDisk = self.place.map(folder.sharesDisk(with:)) ?? false
        var needed = isOnDisk ? self.missing : 0
        if self.isForm || !(self.place.map(folder.canAdopt(from:)) ?? false) {
            let (sum, isBeyond) = needed.addingReportingOverflow(self.length)
            needed = isBeyond ? .max : sum
        }
        guard needed > 0, let available = DiskSpace.available(at: folder.path) else { return true }
        let room = available - min(available, max(0, free))
        return needed - (isOnDisk ? min(self.reclaimable, needed) : 0) <= room
    }
}
