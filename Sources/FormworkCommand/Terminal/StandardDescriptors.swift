#if Command
import FormworkSystem
import SystemPackage

/// Standard input, output and error.
enum StandardDescriptors {
    /// Opens the standard descriptors that are closed when the process starts. Otherwise the next file or socket would
    /// get their number.
    ///
    /// They are opened for the opposite direction, so that reading or writing them fails.
    static func fill() {
        for descriptor in [FileDescriptor.standardInput, .standardOutput, .standardError]
        where !SystemCalls.isOpen(descriptor) {
            // The system uses the lowest free number.
            _ = try? FileDescriptor.open(FilePath("/dev/null"), descriptor == .standardInput ? .writeOnly : .readOnly)
        }
    }
}
#endif
