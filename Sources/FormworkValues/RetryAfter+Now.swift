#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork

extension RetryAfter {
    /// How long to wait from now on; `nil` for no value or an invalid one.
    package static func delay(_ value: String?) -> Duration? {
        self.delay(value, now: Int64(clamping: Date().timeIntervalSince1970))
    }
}
