#if Command
import FormworkCore
import FormworkSystem

/// The time for logs and events.
package enum WallClock {
    /// The time of day here: `14:03:21`.
    package static func timeOfDay() -> String { self.clock(.nowHere()) }

    /// The time in UTC, as RFC 3339 writes it: `2026-11-23T14:03:21Z`.
    package static func timestamp() -> String {
        let now = CalendarTime.nowInUTC()
        return "\(now.year)-\(now.month.padded(to: 2))-\(now.day.padded(to: 2))T\(self.clock(now))Z"
    }

    private static func clock(_ time: CalendarTime) -> String {
        [time.hour, time.minute, time.second].map { $0.padded(to: 2) }.joined(separator: ":")
    }
}
#endif
