#if Command
import Glibc
import SystemPackage

/// Standard input, output and error.
enum StandardDescriptors {
    /// Opens what was closed when the process began: else the next file or socket would be taken for it.
    ///
    /// The other way round than it is used, so that reading and writing there fail.
    static func fill() {
        for descriptor in [FileDescriptor.standardInput, .standardOutput, .standardError]
        where fcntl(descriptor.rawValue, F_GETFD) == -1 {
            // The system gives the lowest number that is free.
            _ = try? FileDescriptor.open(FilePath("/dev/null"), descriptor == .standardInput ? .writeOnly : .readOnly)
        }
    }
}
#endif
