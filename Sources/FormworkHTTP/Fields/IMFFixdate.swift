#if NIO
    /// A date of HTTP, `Sun, 06 Nov 1994 08:49:37 GMT` (RFC 9110 §5.6.7), in seconds since 1970.
    package enum IMFFixdate {
        private static let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        private static let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]

        /// Writes a date of the years 1970 to 9999.
        package static func text(_ seconds: Int64) -> String {
            let seconds = max(0, min(seconds, 253_402_300_799))
            let day = seconds / 86400
            let time = seconds % 86400
            var (year, rest) = (Int64(1970), day)
            while rest >= self.days(in: year) {
                rest -= self.days(in: year)
                year += 1
            }
            var month = 0
            while rest >= self.days(in: month, of: year) {
                rest -= self.days(in: month, of: year)
                month += 1
            }
            let clock = [time / 3600, time / 60 % 60, time % 60].map(self.twoDigits).joined(separator: ":")
            let date = "\(self.twoDigits(rest + 1)) \(self.months[month]) \(year)"
            return "\(self.weekdays[Int(day % 7)]), \(date) \(clock) GMT"
        }

        /// Reads one; `nil` for anything else, and for years outside 1970 to 9999.
        package static func seconds(_ text: String) -> Int64? {
            let words = text.split(separator: " ")
            guard words.count == 6, let day = Int64(words[1]), let month = self.months.firstIndex(of: String(words[2])),
                let year = Int64(words[3]), (1970...9999).contains(year)
            else { return nil }
            let clock = words[4].split(separator: ":").compactMap { Int64($0) }
            guard clock.count == 3 else { return nil }
            var days = day - 1
            for earlier in 1970..<year { days += self.days(in: earlier) }
            for earlier in 0..<month { days += self.days(in: earlier, of: year) }
            let (hour, minute, second) = (clock[0], clock[1], clock[2])
            let seconds = days * 86400 + hour * 3600 + minute * 60 + second
            return (1...31).contains(day) && self.text(seconds) == text ? seconds : nil
        }

        private static func days(in year: Int64) -> Int64 { self.isLeap(year) ? 366 : 365 }

        private static func days(in month: Int, of year: Int64) -> Int64 {
            month == 1 && self.isLeap(year) ? 29 : [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month]
        }

        private static func isLeap(_ year: Int64) -> Bool {
            year % 4 == 0 && year % 100 != 0 || year % 400 == 0
        }

        private static func twoDigits(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    }
#endif
