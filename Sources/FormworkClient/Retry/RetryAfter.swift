#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date.
enum RetryAfter {
    /// How long to wait; `nil` for no value or an invalid one.
    /// - Parameter now: Seconds since 1970.
    static func delay(_ value: String?, now: Int64 = Int64(clamping: Date().timeIntervalSince1970)) -> Duration? {
        guard let value else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Duration.seconds(min(Int64(value) ?? .max, 1_000_000_000))
        }
        return HTTPDate.seconds(value).map { Duration.seconds($0 - now).asWait }
    }
}
#endif
