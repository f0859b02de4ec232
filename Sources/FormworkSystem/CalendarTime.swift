import FormworkLibc

// Unsafe code in this file: the C library's conversion of a time to a date.

/// A date and a time of day.
package struct CalendarTime: Equatable, Sendable {
    /// The year, for example 2026.
    package var year: Int
    /// The month, 1 to 12.
    package var month: Int
    /// The day of the month, 1 to 31.
    package var day: Int
    package var hour: Int
    package var minute: Int
    /// The second, 0 to 60: a leap second is 60.
    package var second: Int

    /// The time now, in the time zone of this process.
    package static func nowHere() -> CalendarTime {
        var (now, parts) = unsafe (time(nil), tm())
        // SAFETY: both pointers are to variables of this frame.
        unsafe localtime_r(&now, &parts)
        return unsafe CalendarTime(parts)
    }

    /// The time now, in UTC.
    package static func nowInUTC() -> CalendarTime {
        var (now, parts) = unsafe (time(nil), tm())
        // SAFETY: both pointers are to variables of this frame.
        unsafe gmtime_r(&now, &parts)
        return unsafe CalendarTime(parts)
    }

    private init(_ parts: tm) {
        unsafe (self.year, self.month, self.day) = (
            1900 + Int(parts.tm_year), Int(parts.tm_mon) + 1, Int(parts.tm_mday)
        )
        unsafe (self.hour, self.minute, self.second) = (Int(parts.tm_hour), Int(parts.tm_min), Int(parts.tm_sec))
    }
}
