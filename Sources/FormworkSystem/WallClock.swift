import FormworkLibc

// Unsafe code in this file: the C library's text of a time.

/// The time for logs and events.
package enum WallClock {
    /// The time of day here: `14:03:21`.
    package static func timeOfDay() -> String { self.text("%H:%M:%S", isUTC: false) }

    /// The time in UTC, as RFC 3339 writes it: `2026-11-23T14:03:21Z`.
    package static func timestamp() -> String { self.text("%Y-%m-%dT%H:%M:%SZ", isUTC: true) }

    private static func text(_ format: String, isUTC: Bool) -> String {
        var (now, parts) = unsafe (time(nil), tm())
        var text = [CChar](repeating: 0, count: 32)
        // SAFETY: the pointers are to variables of this frame, and the text has room for the whole time.
        _ = unsafe isUTC ? gmtime_r(&now, &parts) : localtime_r(&now, &parts)
        let count = unsafe strftime(&text, text.count, format, &parts)
        return String(decoding: text.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
