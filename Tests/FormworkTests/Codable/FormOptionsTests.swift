import Formwork
import Foundation
import Testing

@Suite("Options of FormDataEncoder and FormDataDecoder", .timeLimit(.minutes(10)))
struct FormOptionsTests {
    private static let urlEncoded = "application/x-www-form-urlencoded"

    private func names(_ form: FormData) throws -> [String] {
        let body = String(decoding: try form.plan().bytes(upTo: 1 << 20), as: UTF8.self)
        return body.components(separatedBy: "; name=\"").dropFirst().map { $0.components(separatedBy: "\"")[0] }
    }

    private func decode<Value: Decodable>(_ type: Value.Type, _ text: String, _ decoder: FormDataDecoder) throws
        -> Value
    {
        try decoder.decode(type, from: text, contentType: Self.urlEncoded)
    }

    private func received(_ form: FormData) throws -> ReceivedForm {
        let plan = try form.plan()
        return try ReceivedForm(try plan.bytes(upTo: 1 << 20), contentType: plan.contentType)
    }

    private func message(_ body: () throws -> Void) -> String {
        do {
            try body()
            return ""
        } catch EncodingError.invalidValue(_, let context) {
            return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
        } catch DecodingError.typeMismatch(_, let context), DecodingError.dataCorrupted(let context) {
            return "\(context.codingPath.map(\.stringValue).joined(separator: ".")): \(context.debugDescription)"
        } catch {
            return "\(error)"
        }
    }

    // MARK: Keys

    private struct Crew: Codable, Equatable {
        var firstMate: String
        var shipNames: [String]
        var homePort: Port
        var extraNotes: [String: Int]
    }

    private struct Port: Codable, Equatable { var townName: String }

    private let crew = Crew(
        firstMate: "Ada", shipNames: ["Fog"], homePort: Port(townName: "Kiel"),
        extraNotes: ["oneTwo": 1, "three_four": 2])

    @Test("Keys in snake case are read back, and a dictionary's keys stay")
    func snakeCase() throws {
        var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
        (encoder.keyEncodingStrategy, decoder.keyDecodingStrategy) = (.convertToSnakeCase, .convertFromSnakeCase)
        let form = try FormData(self.crew, encoder: encoder)
        #expect(
            try Set(self.names(form)) == [
                "first_mate", "ship_names[]", "home_port[town_name]", "extra_notes[oneTwo]", "extra_notes[three_four]",
            ])
        #expect(try self.received(form).decode(Crew.self, using: decoder) == self.crew)
        #expect(try self.decode(Port.self, "town_name=Kiel", decoder) == Port(townName: "Kiel"))
        #expect(throws: DecodingError.self) { try self.decode(Port.self, "townname=Kiel", decoder) }
        let plain = try FormData(self.crew)
        #expect(try self.received(plain).decode(Crew.self) == self.crew)
    }

    @Test("A key that snake case loses is refused with its place")
    func lostKey() throws {
        struct Photo: Encodable { var imageURL = "u" }
        var encoder = FormDataEncoder()
        encoder.keyEncodingStrategy = .convertToSnakeCase
        #expect(
            self.message { _ = try encoder.encode(["a": Photo()]) }
                == "a.imageURL: The name \"image_url\" would be read as the key \"imageUrl\": give the key another name "
                + "(CodingKeys).")
    }

    @Test(
        "Names become the keys that JSONDecoder makes of them",
        arguments: ["one_two", "_one_two_", "one", "__", "_", "one__two", "ONE_TWO", "one_tWO", "_one", "a_1_b", "é_à"])
    func likeJSONDecoder(name: String) throws {
        // A type that knows its keys, since those of a dictionary stay.
        struct Known: CodingKey {
            var stringValue: String
            var intValue: Int? { nil }
            init?(stringValue: String) {
                guard stringValue != "any key" else { return nil }
                self.stringValue = stringValue
            }
            init?(intValue: Int) { nil }
        }
        struct Keys: Decodable {
            var keys: [String]
            init(from decoder: any Decoder) throws {
                self.keys = try decoder.container(keyedBy: Known.self).allKeys.map(\.stringValue)
            }
        }
        let json = JSONDecoder()
        json.keyDecodingStrategy = .convertFromSnakeCase
        let expected = try json.decode(Keys.self, from: Data("{\"\(name)\": 1}".utf8)).keys
        var decoder = FormDataDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let found = try self.decode(
            Keys.self, "\(name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")=1", decoder
        ).keys
        #expect(found == expected)
    }

    @Test("A closure names keys by their path")
    func customKeys() throws {
        var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
        encoder.keyEncodingStrategy = .custom { path in Named("\(path.count)-\(path.last?.stringValue ?? "")") }
        decoder.keyDecodingStrategy = .custom { path in Named(String((path.last?.stringValue ?? "").dropFirst(2))) }
        let form = try FormData(["x": Port(townName: "Kiel")], encoder: encoder)
        #expect(try self.names(form) == ["x[2-townName]"])
        #expect(try self.received(form).decode([String: Port].self, using: decoder) == ["x": Port(townName: "Kiel")])
    }

    private struct Named: CodingKey {
        var stringValue: String
        var intValue: Int? { nil }
        init(_ name: String) { self.stringValue = name }
        init?(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    // MARK: Names that occur more than once

    private struct Answer: Decodable, Equatable {
        var agree: Bool
        var tags: [String]
    }

    @Test("Of several values the first, the last or all count, or they are refused")
    func duplicates() throws {
        func read(_ text: String, _ duplicates: FormDataDecoder.Duplicates) throws -> Answer {
            var decoder = FormDataDecoder()
            decoder.duplicates = duplicates
            return try self.decode(Answer.self, text, decoder)
        }
        // Rails' checkbox, and a list with brackets.
        let page = "agree=0&agree=1&tags[]=a&tags[]=b"
        #expect(try read(page, .last) == Answer(agree: true, tags: ["a", "b"]))
        #expect(try read(page, .first) == Answer(agree: false, tags: ["a", "b"]))
        #expect(
            self.message { _ = try read(page, .all) }
                == "agree: Bool needs one field: the name is repeated (FormDataDecoder.duplicates), or has brackets "
                + "after it.")
        #expect(
            self.message { _ = try read(page, .refuse) }
                == "part 2 \"agree\": The name occurs more than once (duplicates)")
        let list = "agree=1&tags=a&tags=b"
        #expect(try read(list, .all).tags == ["a", "b"])
        #expect(try read(list, .last).tags == ["b"])
        #expect(try read(list, .first).tags == ["a"])
        #expect(try read("agree=1&tags=a", .refuse).tags == ["a"])
        let nested = "agree=1&tags[0]=a&tags[0]=b&tags[1]=c"
        #expect(try read(nested, .last).tags == ["b", "c"])
        let twoNames = "agree=1&tags[]=a&tags[0]=b&tags[]=c"
        #expect(try read(twoNames, .last).tags == ["b", "c"])
        #expect(try read(twoNames, .first).tags == ["a", "c"])
    }

    @Test("Parts without a name aren't taken for one name that is repeated")
    func nameless() throws {
        var decoder = FormDataDecoder()
        decoder.duplicates = .refuse
        let named = "--x\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\n1\r\n"
        let body = "--x\r\n\r\na\r\n--x\r\n\r\nb\r\n\(named)--x--\r\n"
        let type = "multipart/mixed; boundary=x"
        #expect(try decoder.decode(Row.self, from: body, contentType: type, profile: .generic) == Row(n: 1))
    }

    // MARK: Indices

    private struct Row: Codable, Equatable { var n: Int }

    @Test("Rows that were deleted or sorted in a page are an array, if indices may be sparse")
    func sparse() throws {
        var decoder = FormDataDecoder()
        decoder.indices = .sparse
        let deleted = "rows[0][n]=1&rows[2][n]=2"
        let sorted = "rows[1][n]=1&rows[0][n]=2&rows[10][n]=3"
        #expect(try self.decode([String: [Row]].self, deleted, decoder) == ["rows": [Row(n: 1), Row(n: 2)]])
        #expect(try self.decode([String: [Row]].self, sorted, decoder) == ["rows": [Row(n: 2), Row(n: 1), Row(n: 3)]])
        #expect(throws: DecodingError.self) { try self.decode([String: [Row]].self, deleted, FormDataDecoder()) }
        #expect(throws: DecodingError.self) { try self.decode([String: [Row]].self, "rows[x][n]=1", decoder) }
        #expect(throws: DecodingError.self) { try self.decode([String: [Row]].self, "rows[-1][n]=1", decoder) }
        // They are still a dictionary for a type that asks for one.
        #expect(
            try self.decode([String: [Int: Row]].self, deleted, decoder) == ["rows": [0: Row(n: 1), 2: Row(n: 2)]])
    }

    // MARK: Containers that a type makes itself

    private struct Lists: Codable, Equatable {
        enum Key: CodingKey { case id, list, inner }
        enum Inner: CodingKey { case a }
        var list: [Int] = []
        var a: Int?

        init(list: [Int] = [], a: Int? = nil) { (self.list, self.a) = (list, a) }

        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: Key.self)
            var list = try container.nestedUnkeyedContainer(forKey: .list)
            while !list.isAtEnd { self.list.append(try list.decode(Int.self)) }
            self.a = try container.nestedContainer(keyedBy: Inner.self, forKey: .inner).decodeIfPresent(
                Int.self, forKey: .a)
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            try container.encode(1, forKey: .id)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            for number in self.list { try list.encode(number) }
            var inner = container.nestedContainer(keyedBy: Inner.self, forKey: .inner)
            try inner.encodeIfPresent(self.a, forKey: .a)
        }
    }

    @Test("A container that a type makes itself may be empty, as an array or object of the type's own is")
    func emptyContainers() throws {
        for value in [Lists(), Lists(list: [1]), Lists(a: 2), Lists(list: [1, 2], a: 3)] {
            #expect(try self.received(FormData(value)).decode(Lists.self) == value)
            #expect(try self.received(FormData(["x": [value]])).decode([String: [Lists]].self) == ["x": [value]])
        }
        #expect(try self.decode(Lists.self, "", FormDataDecoder()) == Lists())
    }

    private struct Lost: Encodable {
        var encoding: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try self.encoding(encoder) }
    }

    private enum Case: Codable { case none }
    private struct Cased: Encodable { var a = Case.none }

    @Test("Two names of one place are one name, if dots split names", arguments: ["a[b]=0&a.b=1", "a.b=0&a[b]=1"])
    func namesOfOnePlace(text: String) throws {
        func read(_ duplicates: FormDataDecoder.Duplicates) throws -> [String: [String: Int]] {
            var decoder = FormDataDecoder()
            (decoder.duplicates, decoder.splitsAtDots) = (duplicates, true)
            return try self.decode([String: [String: Int]].self, text, decoder)
        }
        #expect(try read(.last) == ["a": ["b": 1]])
        #expect(try read(.first) == ["a": ["b": 0]])
        #expect(self.message { _ = try read(.refuse) }.hasSuffix("The name occurs more than once (duplicates)"))
    }

    @Test("Errors name the decoder's options, and the encoder's")
    func optionsInErrors() throws {
        struct List: Codable { var list: [Int] }
        #expect(
            self.message { _ = try self.decode(List.self, "list[1]=1&list[0]=2", FormDataDecoder()) }
                == "list: An array needs fields with the same name, with [] after it, or with [0], [1], … in that order "
                + "(FormDataDecoder.indices); a dictionary reads other names.")
        #expect(
            self.message { _ = try FormDataEncoder().encode(["a": Double.infinity]) }
                == "a: inf is not a finite number (FormDataEncoder.acceptsNonFiniteNumbers).")
    }

    @Test("An empty container is refused where it would be lost: in an array, in a dictionary, and for an enumeration")
    func lostContainers() throws {
        let inArray = Lost {
            var list = $0.unkeyedContainer()
            _ = list.nestedUnkeyedContainer()
            try list.encode(1)
        }
        let inDictionary = Lost {
            var container = $0.container(keyedBy: Named.self)
            _ = container.nestedUnkeyedContainer(forKey: Named("k"))
            try container.encode(1, forKey: Named("l"))
        }
        for value in [["a": inArray], ["a": inDictionary], Cased()] as [any Encodable] {
            #expect(
                self.message { _ = try FormDataEncoder().encode(value) }
                    .hasSuffix("needs a raw value, or an associated one that isn't nil or empty."))
        }
    }
}
