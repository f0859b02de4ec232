#if NIO
import SystemPackage

extension Errno {
    /// Whether room is missing, so that 507 is the answer (RFC 4918 §11.5). Other errors may pass by themselves.
    package var isLackOfRoom: Bool { [.noSpace, .diskQuotaExceeded, .fileTooLarge].contains(self) }
}
#endif
