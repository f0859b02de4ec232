#if NIO
    /// `Retry-After` (RFC 9110 section 10.2.3): seconds, or a date in any of the three forms of section 5.6.7.
    enum RetryAfter {
        /// How long to wait; `nil` for a value that says nothing.
        /// - Parameter now: Seconds since 1970.
        static func delay(_ value: String, now: Int64) -> Duration? {
            if let seconds = Int64(value), seconds >= 0 { return .seconds(min(seconds, 1_000_000_000)) }
            return Self.seconds(ofDate: value).map { .seconds(max(0, $0 - now)) }
        }

        private static let months = [
            "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
        ]

        /// Seconds since 1970.
        static func seconds(ofDate text: String) -> Int64? {
            // "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994"
            var words = text.lowercased().split { $0 == " " || $0 == "-" || $0 == "," }.dropFirst().map(String.init)
            guard words.count >= 4 else { return nil }
            if let first = words.first, self.months.contains(first) {
                words = [words[1], words[0], words[3], words[2]]
            }
            guard let day = Int64(words[0]), 1...31 ~= day, let month = self.months.firstIndex(of: words[1]),
                var year = Int64(words[2]), 0...9999 ~= year
            else { return nil }
            // Two digits are of this century, unless that is more than 50 years ahead: good until 2049.
            if words[2].utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
            let clock = words[3].split(separator: ":").map { Int64($0) ?? -1 }
            guard clock.count == 3, 0...23 ~= clock[0], 0...59 ~= clock[1], 0...60 ~= clock[2] else { return nil }
            return self.days(year, Int64(month + 1), day) * 86_400 + clock[0] * 3600 + clock[1] * 60 + clock[2]
        }

        /// Days since 1970-01-01 in the Gregorian calendar, counted in years that begin in March.
        private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
            let year = month <= 2 ? year - 1 : year
            let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
            return year * 365 + year / 4 - year / 100 + year / 400 + dayOfYear - 719_468
        }
    }
#endif
