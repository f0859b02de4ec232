/// How a `Date` is written in a field.
///
/// All digits of a `Date`'s fraction are written, so decoding gives an equal date.
public struct FormDateFormat: Sendable, Hashable {
    private enum Kind { case iso8601, seconds, milliseconds }

    private let kind: Kind

    /// `2026-11-22T15:51:44Z`, with as many fractional digits as needed (RFC 3339), for the years 0 to 9999.
    ///
    /// Zones other than `Z` are read too, and the forms that browsers send: `2026-11-22T15:51` and `2026-11-22` are
    /// read as UTC, and a day as its first second.
    public static let iso8601 = FormDateFormat(kind: .iso8601)
    /// Seconds since 1970-01-01 00:00 UTC, as Unix counts them: `1795362704.5`.
    public static let secondsSince1970 = FormDateFormat(kind: .seconds)
    /// Milliseconds since 1970-01-01 00:00 UTC, as JavaScript counts them: `1795362704500`.
    public static let millisecondsSince1970 = FormDateFormat(kind: .milliseconds)

    /// The text of a moment; `nil` if it can't be written, such as a year of five digits or an infinite number.
    package func text(secondsSince2001 seconds: Double) -> String? {
        guard let moment = DecimalSeconds(seconds) else { return nil }
        let unix = DecimalSeconds(whole: moment.whole + Self.unixSecondsOf2001, fraction: moment.fraction)
        guard unix.isReadable else { return nil }
        return switch self.kind {
        case .iso8601: unix.calendarText
        case .seconds: unix.text
        case .milliseconds: unix.shifted(by: 3).text
        }
    }

    /// The moment of a text, in seconds since 2001-01-01 00:00 UTC; `nil` for invalid text.
    package func secondsSince2001(_ text: String) -> Double? {
        let moment: DecimalSeconds? =
            switch self.kind {
            case .iso8601: DecimalSeconds(calendarText: text)
            case .seconds: DecimalSeconds(text: text)
            case .milliseconds: DecimalSeconds(text: text, digits: 18)?.shiftedBack(by: 3)
            }
        guard var moment else { return nil }
        moment.whole -= Self.unixSecondsOf2001
        return moment.double
    }

    private static let unixSecondsOf2001: Int64 = 978_307_200
}

extension FormDateFormat: CustomStringConvertible {
    /// The format's name: `ISO 8601`, `seconds since 1970` or `milliseconds since 1970`.
    public var description: String {
        switch self.kind {
        case .iso8601: "ISO 8601"
        case .seconds: "seconds since 1970"
        case .milliseconds: "milliseconds since 1970"
        }
    }
}
