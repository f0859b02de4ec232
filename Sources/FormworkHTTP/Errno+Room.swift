#if NIO
import FormworkCore
import SystemPackage

extension Errno {
    /// Whether room is missing, so that 507 is the answer (RFC 4918 §11.5). Other errors may pass by themselves.
    package var isLackOfRoom: Bool { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(self) }

    /// The system's error inside another error: the error itself, or its cause. `nil` for any other error.
    package init?(of error: any Error) {
        guard let errno = error as? Errno ?? (error as? FormworkError)?.cause as? Errno else { return nil }
        self = errno
    }
}
#endif
