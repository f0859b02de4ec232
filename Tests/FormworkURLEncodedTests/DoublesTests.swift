@testable import FormworkURLEncoded
import Testing

@Suite("Numbers with a fraction", .timeLimit(.minutes(10)))
struct DoublesTests {
    /// A number as the five styles write it; what Node 20, PHP 8.2 and Ruby 3.1 printed.
    struct Row: Sendable, CustomTestStringConvertible {
        var number: Double
        var swift, nsNumber, javaScript, php, ruby: String
        var testDescription: String { self.swift }

        init(_ number: Double, _ swift: String, _ nsNumber: String, _ javaScript: String, _ php: String, _ ruby: String)
        {
            (self.number, self.swift, self.nsNumber) = (number, swift, nsNumber)
            (self.javaScript, self.php, self.ruby) = (javaScript, php, ruby)
        }
    }

    static let rows = [
        Row(0, "0.0", "0", "0", "0", "0.0"),
        Row(-0.0, "-0.0", "-0", "0", "-0", "-0.0"),
        Row(0.1, "0.1", "0.1", "0.1", "0.1", "0.1"),
        Row(100, "100.0", "100", "100", "100", "100.0"),
        Row(-2.5, "-2.5", "-2.5", "-2.5", "-2.5", "-2.5"),
        Row(1e25, "1e+25", "1e+25", "1e+25", "1.0E+25", "1.0e+25"),
        Row(1e-7, "1e-07", "1e-07", "1e-7", "1.0E-7", "1.0e-07"),
        Row(1e-5, "1e-05", "1e-05", "0.00001", "1.0E-5", "1.0e-05"),
        Row(0.0001, "0.0001", "0.0001", "0.0001", "0.0001", "0.0001"),
        Row(1.5e300, "1.5e+300", "1.5e+300", "1.5e+300", "1.5E+300", "1.5e+300"),
        Row(
            1 / 3, "0.3333333333333333", "0.3333333333333333", "0.3333333333333333", "0.33333333333333",
            "0.3333333333333333"),
        Row(1e14, "100000000000000.0", "100000000000000", "100000000000000", "1.0E+14", "100000000000000.0"),
        Row(
            99_999_999_999_999.5, "99999999999999.5", "99999999999999.5", "99999999999999.5", "1.0E+14",
            "99999999999999.5"),
        Row(1e15, "1000000000000000.0", "1000000000000000", "1000000000000000", "1.0E+15", "1.0e+15"),
        Row(
            1_068_845_169_970_123.9, "1068845169970123.9", "1068845169970123.9", "1068845169970123.9",
            "1.0688451699701E+15", "1068845169970123.9"),
        Row(1e21, "1e+21", "1e+21", "1e+21", "1.0E+21", "1.0e+21"),
        Row(1e20, "1e+20", "1e+20", "100000000000000000000", "1.0E+20", "1.0e+20"),
        Row(.infinity, "inf", "inf", "Infinity", "INF", "Infinity"),
        Row(-.infinity, "-inf", "-inf", "-Infinity", "-INF", "-Infinity"),
        Row(.nan, "nan", "nan", "NaN", "NAN", "NaN"),
    ]

    private func text(_ number: Double, _ style: Flattening.Doubles) throws -> String? {
        let dialect = URLEncodedDialect(flattening: Flattening(doubles: style))
        return try dialect.pairs(of: ["a": .double(number)])[0].value
    }

    @Test("Five styles", arguments: rows)
    func styles(row: Row) throws {
        #expect(try self.text(row.number, .swift) == row.swift)
        #expect(try self.text(row.number, .nsNumber) == row.nsNumber)
        #expect(try self.text(row.number, .javaScript) == row.javaScript)
        #expect(try self.text(row.number, .php) == row.php)
        #expect(try self.text(row.number, .ruby) == row.ruby)
    }

    /// Their digits end in 5 behind the 14th: which side of the half a number lies on decides.
    @Test(
        "PHP's 14 digits are rounded from the number, not from its shortest digits",
        arguments: [
            (123456789012345.0, "1.2345678901234E+14"), (123456789012355.0, "1.2345678901236E+14"),
            (0.123456789012345, "0.12345678901234"), (0.123456789012355, "0.12345678901236"),
            (9.07123456789015e-300, "9.0712345678901E-300"),
            (9.07123456789025e-300, "9.0712345678903E-300"), (9.07123456789015e300, "9.0712345678901E+300"),
            (9.07123456789035e300, "9.0712345678903E+300"),
            (1.00000000000005, "1"), (9.99999999999995, "10"), (9.99999999999985, "9.9999999999999"),
        ])
    func halves(number: Double, expected: String) throws { #expect(try self.text(number, .php) == expected) }
}
