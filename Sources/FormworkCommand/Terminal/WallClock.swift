#if Command
import Glibc

// Unsafe code in this file: the C library's conversion of a time to a date.

/// The time for logs and events.
package enum WallClock {
    /// The time of day here: `14:03:21`.
    package static func timeOfDay() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        // SAFETY: both pointers are to variables of this frame.
        unsafe localtime_r(&now, &parts)
        return unsafe self.clock(parts)
    }

    /// The time in UTC, as RFC 3339 writes it: `2026-11-23T14:03:21Z`.
    package static func timestamp() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        // SAFETY: both pointers are to variables of this frame.
        unsafe gmtime_r(&now, &parts)
        let date = unsafe "\(1900 + parts.tm_year)-\(self.two(parts.tm_mon + 1))-\(self.two(parts.tm_mday))"
        return unsafe "\(date)T\(self.clock(parts))Z"
    }

    private static func clock(_ parts: tm) -> String {
        unsafe "\(self.two(parts.tm_hour)):\(self.two(parts.tm_min)):\(self.two(parts.tm_sec))"
    }

    private static func two(_ number: Int32) -> String { (number < 10 ? "0" : "") + "\(number)" }
}
#endif
