import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

extension Errno {
    /// The code of Foundation's `POSIXError`.
    package init(_ code: POSIXErrorCode) { self.init(rawValue: code.rawValue) }
}
