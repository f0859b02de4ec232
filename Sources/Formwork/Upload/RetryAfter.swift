/// `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date.
package enum RetryAfter {
    /// How long to wait; `nil` for no value or an invalid one.
    /// - Parameter now: Seconds since 1970.
    package static func delay(_ value: String?, now: Int64) -> Duration? {
        guard let value else { return nil }
        if !value.isEmpty, value.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
            return Duration.seconds(min(Int64(value) ?? .max, 1_000_000_000))
        }
        return HTTPDate.seconds(value).map { Duration.seconds($0 - now).asWait }
    }
}
