import Formwork
import FormworkSystem
import Synchronization
import SystemPackage

/// Free space on a disk.
package enum DiskSpace {
    /// The bytes that this user may still write on the disk of a path; `nil` if that is unknown, or the path doesn't
    /// exist.
    package static func available(at path: FilePath) -> Int64? { try? SystemCalls.availableBytes(at: path) }

    /// Whether the disk of a path has room for this many bytes; `true` if that can't be determined.
    /// - Parameters:
    ///   - free: Bytes that must stay free.
    ///   - announced: Bytes that others will write.
    package static func hasRoom(
        for bytes: Int64, at path: FilePath, keeping free: Int64 = 0, beside announced: Int64
    ) -> Bool {
        guard let available = self.available(at: path) else { return true }
        let room = available - min(available, max(0, free))
        return bytes <= room - min(room, announced)
    }
}

/// Bytes that uploads have announced and not written yet. For other uploads they count as used.
package final class AnnouncedBytes: Sendable {
    fileprivate let sum = Mutex<Int64>(0)

    package init() {}

    /// How many there are.
    package var count: Int64 { self.sum.withLock { $0 } }

    /// Reserves bytes, and counts them from now on.
    /// - Parameters:
    ///   - count: 0 or more.
    ///   - later: How many of them ``ReservedRoom/wrote(_:)`` doesn't count: they are written at the end.
    ///   - fits: Whether there is room, beside the bytes announced so far.
    /// - Returns: `nil` if there is no room.
    package func reserve(
        _ count: Int64, later: Int64 = 0, if fits: (_ announced: Int64) -> Bool
    ) -> ReservedRoom? {
        self.sum.withLock { sum in
            guard fits(sum) else { return nil }
            // Any number fits on a disk whose free space is unknown.
            let count = min(count, .max - sum)
            sum += count
            return ReservedRoom(count, later: min(later, count), of: self)
        }
    }
}

/// Bytes that one upload has reserved, until the last reference to it is gone.
package final class ReservedRoom: Sendable {
    private let announced: AnnouncedBytes?
    private let later: Int64
    private let bytes: Mutex<Int64>

    fileprivate init(_ bytes: Int64, later: Int64, of announced: AnnouncedBytes) {
        (self.announced, self.later) = (announced, later)
        self.bytes = Mutex(bytes)
    }

    /// Reserves nothing, in a place whose room isn't limited.
    package init() {
        (self.announced, self.later) = (nil, 0)
        self.bytes = Mutex(0)
    }

    deinit { self.release() }

    /// Bytes that haven't been written yet.
    package var left: Int64 { self.bytes.withLock { $0 } }

    /// Counts bytes that are on the disk now.
    package func wrote(_ count: Int64) { self.lower { max(self.later, $0 - count) } }

    /// Gives back what is left.
    package func release() { self.lower { _ in 0 } }

    private func lower(_ next: (Int64) -> Int64) {
        self.bytes.withLock { left in
            let new = min(left, next(left))
            self.announced?.sum.withLock { $0 -= left - new }
            left = new
        }
    }
}

extension [ReservedRoom] {
    package func wrote(_ count: Int64) { for room in self { room.wrote(count) } }
    package func release() { for room in self { room.release() } }
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
    /// Whether it has been reserved, so that bytes that other uploads announced don't count.
    package var isReserved = false

    package init(length: Int64, missing: Int64, isForm: Bool, place: FilePath?, reclaimable: Int64 = 0) {
        (self.length, self.missing, self.isForm) = (max(0, length), max(0, missing), isForm)
        (self.place, self.reclaimable) = (place, max(0, reclaimable))
    }

    /// Reserves the room on the disk of the folder for complete files, unless that was done.
    /// - Parameters:
    ///   - free: Bytes that must stay free.
    ///   - announced: The bytes that uploads have announced on that disk.
    /// - Returns: `nil` if there is no room, as far as that can be determined.
    package func reserve(
        in folder: OpenFolder, keeping free: Int64, beside announced: AnnouncedBytes
    ) -> ReservedRoom? {
        let isOnDisk = self.place.map(folder.sharesDisk(with:)) ?? false
        let arriving = isOnDisk ? self.missing : 0
        var needed = arriving
        if self.isForm || !(self.place.map(folder.canAdopt(from:)) ?? false) {
            let (sum, isBeyond) = needed.addingReportingOverflow(self.length)
            needed = isBeyond ? .max : sum
        }
        let least = needed - (isOnDisk ? min(self.reclaimable, needed) : 0)
        return announced.reserve(self.isReserved ? 0 : needed, later: needed - arriving) { others in
            needed == 0
                || DiskSpace.hasRoom(for: least, at: folder.path, keeping: free, beside: self.isReserved ? 0 : others)
        }
    }
}
