import CFormworkSystem
import FormworkLibc
import SystemPackage

// Unsafe code in this file: the calls that share a file's content with a copy.

extension SystemCalls {
    /// A file without a name in `folder` that shares the content that `file` has at this moment (FICLONE on Linux,
    /// `fclonefileat` on Darwin).
    /// - Throws: `notSupported` and others if the file system can't do that, or the file is on another one.
    package static func openClone(of file: FileDescriptor, in folder: FilePath) throws(Errno) -> FileDescriptor {
        #if canImport(Darwin)
        // A clone has a name for a moment. Its permissions are those of its file, so others can read no more than before.
        let place = try self.open(folder, .readOnly, .directory)
        defer { try? self.close(place) }
        let name = ".formwork.\(RandomWord.make())"
        // SAFETY: the String's C string lives through the call, which keeps no pointer to it.
        guard unsafe fclonefileat(file.rawValue, place.rawValue, name, UInt32(CLONE_NOOWNERCOPY)) == 0 else {
            throw Errno(rawValue: errno)
        }
        defer { self.unlink(name, in: place) }
        return try self.openFile(name, in: place)
        #else
        let copy = try self.openUnnamed(in: folder, permissions: .ownerReadWrite)
        let result = fw_clone(file.rawValue, copy.rawValue)
        guard result == 0 else {
            try? self.close(copy)
            throw Errno(rawValue: -result)
        }
        return copy
        #endif
    }
}

// Paths that name open descriptors of this process.
extension SystemCalls {
    /// Opens the descriptor that a path names, such as `/dev/stdout` or `/dev/fd/3`, a second time. Links to such a path
    /// are followed.
    ///
    /// The file of a descriptor must not be opened again by its path, or replaced: other programs write to it too, and
    /// its position and append mode are the descriptor's.
    /// - Returns: A copy that shares the position; `nil` if the path doesn't name a descriptor.
    package static func copyOfDescriptor(named path: FilePath) throws(Errno) -> FileDescriptor? {
        var place = path
        // The number of links that Linux follows.
        for _ in 0..<40 {
            if let descriptor = self.descriptor(named: place.string) {
                let copy = fcntl(descriptor.rawValue, F_DUPFD_CLOEXEC, 0)
                guard copy >= 0 else { throw Errno(rawValue: errno) }
                return FileDescriptor(rawValue: copy)
            }
            guard let target = (try? self.target(ofLink: place)) ?? nil else { return nil }
            place = place.removingLastComponent().pushing(target)
        }
        return nil
    }

    private static func descriptor(named path: String) -> FileDescriptor? {
        switch path {
        case "/dev/stdin": return .standardInput
        case "/dev/stdout": return .standardOutput
        case "/dev/stderr": return .standardError
        default: break
        }
        for folder in ["/dev/fd/", "/proc/self/fd/", "/proc/\(getpid())/fd/"] where path.hasPrefix(folder) {
            let digits = path.dropFirst(folder.count)
            guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = CInt(digits) else { return nil }
            return FileDescriptor(rawValue: number)
        }
        return nil
    }
}
