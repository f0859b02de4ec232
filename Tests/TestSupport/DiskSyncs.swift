import Foundation
import Synchronization

/// What this process has asked the disk to keep: its own `fsync` takes the place of the C library's in every module that is
/// linked into the tests, notes the file, and calls the library's.
///
/// A file is known by device and number, so that one is found again which had no name when it was brought to the disk.
public enum DiskSyncs {
    fileprivate struct File: Hashable, Sendable {
        var device: UInt64
        var number: UInt64

        init(_ status: stat) { (self.device, self.number) = (UInt64(status.st_dev), UInt64(status.st_ino)) }
    }

    fileprivate static let state = Mutex((counts: [File: Int](), failing: Set<File>()))

    private static func file(at path: String) -> File? {
        var status = stat()
        return stat(path, &status) == 0 ? File(status) : nil
    }

    /// How often the file or folder that now has the path was brought to the disk.
    public static func count(of path: String) -> Int {
        guard let file = self.file(at: path) else { return 0 }
        return self.state.withLock { $0.counts[file] ?? 0 }
    }

    /// Has a file or folder refused by the disk, with `EIO`, while `body` runs.
    public static func failing<Result>(_ path: String, _ body: () throws -> Result) rethrows -> Result {
        let file = self.file(at: path)
        self.state.withLock { state in if let file { state.failing.insert(file) } }
        defer { self.state.withLock { state in if let file { state.failing.remove(file) } } }
        return try body()
    }

    /// - Returns: Whether the call is to fail.
    fileprivate static func note(_ descriptor: CInt) -> Bool {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return false }
        return self.state.withLock { state in
            state.counts[File(status), default: 0] += 1
            return state.failing.contains(File(status))
        }
    }

    /// The C library's own, the next one behind this executable's.
    fileprivate static let next: (@convention(c) (CInt) -> CInt)? = {
        // RTLD_NEXT, which Swift doesn't import.
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "fsync") else { return nil }
        return unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
    }()
}

/// The process's `fsync`.
@_cdecl("fsync")
public func notingSync(_ descriptor: CInt) -> CInt {
    guard !DiskSyncs.note(descriptor), let next = DiskSyncs.next else {
        errno = EIO
        return -1
    }
    return next(descriptor)
}
