import CFormworkSystem
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
