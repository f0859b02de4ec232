#if Command
import FormworkSystem

/// The time for logs and events.
package enum WallClock {
    /// The time of day here: `14:03:21`.
    package static func timeOfDay() -> String { self.clock(.nowHere()) }

    /// The time in UTC, as RFC 3339 writes it: `2026-11-23T14:03:21Z`.
    package static func timestamp() -> String {
        let now = CalendarTime.nowInUTC()
        return "\(now.year)-\(self.two(now.month))-\(self.two(now.day))T\(self.clock(now))Z"
    }

    private static func clock(_ time: CalendarTime) -> String {
        "\(self.two(time.hour)):\(self.two(time.minute)):\(self.two(time.second))"
    }

    private static func two(_ number: Int) -> String { (number < 10 ? "0" : "") + "\(number)" }
}
#endif
