import FormworkFoundation
import FormworkMigration
import Foundation
import Testing

@Suite("URLEncodedFormDecoder: what others send, and what is refused", .timeLimit(.minutes(10)))
struct URLEncodedFormDecoderTests {
    struct Form: Decodable, Equatable {
        var list: [Int]
        var isOn: Bool?
        var name: String?
    }

    @Test(
        "Arrays are read however they are written",
        arguments: ["list=1&list=2", "list[]=1&list[]=2", "list[0]=1&list[1]=2", "list%5B1%5D=2&list%5B0%5D=1"])
    func arrays(text: String) throws {
        for array in [URLEncodedFormEncoder.ArrayEncoding.brackets, .noBrackets, .indexInBrackets] {
            let decoder = URLEncodedFormDecoder(for: URLEncodedFormEncoder(arrayEncoding: array))
            #expect(try decoder.decode(Form.self, from: text) == Form(list: [1, 2]))
        }
    }

    @Test(
        "Booleans are read however they are written",
        arguments: [
            ("1", true), ("true", true), ("on", true), ("Yes", true), ("0", false), ("false", false), ("off", false),
        ])
    func bools(text: String, expected: Bool) throws {
        let decoder = URLEncodedFormDecoder(for: URLEncodedFormEncoder(boolEncoding: .literal))
        #expect(try decoder.decode(Form.self, from: "isOn=\(text)").isOn == expected)
    }

    @Test("A browser's plus is a space; with percentEscaped it is a plus")
    func plus() throws {
        #expect(try URLEncodedFormDecoder().decode(Form.self, from: "name=a+b%2Bc").name == "a b+c")
        let decoder = URLEncodedFormDecoder(for: URLEncodedFormEncoder(spaceEncoding: .percentEscaped))
        #expect(try decoder.decode(Form.self, from: "name=a+b%20c").name == "a+b c")
    }

    @Test("Text, Data and bytes are the same")
    func sources() throws {
        let decoder = URLEncodedFormDecoder()
        #expect(try decoder.decode([String: String].self, from: "a=b") == ["a": "b"])
        #expect(try decoder.decode([String: String].self, from: Data("a=b".utf8)) == ["a": "b"])
        #expect(try decoder.decode([String: String].self, from: Array("a=b".utf8)) == ["a": "b"])
        #expect(try decoder.decode([Int].self, from: "").isEmpty)
    }

    @Test(
        "A text that only begins with a number is none",
        arguments: ["1.2.3", "1-2", "12%2B5", "1e", "-", ".", "%2B-1", "1E5E5", "", " 1", "0x1", "1,5", "NaN"])
    func decimals(text: String) throws {
        #expect(throws: DecodingError.self) {
            try URLEncodedFormDecoder().decode([String: Decimal].self, from: "d=\(text)")
        }
        #expect(
            try URLEncodedFormDecoder().decode([String: Decimal].self, from: "d=-12.50e1") == ["d": Decimal(-125)])
    }

    @Test(
        "A text that only begins with a date is none, and a day must exist",
        arguments: [
            "2001-01-01T00:00:00Zgarbage", "2001-01-01T00:00:00Z2002", "2001-02-31T00:00:00Z", "2001-13-01T00:00:00Z",
            "2001-01-01T25:00:00Z", "2001-01-01",
        ])
    func dates(text: String) throws {
        let decoder = URLEncodedFormDecoder(for: URLEncodedFormEncoder(dateEncoding: .iso8601))
        #expect(throws: DecodingError.self) {
            try decoder.decode([String: Date].self, from: "d=\(text.replacing(":", with: "%3A"))")
        }
        #expect(
            try decoder.decode([String: Date].self, from: "d=2001-01-01T01:00:00%2B01:00")
                == ["d": Date(timeIntervalSinceReferenceDate: 0)])
    }

    struct Wide: Codable {
        struct Item: Codable {
            var label: String
            var size: Int?
        }
        var date: Date?
        var data: Data?
        var items: [Item]?
        var table: [[Int]]?
        var holes: [Int?]?
        var text: String?
        var map: [String: Int]?
        var inner: Item?
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var text: String
        var path: String
        var message: String
        var decoder: @Sendable () -> URLEncodedFormDecoder = { URLEncodedFormDecoder() }
        var testDescription: String { "\(self.text): \(self.message)" }
    }

    static let refused = [
        Refused(text: "date=x", path: "date", message: "dateEncoding loses information") {
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(dateEncoding: .custom { _ in "" }))
        },
        Refused(text: "data=x", path: "data", message: "dataEncoding loses information") {
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(dataEncoding: .custom { _ in "" }))
        },
        Refused(
            text: "items[][label]=a&items[][label]=b&items[][size]=1", path: "items", message: "arrayEncoding loses"),
        Refused(
            text: "items[label]=a&items[label]=b", path: "items", message: "An array needs fields with the same name"),
        Refused(
            text: "table[][]=1&table[][]=2", path: "table",
            message: "the ends of the elements aren't known: they need indexInBrackets"),
        Refused(text: "map[A]=1", path: "map", message: "keyEncoding loses information") {
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(keyEncoding: .lowercased))
        },
        Refused(text: "same=1", path: "data", message: "have the same name") {
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(keyEncoding: .custom { _ in "same" }))
        },
        Refused(text: "inner-label=1&inner=2", path: "inner", message: "An object needs names for its members.") {
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(keyPathEncoding: .init { "-\($0)" }))
        },
        Refused(text: "items-0[label]=a", path: "items", message: "only the closure knows the names") {
            URLEncodedFormDecoder(for: URLEncodedFormEncoder(arrayEncoding: .custom { "\($0)-\($1)" }))
        },
        Refused(
            text: "date=1&date=2", path: "date",
            message: "Double needs one field: the name is repeated, or has brackets after it."),
        Refused(text: "date=tomorrow", path: "date", message: "\"tomorrow\" is not a valid Double."),
        Refused(text: "data=%25", path: "data", message: "not Base64"),
        Refused(text: "items=1&items[]=2", path: "", message: "is both a value and a tree of values"),
        Refused(text: "map[a][b]=1", path: "map.a", message: "Int needs a field without brackets after its name."),
        Refused(text: "text=%FF", path: "", message: "a pair that isn't UTF-8"),
        Refused(text: "unknown=1&%C3=1", path: "", message: "a pair that isn't UTF-8"),
        Refused(text: "inner[]=1", path: "inner", message: "There is no field of this name."),
        Refused(text: "a=1&b=2", path: "", message: "limits.pairs") {
            URLEncodedFormDecoder(limits: URLEncodedLimits(pairs: 1))
        },
        Refused(text: "a[b][c]=1", path: "", message: "limits.depth") {
            URLEncodedFormDecoder(limits: URLEncodedLimits(depth: 1))
        },
    ]

    @Test("What can't be told is an error that says where and why", arguments: refused)
    func refusals(row: Refused) throws {
        let error = try #require(throws: DecodingError.self) { try row.decoder().decode(Wide.self, from: row.text) }
        let context: DecodingError.Context? =
            switch error {
            case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
                .valueNotFound(_, let context):
                context
            @unknown default: nil
            }
        let path = context?.codingPath.map { $0.intValue.map { String($0) } ?? $0.stringValue }.joined(separator: ".")
        #expect(path == row.path)
        #expect(context?.debugDescription.contains(row.message) == true, "\(context?.debugDescription ?? "")")
    }

    @Test("A dictionary reads numbers as its keys, and a single value is an array of one, as in FormDataDecoder")
    func shared() throws {
        let decoder = URLEncodedFormDecoder()
        #expect(try decoder.decode(Wide.self, from: "map[]=1&map[a]=2").map == ["0": 1, "a": 2])
        #expect(try decoder.decode(Wide.self, from: "table=1&table=2").table == [[1], [2]])
    }

    @Test("nil is what the encoder writes for it")
    func nils() throws {
        func text(_ text: String, _ null: URLEncodedFormEncoder.NilEncoding) throws -> Wide {
            try URLEncodedFormDecoder(for: URLEncodedFormEncoder(nilEncoding: null)).decode(Wide.self, from: text)
        }
        #expect(try text("text=", .dropValue).text == nil)
        #expect(try text("text=null", .null).text == nil)
        #expect(try text("text=null", .dropKey).text == "null")
        #expect(try text("holes[]=1&holes[]=null", .null).holes == [1, nil])
        #expect(try text("holes[]=1", .dropKey).holes == [1])
    }

    @Test(
        "A number is decimal and finite unless the decoder accepts others",
        arguments: ["nan", "inf", "-inf", "infinity", "Infinity", "NaN", "0x1p3", "1e999", "-1e999", "", " 1", "1 "])
    func numbers(text: String) throws {
        struct Numbers: Decodable { var value: Double }
        struct Small: Decodable { var value: Float }
        let escaped = text.replacingOccurrences(of: " ", with: "%20")
        let error = try #require(throws: DecodingError.self) {
            try URLEncodedFormDecoder().decode(Numbers.self, from: "value=\(escaped)")
        }
        guard case .dataCorrupted(let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["value"])
        #expect(context.debugDescription == "\"\(text)\" is not a valid Double.")
        #expect(throws: DecodingError.self) { try URLEncodedFormDecoder().decode(Small.self, from: "value=1e39") }
        var decoder = URLEncodedFormDecoder()
        decoder.acceptsNonFiniteNumbers = true
        let isAccepted = ["nan", "inf", "-inf", "Infinity", "NaN"].contains(text)
        let number = try? decoder.decode(Numbers.self, from: "value=\(escaped)").value
        #expect((number != nil) == isAccepted && number?.isFinite != true)
        #expect(throws: DecodingError.self) {
            try URLEncodedFormDecoder(for: URLEncodedFormEncoder(dateEncoding: .secondsSince1970)).decode(
                [String: Date].self, from: "a=\(escaped)")
        }
    }

    @Test("A missing name is named")
    func missing() throws {
        struct Needed: Decodable { var name: String }
        let error = try #require(throws: DecodingError.self) {
            try URLEncodedFormDecoder().decode(Needed.self, from: "")
        }
        guard case .keyNotFound(let key, _) = error else { throw error }
        #expect(key.stringValue == "name")
    }

    struct Note: Codable, Equatable {
        private enum CodingKeys: CodingKey { case id, text, tags, more }

        var id: Int, text: String?, tags: [String] = [], more: [String: Int] = [:]

        init(id: Int, text: String? = nil) { (self.id, self.text) = (id, text) }
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            self.id = try container.decode(Int.self, forKey: .id)
            self.text = try container.decodeIfPresent(String.self, forKey: .text)
            self.tags = try container.decode([String].self, forKey: .tags)
            self.more = try container.decode([String: Int].self, forKey: .more)
        }
        /// Leaves out what is nil, as `TimeZone` and other types of Foundation do.
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(self.id, forKey: .id)
            if let text { try container.encode(text, forKey: .text) }
        }
    }

    /// The compiler's coder calls `encodeIfPresent`, and encodes empty arrays.
    struct Plain: Codable, Equatable {
        var id: Int
        var text: String?
        var tags: [String] = []
    }

    @Test("A member that all objects of an array lack is nil or empty")
    func absentInAll() throws {
        let decoder = URLEncodedFormDecoder()
        #expect(
            try decoder.decode([String: [Note]].self, from: "rows[][id]=1&rows[][id]=2")
                == ["rows": [Note(id: 1), Note(id: 2)]])
        let notes = ["rows": [Note(id: 1, text: "a"), Note(id: 2, text: "b")]]
        let text: String = try URLEncodedFormEncoder().encode(notes)
        #expect(
            text == "rows%5B%5D%5Bid%5D=1&rows%5B%5D%5Btext%5D=a&rows%5B%5D%5Bid%5D=2&rows%5B%5D%5Btext%5D=b")
        #expect(try decoder.decode([String: [Note]].self, from: text) == notes)
        let plain: String = try URLEncodedFormEncoder().encode(["rows": [Plain(id: 1), Plain(id: 2)]])
        #expect(plain == "rows%5B%5D%5Bid%5D=1&rows%5B%5D%5Bid%5D=2")
        #expect(try decoder.decode([String: [Plain]].self, from: plain) == ["rows": [Plain(id: 1), Plain(id: 2)]])
        let zones: String = try URLEncodedFormEncoder().encode(["zones": [TimeZone(secondsFromGMT: 0)]])
        #expect(
            try decoder.decode([String: [TimeZone]].self, from: zones).mapValues { $0.map { $0.secondsFromGMT() } }
                == ["zones": [0]])
    }

    @Test("Objects of an array with different members are refused by both, with the remedy")
    func absentInSome() throws {
        func description(_ error: (any Error)?) -> String {
            switch error {
            case DecodingError.dataCorrupted(let context)?: context.debugDescription
            case EncodingError.invalidValue(_, let context)?: context.debugDescription
            default: ""
            }
        }
        let read = #expect(throws: DecodingError.self) {
            try URLEncodedFormDecoder().decode(
                [String: [Plain]].self, from: "rows[][id]=1&rows[][text]=a&rows[][id]=2")
        }
        #expect(description(read).hasSuffix("they need indexInBrackets"))
        let written = #expect(throws: EncodingError.self) {
            let _: String = try URLEncodedFormEncoder().encode(["rows": [Plain(id: 1, text: "a"), Plain(id: 2)]])
        }
        #expect(description(written).contains("indexInBrackets"))
    }
}
