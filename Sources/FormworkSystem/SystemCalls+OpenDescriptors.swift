import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

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
