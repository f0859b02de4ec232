import Formwork
import Testing

@Suite("Bytes in forms", .timeLimit(.minutes(10)))
struct FormBytesTests {
    private struct Message: Codable, Equatable {
        var bytes: [UInt8]
        var maybe: [UInt8]?
        var list: [[UInt8]]
        var numbers: [UInt16]
    }

    @Test("Bytes are one file each, and come back equal, empty ones too")
    func roundTrip() throws {
        for maybe in [nil, [], [1]] as [[UInt8]?] {
            let message = Message(bytes: [0, 13, 10, 255], maybe: maybe, list: [[], [7]], numbers: [65])
            let plan = try FormDataEncoder().encode(message).plan()
            let form = try ReceivedForm(plan.bytes(upTo: 10_000), contentType: plan.contentType)
            #expect(form.count { $0.filename == "blob" } == (maybe == nil ? 3 : 4))
            #expect(try FormDataDecoder().decode(Message.self, from: form) == message)
        }
    }

    @Test("Without Foundation in the program JSON says what is missing")
    func noJSON() throws {
        struct Upload: Codable { @JSONPart var data: [Int] }
        do {
            let form = try FormDataEncoder().encode(Upload(data: [1]))
            // Other targets of one test bundle bring Foundation's coders.
            #expect(try form.plan().contentLength != nil)
        } catch let error as FormworkError {
            #expect(error.code == .invalidArgument)
        }
    }
}

@Suite("Dates in forms", .timeLimit(.minutes(10)))
struct FormDateTests {
    @Test(
        "A moment is written digit by digit, and read back",
        arguments: [
            (0, "2001-01-01T00:00:00Z", "978307200", "978307200000"),
            (-0.25, "2000-12-31T23:59:59.75Z", "978307199.75", "978307199750"),
            (-978_307_200.5, "1969-12-31T23:59:59.5Z", "-0.5", "-500"),
            (817_055_504.1234567, "2026-11-22T15:51:44.1234567Z", "1795362704.1234567", "1795362704123.4567"),
        ])
    func texts(seconds: Double, iso: String, unix: String, milliseconds: String) {
        for (format, text) in [
            (FormDateFormat.iso8601, iso), (.secondsSince1970, unix), (.millisecondsSince1970, milliseconds),
        ] {
            #expect(format.text(secondsSince2001: seconds) == text)
            #expect(format.secondsSince2001(text) == seconds)
        }
    }

    @Test("The latest moment that is written is read back", arguments: [999_999_021_692_799, -999_999_999_999_999])
    func latest(seconds: Double) throws {
        for format in [FormDateFormat.secondsSince1970, .millisecondsSince1970] {
            let text = try #require(format.text(secondsSince2001: seconds))
            #expect(format.secondsSince2001(text) == seconds, "\(text)")
            #expect(format.text(secondsSince2001: seconds + (seconds < 0 ? -1 : 1)) == nil)
        }
    }

    @Test(
        "What is no moment has no text, and no text is none",
        arguments: [Double.nan, .infinity, -.infinity, 1e15, 3e11])
    func none(seconds: Double) {
        #expect(FormDateFormat.iso8601.text(secondsSince2001: seconds) == nil)
        for text in ["", "-", ".5", "5.", "1e3", "+1", "1234567890123456"] {
            #expect(FormDateFormat.secondsSince1970.secondsSince2001(text) == nil)
        }
    }
}
