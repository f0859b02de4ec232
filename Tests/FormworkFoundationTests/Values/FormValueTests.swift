import FormworkFoundation
import FormworkMigration
import FormworkURLEncoded
import Foundation
import Testing

@Suite("Foundation's values in forms", .timeLimit(.minutes(10)))
struct FormValueTests {
    private static let type = "multipart/form-data; boundary=x"

    /// A body of parts, as a peer sends it.
    private func body(_ parts: [(header: String, content: String)]) -> String {
        parts.map { "--x\r\nContent-Disposition: form-data; \($0.header)\r\n\r\n\($0.content)\r\n" }.joined()
            + "--x--\r\n"
    }

    private func sent(_ form: FormData) throws -> (form: ReceivedForm, text: String) {
        let plan = try form.plan()
        let bytes = try plan.bytes(upTo: 16 << 20)
        return (try ReceivedForm(bytes, contentType: plan.contentType), String(decoding: bytes, as: UTF8.self))
    }

    // MARK: bytes

    private struct Photo: Codable, Equatable {
        var data: Data
        var bytes: [UInt8]
        var list: [Data]
        var maybe: Data?
        var numbers: [Int]
    }

    @Test("Bytes are one file each, and come back equal; numbers are fields")
    func bytes() throws {
        let photo = Photo(
            data: Data([0, 255, 13, 10]), bytes: [], list: [Data(), Data([45, 45])], maybe: Data(), numbers: [65, 66])
        let (form, text) = try self.sent(FormDataEncoder().encode(photo))
        #expect(form.map(\.name) == ["data", "bytes", "list[]", "list[]", "maybe", "numbers[]", "numbers[]"])
        #expect(form.map(\.filename) == ["blob", "blob", "blob", "blob", "blob", nil, nil])
        #expect(form.map(\.contentType).prefix(5).allSatisfy { $0 == "application/octet-stream" })
        #expect(text.contains("name=\"data\"; filename=\"blob\"\r\n"))
        #expect(try FormDataDecoder().decode(Photo.self, from: form) == photo)
    }

    @Test("A megabyte of Data is a megabyte and a little framing")
    func size() throws {
        struct Message: Encodable { var data: Data }
        let form = try FormDataEncoder().encode(Message(data: Data(repeating: 7, count: 1 << 20)))
        let length = try #require(try form.plan().contentLength)
        #expect((1_048_577...1_048_900).contains(length))
    }

    @Test("Bytes are read from files and fields, and not from several fields of a name")
    func bytesFromPeers() throws {
        struct Message: Decodable { var photo: Data }
        let decoder = FormDataDecoder()
        for header in ["name=photo; filename=a.jpg", "name=photo"] {
            let message = try decoder.decode(
                Message.self, from: self.body([(header, "abc")]), contentType: Self.type)
            #expect(message.photo == Data("abc".utf8))
        }
        let error = #expect(throws: DecodingError.self) {
            try decoder.decode(
                Message.self, from: self.body([("name=photo", "1"), ("name=photo", "2")]), contentType: Self.type)
        }
        #expect("\(String(describing: error))".contains("[Int]"))
    }

    @Test("A file on disk is read into memory up to the decoder's limit")
    func bytesOnDisk() async throws {
        struct Message: Decodable { var photo: Data }
        let body = self.body([("name=photo; filename=a.jpg", String(repeating: "a", count: 100_000))])
        let parts = try ReceivedParts(
            AsyncStream { continuation in
                continuation.yield(Data(body.utf8))
                continuation.finish()
            }, contentType: Self.type)
        let form = try await ReceivedForm(collecting: parts)
        #expect(form[0].content.inMemory == nil)
        #expect(try FormDataDecoder().decode(Message.self, from: form).photo == Data(repeating: 0x61, count: 100_000))
        var decoder = FormDataDecoder()
        decoder.memoryBytes = 99_999
        let error = #expect(throws: DecodingError.self) { try decoder.decode(Message.self, from: form) }
        #expect("\(String(describing: error))".contains("FormFile"))
    }

    @Test("A URL that would come back as another one is an error")
    func relativeURL() throws {
        struct Message: Codable, Equatable { var link: URL }
        let base = try #require(URL(string: "https://a.example/b/"))
        let message = Message(link: try #require(URL(string: "c", relativeTo: base)))
        let error = #expect(throws: EncodingError.self) { try FormDataEncoder().encode(message) }
        #expect("\(String(describing: error))".contains("https://a.example/b/c"))
        #expect(throws: Never.self) { try FormDataEncoder().encode(Message(link: message.link.absoluteURL)) }
    }

    // MARK: dates

    private struct Event: Codable, Equatable { var at: Date }

    @Test(
        "Dates are written with every digit they have",
        arguments: [
            (0.0, "2001-01-01T00:00:00Z"), (-1, "2000-12-31T23:59:59Z"), (-0.25, "2000-12-31T23:59:59.75Z"),
            (817_055_504, "2026-11-22T15:51:44Z"), (817_055_504.5, "2026-11-22T15:51:44.5Z"),
            (817_055_504.1234567, "2026-11-22T15:51:44.1234567Z"), (0.00001, "2001-01-01T00:00:00.00001Z"),
            (-978_307_200, "1970-01-01T00:00:00Z"), (-63_113_904_000, "0001-01-01T00:00:00Z"),
            (252_423_993_599, "9999-12-31T23:59:59Z"), (-31_622_401.5, "1999-12-31T23:59:58.5Z"),
        ])
    func iso8601(seconds: Double, text: String) throws {
        let event = Event(at: Date(timeIntervalSinceReferenceDate: seconds))
        let (form, _) = try self.sent(FormDataEncoder().encode(event))
        #expect(form["at"] == text)
        #expect(try FormDataDecoder().decode(Event.self, from: form) == event)
    }

    @Test(
        "Dates are read as RFC 3339 has them and as browsers send them",
        arguments: [
            ("2026-11-22T15:51:44+01:00", 817_051_904.0), ("2026-11-22t15:51:44z", 817_055_504),
            ("2026-11-22 15:51:44.250-0030", 817_057_304.25), ("2026-11-22T15:51", 817_055_460),
            ("2026-11-22", 816_998_400), ("2024-02-29", 730_857_600), ("2016-12-31T23:59:60Z", 504_921_600),
        ])
    func readsISO8601(text: String, seconds: Double) throws {
        let event = try FormDataDecoder().decode(
            Event.self, from: self.body([("name=at", text)]), contentType: Self.type)
        #expect(event.at.timeIntervalSinceReferenceDate == seconds)
    }

    @Test(
        "What is no date is an error",
        arguments: [
            "", "2026", "2026-11-31", "2025-02-29", "2026-13-01", "2026-00-01", "2026-11-00", "2026-11-22T24:00:00Z",
            "2026-11-22T15:60Z", "2026-11-22T15:51:61Z", "2026-11-22T15:51:44.Z", "2026-11-22T15:51:44Zz", "26-11-22",
            "２０２６-11-22", "-978307200.0", "2026-11-22T15:51:44+1", "2026-11-22T15:51:44+24:00",
        ])
    func refusesDates(text: String) {
        #expect(throws: DecodingError.self) {
            try FormDataDecoder().decode(
                Event.self, from: self.body([("name=at", text)]), contentType: Self.type)
        }
    }

    @Test(
        "Dates as numbers count from 1970",
        arguments: [
            (FormDateFormat.secondsSince1970, 817_055_504.1234567, "1795362704.1234567"),
            (.secondsSince1970, -978_307_200.5, "-0.5"), (.secondsSince1970, -978_307_201, "-1"),
            (.millisecondsSince1970, 817_055_504.1234567, "1795362704123.4567"),
            (.millisecondsSince1970, 817_055_504, "1795362704000"), (.millisecondsSince1970, -978_307_200.25, "-250"),
        ])
    func dateNumbers(format: FormDateFormat, seconds: Double, text: String) throws {
        let event = Event(at: Date(timeIntervalSinceReferenceDate: seconds))
        var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
        (encoder.dates, decoder.dates) = (format, format)
        let (form, _) = try self.sent(encoder.encode(event))
        #expect(form["at"] == text)
        #expect(try decoder.decode(Event.self, from: form) == event)
    }

    @Test("Every date of a thousand years comes back equal, in each format")
    func dateRoundTrips() throws {
        var generator = SystemRandomNumberGenerator()
        var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
        for index in 0..<3_000 {
            let seconds = Double.random(in: -2e10...2e10, using: &generator) / [1, 1e3, 1e6, 1e12][index % 4]
            let event = Event(at: Date(timeIntervalSinceReferenceDate: seconds))
            for format in [FormDateFormat.iso8601, .secondsSince1970, .millisecondsSince1970] {
                (encoder.dates, decoder.dates) = (format, format)
                let (form, text) = try self.sent(encoder.encode(event))
                #expect(try decoder.decode(Event.self, from: form) == event, "\(seconds) \(text)")
            }
        }
    }

    @Test("A date that no calendar has is refused when it is written")
    func impossibleDates() {
        for seconds in [252_423_993_600, -1e12, 1e18, .infinity, .nan] {
            #expect(throws: EncodingError.self) {
                try FormDataEncoder().encode(Event(at: Date(timeIntervalSinceReferenceDate: seconds)))
            }
        }
    }

    private struct Log: Codable, Equatable { @JSONPart var events: [Event] }

    @Test("A date with more digits than are read is refused when it is written")
    func preciseDates() throws {
        func decoded<Value: Codable>(_ value: Value, _ format: FormDateFormat) throws -> Value {
            var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
            (encoder.dates, decoder.dates) = (format, format)
            return try decoder.decode(Value.self, from: self.sent(encoder.encode(value)).form)
        }
        let event = { Event(at: Date(timeIntervalSinceReferenceDate: $0)) }
        #expect(try decoded(event(1e-100), .iso8601) == event(1e-100))
        #expect(throws: EncodingError.self) { try decoded(event(1e-101), .iso8601) }
        #expect(try decoded(event(1e-300), .secondsSince1970) == event(1e-300))
        // A Decimal has 38 digits.
        #expect(try decoded(Log(events: [event(1e-29)]), .secondsSince1970) == Log(events: [event(1e-29)]))
        #expect(throws: EncodingError.self) { try decoded(Log(events: [event(1e-30)]), .secondsSince1970) }
        #expect(throws: EncodingError.self) { try decoded(Log(events: [event(1e-30)]), .millisecondsSince1970) }
    }

    // MARK: other values

    @Test("URL, UUID and Decimal are texts")
    func texts() throws {
        struct Order: Codable, Equatable {
            var link: URL
            var id: UUID
            var price: Decimal
        }
        let order = Order(
            link: try #require(URL(string: "https://a.b/c?d=e")),
            id: try #require(UUID(uuidString: "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")),
            price: try #require(Decimal(string: "-12.50")))
        let (form, _) = try self.sent(FormDataEncoder().encode(order))
        #expect(form["link"] == "https://a.b/c?d=e")
        #expect(form["id"] == "E621E1F8-C36C-495A-93FC-0C247A3E6E5F")
        #expect(form["price"] == "-12.5")
        #expect(try FormDataDecoder().decode(Order.self, from: form) == order)
    }

    @Test("A single value as the root is refused, even if its type would encode itself as an object")
    func singleRoots() {
        let url = URL(filePath: "/tmp")
        for value in [url, Optional(url), Decimal(1), Date(timeIntervalSince1970: 0)] as [any Encodable] {
            #expect(throws: EncodingError.self) { try FormDataEncoder().encode(value) }
            #expect(throws: EncodingError.self) { try URLEncodedDialect.php.encode(value) }
        }
    }

    @Test("A Decimal that isn't a number is refused as that")
    func decimalNaN() {
        struct Order: Encodable { var price = Decimal.nan }
        let error = #expect(throws: EncodingError.self) { try FormDataEncoder().encode(Order()) }
        guard case .invalidValue(_, let context)? = error else { return }
        #expect(context.codingPath.map(\.stringValue) == ["price"])
        #expect(
            context.debugDescription
                == "NaN is not a finite number, and can't be read back: leave it out, or make it nil.")
    }

    @Test(
        "Text that isn't all number is no Decimal",
        arguments: ["", "e", ".", "1e", "e3", "1,5", "1.2.3", "0x1", "+", "1 "])
    func noDecimal(text: String) {
        struct Order: Decodable { var price: Decimal }
        #expect(throws: DecodingError.self) {
            try FormDataDecoder().decode(Order.self, from: self.body([("name=price", text)]), contentType: Self.type)
        }
    }

    @Test("An error of ours says what is wrong in localizedDescription")
    func localized() {
        let error: any Error = FormworkError(.invalidArgument, "the count is below 0")
        #expect(error.localizedDescription == "the count is below 0")
    }

    // MARK: JSON

    private struct Metadata: Codable, Equatable {
        var title: String
        var tags: [String]
        var taken: Date?
    }

    private struct Upload: Codable, Equatable {
        @JSONPart var metadata: Metadata
        @JSONPart var extra: [Int]?
        var title: String
    }

    @Test("A JSON part is written with its type, and comes back equal")
    func jsonParts() throws {
        let upload = Upload(
            metadata: Metadata(
                title: "a/ä", tags: ["x", "y"], taken: Date(timeIntervalSinceReferenceDate: 817_055_504.5)),
            extra: nil, title: "t")
        let (form, text) = try self.sent(FormDataEncoder().encode(upload))
        #expect(
            text.contains(
                "Content-Disposition: form-data; name=\"metadata\"\r\nContent-Type: application/json\r\n\r\n"
                    + #"{"tags":["x","y"],"taken":"2026-11-22T15:51:44.5Z","title":"a/ä"}"#))
        #expect(form.map(\.name) == ["metadata", "title"])
        #expect(try FormDataDecoder().decode(Upload.self, from: form) == upload)
        var full = upload
        full.extra = [1, 2]
        #expect(try FormDataDecoder().decode(Upload.self, from: self.sent(FormDataEncoder().encode(full)).form) == full)
    }

    @Test("Other coders code the value of a JSON part itself")
    func jsonPartsElsewhere() throws {
        let upload = Upload(metadata: Metadata(title: "a", tags: []), extra: nil, title: "t")
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let json = try encoder.encode(upload)
        #expect(String(decoding: json, as: UTF8.self) == #"{"metadata":{"tags":[],"title":"a"},"title":"t"}"#)
        #expect(try JSONDecoder().decode(Upload.self, from: json) == upload)
    }

    @Test("Other coders code what is in a JSON part by their own rules")
    func jsonPartsByRules() throws {
        struct Values: Codable, Equatable {
            @JSONPart var date: Date
            @JSONPart var bytes: Data
            @JSONPart var number: Decimal
            @JSONPart var url: URL
            @JSONPart var dates: [Date]
        }
        let date = Date(timeIntervalSince1970: 0)
        let values = Values(
            date: date, bytes: Data([1, 2, 3]), number: Decimal(string: "1.5")!, url: URL(string: "https://a.b/c")!,
            dates: [date])
        let (encoder, decoder) = (JSONEncoder(), JSONDecoder())
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        decoder.dateDecodingStrategy = .iso8601
        let json = try encoder.encode(values)
        #expect(
            String(decoding: json, as: UTF8.self)
                == #"{"bytes":"AQID","date":"1970-01-01T00:00:00Z","dates":["1970-01-01T00:00:00Z"],"number":1.5,"url":"https://a.b/c"}"#
        )
        #expect(try decoder.decode(Values.self, from: json) == values)
        let plist = try PropertyListEncoder().encode(values)
        #expect(try PropertyListDecoder().decode(Values.self, from: plist) == values)
    }

    @Test("A list of one part of JSON comes back as it was", arguments: FormDataEncoder.Arrays.allCases)
    func jsonLists(arrays: FormDataEncoder.Arrays) throws {
        struct One: Codable, Hashable { var a: Int }
        struct Lists: Codable, Equatable {
            var set: Set<JSONPart<One>>
            var lists: [JSONPart<[Int]>]
        }
        var encoder = FormDataEncoder()
        encoder.arrays = arrays
        for lists in [
            Lists(set: [JSONPart(wrappedValue: One(a: 1))], lists: [JSONPart(wrappedValue: [1, 2])]),
            Lists(
                set: [JSONPart(wrappedValue: One(a: 1)), JSONPart(wrappedValue: One(a: 2))],
                lists: [JSONPart(wrappedValue: []), JSONPart(wrappedValue: [3])]),
        ] {
            #expect(try FormDataDecoder().decode(Lists.self, from: self.sent(encoder.encode(lists)).form) == lists)
        }
        struct Wanted: Decodable { var set: Set<One> }
        for json in [#"{"a":1}"#, #"[{"a":1}]"#] {
            let body = self.body([("name=set\r\nContent-Type: application/json", json)])
            #expect(try FormDataDecoder().decode(Wanted.self, from: body, contentType: Self.type).set == [One(a: 1)])
        }
    }

    @Test("A part of application/json is decoded where its member is no text")
    func jsonByType() throws {
        struct Message: Decodable, Equatable {
            var metadata: Metadata
            var raw: String
            var numbers: [Int]
            var lists: [Metadata]
        }
        let json = #"{"title":"a","tags":["b"]}"#
        func type(_ name: String, _ type: String) -> String { "name=\(name)\r\nContent-Type: \(type)" }
        let body = self.body([
            (type("metadata", "application/json; charset=utf-8"), json), (type("raw", "application/json"), json),
            (type("numbers", "application/vnd.api+json"), " [1,2]"), (type("lists", "application/json"), json),
            (type("lists", "application/json"), json),
        ])
        let message = try FormDataDecoder().decode(Message.self, from: body, contentType: Self.type)
        let metadata = Metadata(title: "a", tags: ["b"])
        #expect(message == Message(metadata: metadata, raw: json, numbers: [1, 2], lists: [metadata, metadata]))
    }

    @Test("An error in JSON names the member")
    func jsonErrors() {
        let body = self.body([("name=metadata", #"{"title":"a","tags":[1]}"#), ("name=title", "t")])
        do {
            _ = try FormDataDecoder().decode(Upload.self, from: body, contentType: Self.type)
            Issue.record("a number is no text")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(context.codingPath.map(\.stringValue) == ["metadata", "tags", "Index 0"])
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test("Bytes as JSON are refused, as they would be Base64; numbers aren't")
    func bytesAsJSON() throws {
        let error = #expect(throws: FormworkError.self) { try FormData().appending(name: "n", json: Data([1, 2])) }
        #expect(
            error.map { "\($0)" }
                == "part 1 \"n\": JSON would have these bytes as Base64: to send the bytes, use source: .bytes(...)")
        let plan = try FormData().appending(name: "n", json: [1, 2] as [UInt8]).plan()
        #expect(String(decoding: try plan.bytes(upTo: 1000), as: UTF8.self).contains("\r\n\r\n[1,2]\r\n"))
    }

    @Test("A part is made of a value")
    func composedJSON() throws {
        let form = try FormData().appending(name: "metadata", json: Metadata(title: "a", tags: []))
        #expect(try self.sent(form).form["metadata"] == #"{"tags":[],"title":"a"}"#)
    }

    // MARK: paths and bytes

    @Test("URLs name files, and Data and its sequences are sources")
    func sources() async throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "form values \(UUID().uuidString).txt")
        try Data("file".utf8).write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let chunks = AsyncStream { continuation in
            continuation.yield(Data("chu".utf8))
            continuation.yield(Data("nks".utf8))
            continuation.finish()
        }
        let form = FormData()
            .appending(name: "file", file: url, filename: "a.txt")
            .appending(name: "data", source: .bytes(Data("xdata".utf8).dropFirst()))
            .appending(name: "chunks", source: .chunks(once: chunks))
        let plan = try await form.plan()
        var bytes = Data()
        for try await chunk in plan.chunks() { bytes += chunk }
        let received = try ReceivedForm(bytes, contentType: plan.contentType)
        #expect(
            received.map { String(decoding: $0.content.inMemory ?? [], as: UTF8.self) } == [
                "file", "data", "chunks",
            ])
    }

    @Test("Data is read from any offset, again and again")
    func dataAtOffsets() throws {
        let data = Data((0..<200_000).map { UInt8(truncatingIfNeeded: $0 / 7) })
        let plan = try FormData([BodyPart(name: "a", source: .bytes(data[100...]))]).plan()
        let whole = try plan.bytes(upTo: 1 << 20)
        #expect(whole.dropFirst(whole.count - 199_900 - (plan.closeLength)).prefix(199_900).elementsEqual(data[100...]))
        for offset in [0, 1, 70_000, 150_001, whole.count - 1, whole.count] {
            let rest = try plan.makeReader(from: Int64(offset)).collect(upTo: 1 << 20)
            #expect(rest.elementsEqual(whole.dropFirst(offset)))
        }
    }

    @Test("A date that can't be read is refused with the format that the decoder wants")
    func formats() throws {
        struct Moment: Codable { var date: Date }
        let rows: [(FormDateFormat, String, String)] = [
            (.iso8601, "16:00", "\"16:00\" is not a valid Date: it needs ISO 8601 (FormDataDecoder.dates)."),
            (.secondsSince1970, "2026", ""),
            (.secondsSince1970, "x", "\"x\" is not a valid Date: it needs seconds since 1970 (FormDataDecoder.dates)."),
            (
                .millisecondsSince1970, "x",
                "\"x\" is not a valid Date: it needs milliseconds since 1970 (FormDataDecoder.dates)."
            ),
        ]
        for (format, text, message) in rows {
            var decoder = FormDataDecoder()
            decoder.dates = format
            let form = try ReceivedForm("date=\(text)", contentType: "application/x-www-form-urlencoded")
            do {
                _ = try decoder.decode(Moment.self, from: form)
                #expect(message.isEmpty)
            } catch DecodingError.dataCorrupted(let context) {
                #expect(context.debugDescription == message)
            }
        }
    }
}

extension BodyPlan {
    /// Bytes of the close delimiter with the line end before it.
    fileprivate var closeLength: Int { Int(self.layout.last?.length ?? 0) }
}
