/// An HTTP date (RFC 9110 §5.6.7), in seconds since 1970.
package enum HTTPDate {
    private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    private static let months = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    private static let years: ClosedRange<Int64> = 1970...9999

    /// Writes a date of the years 1970 to 9999 in the form that senders must use: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package static func text(_ seconds: Int64) -> String {
        let seconds = max(0, min(seconds, 253_402_300_799))
        let (days, time) = seconds.quotientAndRemainder(dividingBy: 86_400)
        let date = GregorianCalendar.date(days)
        let clock = [time / 3600, time / 60 % 60, time % 60].map { $0.padded(to: 2) }.joined(separator: ":")
        return "\(Self.weekdays[Int(days % 7)]), \(date.day.padded(to: 2)) \(Self.months[Int(date.month) - 1]) "
            + "\(date.year) \(clock) GMT"
    }

    /// Reads a date in any of the three forms that exist; `nil` for anything else, and for years outside 1970 to 9999.
    package static func seconds(_ text: String) -> Int64? {
        // "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
        var words = text.split { $0 == " " || $0 == "-" || $0 == "," }.map(String.init)
        if words.count == 5 { words = [words[0], words[2], words[1], words[4], words[3], "GMT"] }
        guard words.count == 6, words[5] == "GMT", let month = Self.months.firstIndex(of: words[2]),
            let day = Self.number(words[1], digits: 1...2), let given = Self.number(words[3], digits: 2...4)
        else { return nil }
        // Two digits mean 1970 to 2069, since no date here is before 1970.
        let year = words[3].utf8.count == 2 ? given + (given < 70 ? 2000 : 1900) : given
        let clock = words[4].split(separator: ":").compactMap { Self.number(String($0), digits: 2...2) }
        // 60 is a leap second.
        guard Self.years.contains(year), clock.count == 3, clock[0] < 24, clock[1] < 60, clock[2] <= 60 else {
            return nil
        }
        let days = GregorianCalendar.days(year, Int64(month + 1), day)
        guard days >= 0, GregorianCalendar.date(days) == (year, Int64(month + 1), day),
            words[0].hasPrefix(Self.weekdays[Int(days % 7)])
        else { return nil }
        return days * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
    }

    private static func number(_ text: String, digits: ClosedRange<Int>) -> Int64? {
        digits.contains(text.utf8.count) && text.utf8.allSatisfy(\.isDigit) ? Int64(text) : nil
    }
}
