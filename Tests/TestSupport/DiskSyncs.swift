import Foundation
import Synchronization

/// What this process has asked the disk to keep: its own `fsync` takes the place of the C library's in every module that is
/// linked into the tests, notes where the file is, and calls the library's.
///
/// A file is noted by the folder that it is in, which a test has for itself: a file without a name has nothing else, and
/// file systems give a number again as soon as its file is gone.
public enum DiskSyncs {
    fileprivate static let state = Mutex((counts: [String: Int](), failing: Set<String>()))

    /// How often a file in the folder was brought to the disk, whether or not it has a name.
    public static func count(ofFilesIn folder: String) -> Int {
        let prefix = self.real(folder) + "/"
        return self.state.withLock { state in
            state.counts.reduce(0) { $0 + ($1.key.hasPrefix(prefix) ? $1.value : 0) }
        }
    }

    /// How often the folder itself, and with it the names in it, was brought to the disk.
    public static func count(ofFolder folder: String) -> Int {
        let folder = self.real(folder)
        return self.state.withLock { $0.counts[folder] ?? 0 }
    }

    /// Has a file or folder refused by the disk, with `EIO`, while `body` runs.
    public static func failing<Result>(_ path: String, _ body: () throws -> Result) rethrows -> Result {
        let path = self.real(path)
        self.state.withLock { _ = $0.failing.insert(path) }
        defer { self.state.withLock { _ = $0.failing.remove(path) } }
        return try body()
    }

    private static func real(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }

    /// - Returns: Whether the call is to fail.
    fileprivate static func note(_ descriptor: CInt) -> Bool {
        let link = "/proc/self/fd/\(descriptor)"
        guard let path = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return false }
        return self.state.withLock { state in
            state.counts[path, default: 0] += 1
            return state.failing.contains(path)
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
