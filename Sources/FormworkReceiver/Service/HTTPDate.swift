#if Transfer
    #if canImport(FoundationEssentials)
        import FoundationEssentials
    #else
        import Foundation
    #endif

    /// Dates as RFC 9110 §5.6.7 writes them: `Sun, 06 Nov 1994 08:49:37 GMT`.
    package enum HTTPDate {
        static var now: String { self.text(of: .now) }

        package static func text(of date: Date) -> String {
            // 1994-11-06T08:49:37Z
            let words = date.formatted(.iso8601).split { "-T Z".contains($0) }
            guard words.count == 4, let month = Int(words[1]), (1...12).contains(month) else { return "" }
            let days = Int((date.timeIntervalSince1970 / 86_400).rounded(.down))
            // The first day of 1970 was a Thursday.
            let weekday = self.weekdays[((days + 4) % 7 + 7) % 7]
            return "\(weekday), \(words[2]) \(self.months[month - 1]) \(words[0]) \(words[3]) GMT"
        }

        private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        private static let months = [
            "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
        ]
    }
#endif
