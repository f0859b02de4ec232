import Foundation
import Synchronization

/// Imitates a file system that reports a full disk only when a file is closed, as NFS and FUSE may: this process's own
/// `close` takes the place of the C library's, as ``DiskSyncs`` does it.
public enum LateErrors {
    fileprivate static let folders = Mutex(Set<String>())

    /// Has every close of a descriptor of a file in the folder fail, with `ENOSPC`, while `body` runs. Linux closes the
    /// descriptor nevertheless.
    public static func closing<Result>(filesIn folder: String, _ body: () async throws -> Result) async rethrows
        -> Result
    {
        let folder = URL(fileURLWithPath: folder).resolvingSymlinksInPath().path + "/"
        self.folders.withLock { _ = $0.insert(folder) }
        defer { self.folders.withLock { _ = $0.remove(folder) } }
        return try await body()
    }

    fileprivate static func fails(_ descriptor: CInt) -> Bool {
        self.folders.withLock { folders in
            guard !folders.isEmpty, fcntl(descriptor, F_GETFL) & O_ACCMODE != O_RDONLY,
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
            else { return false }
            return folders.contains { path.hasPrefix($0) }
        }
    }

    fileprivate static let next: (@convention(c) (CInt) -> CInt)? = {
        // RTLD_NEXT, which Swift doesn't import.
        guard let symbol = dlsym(UnsafeMutableRawPointer(bitPattern: -1), "close") else { return nil }
        return unsafeBitCast(symbol, to: (@convention(c) (CInt) -> CInt).self)
    }()
}

/// The process's `close`.
@_cdecl("close")
public func lateClose(_ descriptor: CInt) -> CInt {
    guard let next = LateErrors.next else {
        errno = ENOSYS
        return -1
    }
    let isFailing = LateErrors.fails(descriptor)
    let result = next(descriptor)
    guard isFailing, result == 0 else { return result }
    errno = ENOSPC
    return -1
}
