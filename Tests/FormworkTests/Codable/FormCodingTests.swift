import Formwork
import TestSupport
import Testing

@Suite("Forms as Codable types", .timeLimit(.minutes(10)))
struct FormCodingTests {
    struct Address: Codable, Equatable {
        var street: String
        var tags: [String] = []
    }

    enum Plan: String, Codable { case free, paid }

    struct Profile: Codable, Equatable {
        var name = "Ä & \"b\"\r\n%41"
        var age = -7
        var ratio = 0.1
        var large = UInt64.max
        var isAdmin = false
        var plan = Plan.paid
        var nickname: String?
        var limit: Int?
        var tags = ["x", "", "y"]
        var scores = [1, 2, 3]
        var matrix = [[1, 2], [3]]
        var none: [String] = []
        var address = Address(street: "Quai 1", tags: ["home"])
        var others = [Address(street: "a", tags: ["1", "2"]), Address(street: "b")]
        var extra = ["k": 1, "0": 2, "e\u{301}": 3]
        var numbered = ["0": "zero", "1": "one"]
        var optionals: [String?] = ["", "z"]
    }

    /// Sends a form through the engine and collects it again.
    static func sent(_ form: FormData, profile: ParsingProfile = .default) async throws -> ReceivedForm {
        let plan = try await form.plan()
        return try await ReceivedForm(
            collecting: ReceivedParts(plan.chunks(of: 100), contentType: plan.contentType, profile: profile))
    }

    /// A form with these fields; a `nil` value is an empty file control.
    private func form(_ fields: KeyValuePairs<String, String?>) async throws -> ReceivedForm {
        var form = FormData()
        for (name, value) in fields {
            if let value {
                form.append(name: name, value: value)
            } else {
                form.append(name: name, source: .text(""), filename: "", contentType: "application/octet-stream")
            }
        }
        return try await Self.sent(form)
    }

    /// Tries arrays before text, as types for any JSON may do.
    private indirect enum Anything: Decodable {
        case list([Anything])
        case text(String)

        init(from decoder: any Decoder) throws {
            if let list = try? [Anything](from: decoder) {
                self = .list(list)
            } else {
                self = .text(try .init(from: decoder))
            }
        }
    }

    @Test("A body without its Content-Type says what is missing")
    func withoutContentType() {
        let error = #expect(throws: FormworkError.self) { try ReceivedForm("--x--", contentType: nil) }
        #expect(
            error?.description
                == "There is no Content-Type: pass the one of the body's request, which has the boundary. "
                + "(invalidContentType)")
    }

    @Test("A type that tries arrays first comes to an end: one field is an array of one only so often")
    func endlessArrays() async throws {
        let form = try await self.form(["a": "x"])
        let value = try FormDataDecoder().decode([String: Anything].self, from: form)
        var (levels, inner) = (0, value["a"])
        while case .list(let list)? = inner { (levels, inner) = (levels + 1, list.first) }
        #expect(levels == 8)
        guard case .text("x")? = inner else {
            Issue.record("the text is lost")
            return
        }
        #expect(throws: DecodingError.self) {
            try FormDataDecoder().decode([String: [[[[[[[[[String]]]]]]]]]].self, from: form)
        }
    }

    @Test(
        "What is encoded is decoded equal",
        arguments: [FormDataEncoder.Arrays.brackets, .indices, .repeated])
    func roundTrip(arrays: FormDataEncoder.Arrays) async throws {
        var encoder = FormDataEncoder()
        encoder.arrays = arrays
        let form = try await Self.sent(try encoder.encode(Profile()))
        #expect(try FormDataDecoder().decode(Profile.self, from: form) == Profile())
    }

    @Test(
        "Names are those that PHP and browsers use",
        arguments: [
            (FormDataEncoder.Arrays.brackets, ["street", "tags[]", "tags[]"]),
            (.indices, ["street", "tags[0]", "tags[1]"]), (.repeated, ["street", "tags", "tags"]),
        ])
    func names(arrays: FormDataEncoder.Arrays, names: [String]) async throws {
        struct Nested: Codable {
            var matrix = [[1], [2]]
            var address = Address(street: "s")
            var list = [Address(street: "t")]
        }
        var encoder = FormDataEncoder()
        encoder.arrays = arrays
        let form = try await Self.sent(try encoder.encode(Address(street: "s", tags: ["a", "b"])))
        #expect(form.map(\.name) == names)
        encoder.arrays = .brackets
        let nested = try await Self.sent(try encoder.encode(Nested()))
        #expect(nested.map(\.name) == ["matrix[0][]", "matrix[1][]", "address[street]", "list[0][street]"])
    }

    @Test("Files are FormFiles: one, many, none")
    func files() async throws {
        struct Upload: Codable {
            var title: String
            var photo: FormFile
            var pages: [FormFile]
            var cover: FormFile?
        }
        let file = { FormFile(filename: $0, contentType: $1, source: .text($2)) }
        let upload = Upload(
            title: "t", photo: file("p.jpg", "image/jpeg", "JPEG"),
            pages: [file("1", nil, "one"), file("2", nil, "two")])
        let form = try await Self.sent(try FormDataEncoder().encode(upload))
        #expect(form.map(\.name) == ["title", "photo", "pages[]", "pages[]"])
        let read = try FormDataDecoder().decode(Upload.self, from: form)
        #expect(read.photo.filename == "p.jpg")
        #expect(read.photo.contentType == "image/jpeg")
        #expect(try await read.photo.bytes(upTo: 4) == Array("JPEG".utf8))
        #expect(read.pages.map(\.filename) == ["1", "2"])
        #expect(read.cover == nil)
        let folder = TemporaryFolder()
        #expect(try await read.pages[1].write(toFile: folder.path.appending("two")) == 3)
        #expect(try contents(of: folder.path.appending("two")) == Array("two".utf8))
        await expect(.limitExceeded) { try await read.photo.bytes(upTo: 3) }
    }

    @Test("Controls left empty: nil for files and numbers, empty text for text, no elements for lists")
    func emptyControls() async throws {
        struct Answer: Codable {
            var file: FormFile?
            var files: [FormFile]
            var number: Int?
            var text: String?
            var list: [Int]
            var more: [Int]?
            var table: [String: Int]
        }
        let form = try await self.form(["file": nil, "files": nil, "number": "", "text": ""])
        let answer = try FormDataDecoder().decode(Answer.self, from: form)
        #expect(answer.file == nil)
        #expect(answer.files.isEmpty)
        #expect(answer.number == nil)
        #expect(answer.text == "")
        #expect(answer.list == [])
        #expect(answer.more == nil)
        #expect(answer.table == [:])
    }

    @Test("A file control left empty is no value for a member that isn't optional")
    func requiredFiles() async throws {
        struct File: Codable { var file: FormFile }
        struct Bytes: Codable { var file: [UInt8] }
        let form = try await self.form(["file": nil])
        for type in [File.self, Bytes.self] as [any Decodable.Type] {
            let error = try #require(throws: DecodingError.self) { try FormDataDecoder().decode(type, from: form) }
            guard case .valueNotFound(_, let context) = error else { throw error }
            #expect(context.codingPath.map(\.stringValue) == ["file"])
            #expect(
                context.debugDescription
                    == "The file control was left empty: no file was chosen. An optional would be nil.")
        }
        // Bytes have a name of their own, so none at all aren't an empty control.
        let none = try FormDataEncoder().encode(["file": [UInt8]()])
        let sent = try await none.plan()
        let bytes = try await AsyncBodyReader(sent.makeReader()).next() ?? []
        #expect(try FormDataDecoder().decode(Bytes.self, from: bytes, contentType: sent.contentType).file == [])
    }

    private static let emptySources: [BodySource] = [
        .text(""), .bytes([]), .bytes(ArraySlice<UInt8>()), .synthetic(SyntheticBytes(.zeros, count: 0)),
        .stream(once: DripStream([]), length: 0), .file("/etc/passwd", length: 0),
        .descriptor(.standardInput, length: 0), .concatenation([]), .concatenation([.text(""), .bytes([])]),
    ]

    @Test(
        "A file without a name and content would be an empty file control, however it is held", arguments: emptySources)
    func emptyFiles(source: BodySource) throws {
        struct File: Codable { var file: FormFile }
        struct Optional: Codable { var file: FormFile? }
        for filename in [nil, ""] {
            let file = FormFile(filename: filename, source: source)
            for value in [File(file: file), Optional(file: file), ["file": [file]]] as [any Encodable] {
                #expect(throws: EncodingError.self) { try FormDataEncoder().encode(value) }
            }
        }
        for value in [FormFile(filename: "a", source: source), FormFile(filename: "", source: .text("a"))] {
            #expect(throws: Never.self) { try FormDataEncoder().encode(File(file: value)) }
        }
    }

    @Test("One field where an array is wanted is its only element; checkboxes are on")
    func single() async throws {
        struct Answer: Codable, Equatable {
            var tags: [String]
            var isOn: Bool
            var isOff: Bool?
        }
        let form = try await self.form(["tags": "one", "isOn": "on"])
        #expect(try FormDataDecoder().decode(Answer.self, from: form) == Answer(tags: ["one"], isOn: true))
    }

    @Test("Dots split names only where they are said to")
    func dots() async throws {
        struct Outer: Codable, Equatable { var inner: Address }
        let form = try await self.form(["inner.street": "s"])
        #expect(throws: DecodingError.self) { try FormDataDecoder().decode(Outer.self, from: form) }
        var decoder = FormDataDecoder()
        decoder.splitsAtDots = true
        #expect(try decoder.decode(Outer.self, from: form) == Outer(inner: Address(street: "s")))
    }

    @Test("Errors tell the place and what it needs")
    func errors() async throws {
        struct Outer: Codable { var list: [Inner] }
        struct Inner: Codable { var number: Int }
        struct File: Codable { var file: FormFile }
        let decode = { (fields: KeyValuePairs<String, String?>) async throws -> String in
            let form = try await self.form(fields)
            do {
                _ = try FormDataDecoder().decode(Outer.self, from: form)
                return ""
            } catch let DecodingError.dataCorrupted(context) {
                return context.codingPath.map(\.stringValue).joined(separator: ".") + ": " + context.debugDescription
            } catch let DecodingError.typeMismatch(_, context) {
                return context.codingPath.map(\.stringValue).joined(separator: ".") + ": " + context.debugDescription
            } catch let DecodingError.keyNotFound(key, context) {
                return context.codingPath.map(\.stringValue).joined(separator: ".") + ": no " + key.stringValue
            }
        }
        #expect(
            try await decode(["list[0][number]": "1", "list[1][number]": "x\u{1B}[1m"])
                == "list.1.number: \"x\\u{1B}[1m\" is not a valid Int.")
        #expect(try await decode(["list[0][other]": "1"]) == "list.0: no number")
        #expect(
            try await decode(["list[0][number]": nil]) == "list.0.number: Int needs a field, not a file.")
        #expect(
            try await decode(["list[0][number]": "1", "list[0][number]": "2"])
                == "list.0.number: Int needs one field: the name is repeated (FormDataDecoder.duplicates), or has brackets "
                + "after it.")
        #expect(
            try await decode(["list": "1"])
                == "list.0: An object needs fields with brackets in their names, "
                + "or a part of type application/json.")
        let other = try await self.form(["unknown": ""])
        #expect(throws: DecodingError.self) { try FormDataDecoder().decode(File.self, from: other) }
    }

    @Test("A name that is a value and a tree, or too deep, is an error with its part")
    func badNames() async throws {
        let both = try await self.form(["x": "1", "a": "1", "a[b]": "2"])
        let error = #expect(throws: FormworkError.self) { try FormDataDecoder().decode(Address.self, from: both) }
        #expect(error?.code == .malformedBody)
        #expect(error?.part == PartReference(index: 2, name: "a[b]"))
        let deep = try await self.form(["a[1][2][3][4][5][6][7][8][9]": "1"])
        let limit = #expect(throws: FormworkError.self) { try FormDataDecoder().decode(Address.self, from: deep) }
        #expect(limit?.parsingFailure == ParsingFailure(.nameDepthLimit, limit: 8))
        var decoder = FormDataDecoder()
        decoder.nameDepth = .max
        let hostile = try await self.form(["a" + String(repeating: "[x]", count: 300): "1"])
        #expect(throws: DecodingError.self) { try decoder.decode(Address.self, from: hostile) }
    }

    @Test("Type that needs itself ends in an error, not in a full stack")
    func endless() async throws {
        final class Node: Codable { var next: Node }
        let form = try await self.form(["a": "1"])
        #expect(throws: DecodingError.self) { try FormDataDecoder().decode(Node.self, from: form) }
    }

    @Test("An object whose members are all left out comes back")
    func leftOut() async throws {
        struct Inner: Codable, Equatable { var a: Int?, b: [String] = [] }
        struct Middle: Codable, Equatable { var inner = Inner() }
        struct Outer: Codable, Equatable { var middle = Middle(), c = 1 }
        let form = try await Self.sent(try FormDataEncoder().encode(Outer()))
        #expect(form.map(\.name) == ["c"])
        #expect(try FormDataDecoder().decode(Outer.self, from: form) == Outer())
    }

    struct Lossy: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var path: String
        var message: String
        var arrays = FormDataEncoder.Arrays.brackets
        var value: @Sendable () -> any Encodable
    }

    enum Word: String, Codable { case empty = "" }
    enum Case: Codable { case neither, many(count: Int?) }
    struct Inner: Codable, Equatable { var a: Int?, b: [String] = [] }
    struct Email: Codable, Equatable {
        var text: String
        init(_ text: String) { self.text = text }
        init(from decoder: any Decoder) throws { self.text = try decoder.singleValueContainer().decode(String.self) }
        func encode(to encoder: any Encoder) throws {
            var container = encoder.singleValueContainer()
            try container.encode(self.text)
        }
    }
    struct Lost: Codable, Equatable {
        var word: Word?, email: Email?, list: [String]?, inner: Inner?, number: Double?, nested: Int??
        var file: [Int8]?
    }
    struct Cased: Codable { var a = Case.neither }
    struct Mixed: Encodable {
        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: Key.self)
            var list = container.nestedUnkeyedContainer(forKey: .list)
            try list.encode(1)
            try list.encode(["a": 2])
        }
        enum Key: String, CodingKey { case list }
    }
    final class Deep: Codable, Sendable {
        let next: Deep?, x: Int?
        var depth: Int { self.next.map { $0.depth + 1 } ?? 0 }
        init(_ next: Deep?) { (self.next, self.x) = (next, next == nil ? 1 : nil) }
    }

    static let lossy = [
        Lossy(testDescription: "a bracket in a key", path: "a[b]", message: "a bracket") { ["a[b]": 1] },
        Lossy(testDescription: "a bracket in an inner key", path: "a.b]", message: "a bracket") { ["a": ["b]": 1]] },
        Lossy(testDescription: "an empty key", path: "", message: "An empty key") { ["": 1] },
        Lossy(testDescription: "a quote in a key", path: "\"", message: "a quotation mark") { ["\"": 1] },
        Lossy(testDescription: "an escape in a key", path: "a%0d", message: "%0D") { ["a%0d": 1] },
        Lossy(testDescription: "the charset of all fields", path: "_charset_", message: "RFC 7578 section 4.6") {
            ["_charset_": "latin1", "a": "é"]
        },
        Lossy(testDescription: "an array", path: "", message: "root must be an object") { [1, 2] },
        Lossy(testDescription: "a text", path: "", message: "root must be an object") { "text" },
        Lossy(testDescription: "nil", path: "", message: "root must be an object") { Inner?.none },
        Lossy(testDescription: "an empty array in an array", path: "list.0", message: "would be lost") {
            ["list": [[], [1]]]
        },
        Lossy(testDescription: "nil in an array", path: "list.1", message: "would be lost") {
            ["list": [1, nil]] as [String: [Int?]]
        },
        Lossy(testDescription: "an empty array in a dictionary", path: "k", message: "its key would be lost") {
            ["k": []] as [String: [Int]]
        },
        Lossy(testDescription: "an empty object in a dictionary", path: "k", message: "its key would be lost") {
            ["k": Inner()]
        },
        Lossy(testDescription: "nil in a dictionary", path: "a", message: "its key would be lost") {
            ["a": nil] as [String: Int?]
        },
        Lossy(testDescription: "an empty raw value", path: "word", message: "one empty field") { Lost(word: .empty) },
        Lossy(testDescription: "an empty text in a type", path: "email", message: "one empty field") {
            Lost(email: Email(""))
        },
        Lossy(testDescription: "an empty array", path: "list", message: "would be read as nil") { Lost(list: []) },
        Lossy(testDescription: "an empty object", path: "inner", message: "would be read as nil") {
            Lost(inner: Inner())
        },
        Lossy(testDescription: "nil in an optional", path: "nested", message: "would be read as nil") {
            Lost(nested: .some(nil))
        },
        Lossy(testDescription: "one empty field", path: "list", message: "one empty field", arrays: .repeated) {
            Lost(list: [""])
        },
        Lossy(testDescription: "a case", path: "a.neither", message: "raw value") { Cased() },
        Lossy(testDescription: "a case with nil", path: "a.many", message: "raw value") { Cased(a: .many(count: nil)) },
        Lossy(testDescription: "infinity", path: "number", message: "acceptsNonFiniteNumbers") {
            Lost(number: .infinity)
        },
        Lossy(testDescription: "no number", path: "number", message: "acceptsNonFiniteNumbers") { Lost(number: .nan) },
        Lossy(
            testDescription: "values beside objects", path: "list", message: "arrays = .indices", arrays: .repeated
        ) {
            Mixed()
        },
        Lossy(
            testDescription: "12 levels", path: Array(repeating: "next", count: 10).joined(separator: "."),
            message: "nameDepth"
        ) {
            (0..<12).reduce(Deep(nil)) { deep, _ in Deep(deep) }
        },
    ]

    @Test("What couldn't be read back is refused with its place and the reason", arguments: lossy)
    func refused(row: Lossy) throws {
        var encoder = FormDataEncoder()
        encoder.arrays = row.arrays
        let error = try #require(throws: EncodingError.self) { try encoder.encode(row.value()) }
        guard case .invalidValue(_, let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue).joined(separator: ".") == row.path, "\(context.debugDescription)")
        #expect(context.debugDescription.contains(row.message), "\(context.debugDescription)")
    }

    @Test("A refusal of a value that would be lost names what to do instead")
    func remedies() throws {
        let rows: [(any Encodable, String)] = [
            (Lost(list: []), "pass nil or make the member not optional, or send it as a JSONPart."),
            (Lost(word: .empty), "pass nil or make the member not optional, or send it as a JSONPart."),
            (["list": [1, nil]] as [String: [Int?]], "leave it out, or send the array as a JSONPart."),
            (["a[b]": 1], "rename it (CodingKeys), or send its object as a JSONPart."),
            (["": 1], "rename it (CodingKeys), or send its object as a JSONPart."),
            (
                ["a": Calls { try $0.wrapper([Int]()) }],
                "leave the member out, or send it as a JSONPart."
            ),
        ]
        for (value, remedy) in rows {
            let error = try #require(throws: EncodingError.self) { try FormDataEncoder().encode(value) }
            guard case .invalidValue(_, let context) = error else { throw error }
            #expect(context.debugDescription.hasSuffix(": " + remedy), "\(context.debugDescription)")
        }
    }

    @Test("Numbers in brackets that are no array's are refused with what reads them")
    func numbersWithGaps() async throws {
        struct Listed: Codable { var list: [String] }
        let form = try await self.form(["list[0]": "a", "list[2]": "b"])
        do {
            _ = try FormDataDecoder().decode(Listed.self, from: form)
            Issue.record("decoded")
        } catch DecodingError.typeMismatch(_, let context) {
            #expect(
                context.debugDescription
                    == "An array needs fields with the same name, with [] after it, or with [0], [1], … in that order "
                    + "(FormDataDecoder.indices); a dictionary reads other names.")
        }
        let sparse = try FormDataDecoder().decode([String: [Int: String]].self, from: form)
        #expect(sparse == ["list": [0: "a", 2: "b"]])
    }

    @Test("Empty text is text; a depth is one for both; mixed arrays come back with brackets and indices")
    func kept() async throws {
        struct Texts: Codable, Equatable {
            var text: String? = "", texts: [String?] = ["", "z"], email = Email(""), word = Word.empty
            var wide = Int128.min, widest: UInt128? = .max, list = [Int128.max], map = ["k": UInt128(7)]
        }
        let form = try await Self.sent(try FormDataEncoder().encode(Texts()))
        #expect(form["wide"] == "-170141183460469231731687303715884105728")
        #expect(try FormDataDecoder().decode(Texts.self, from: form) == Texts())
        var (encoder, decoder) = (FormDataEncoder(), FormDataDecoder())
        (encoder.nameDepth, decoder.nameDepth) = (12, 12)
        let deep = try await Self.sent(try encoder.encode((0..<12).reduce(Deep(nil)) { deep, _ in Deep(deep) }))
        #expect(deep.count == 1)
        #expect(try decoder.decode(Deep.self, from: deep).depth == 12)
        for arrays in [FormDataEncoder.Arrays.brackets, .indices] {
            encoder.arrays = arrays
            let mixed = try await Self.sent(try encoder.encode(Mixed()))
            #expect(mixed.map(\.name) == [arrays == .brackets ? "list[]" : "list[0]", "list[1][a]"])
        }
    }

    @Test(
        "A number is decimal and finite unless the decoder accepts others",
        arguments: ["nan", "inf", "-inf", "infinity", "Infinity", "NaN", "0x1p3", "1e999", "-1e999", " 1"])
    func numbers(text: String) async throws {
        struct Numbers: Codable { var value: Double, small: Float? }
        let form = try await self.form(["value": text])
        let error = try #require(throws: DecodingError.self) { try FormDataDecoder().decode(Numbers.self, from: form) }
        guard case .dataCorrupted(let context) = error else { throw error }
        #expect(context.codingPath.map(\.stringValue) == ["value"])
        #expect(context.debugDescription == "\"\(text)\" is not a valid Double.")
        let small = try await self.form(["value": "1", "small": "1e39"])
        #expect(throws: DecodingError.self) { try FormDataDecoder().decode(Numbers.self, from: small) }
        var decoder = FormDataDecoder()
        decoder.acceptsNonFiniteNumbers = true
        let isAccepted = ["nan", "inf", "-inf", "Infinity", "NaN"].contains(text)
        let number = try? decoder.decode(Numbers.self, from: form).value
        #expect((number != nil) == isAccepted && number?.isFinite != true)
        var encoder = FormDataEncoder()
        encoder.acceptsNonFiniteNumbers = true
        let written = try await Self.sent(try encoder.encode(Numbers(value: .nan, small: -.infinity)))
        let read = try decoder.decode(Numbers.self, from: written)
        #expect(read.value.isNaN && read.small == -.infinity)
    }

    @Test("Types with a text of their own")
    func convertible() async throws {
        struct Colour: Codable, Equatable, FormTextConvertible {
            var red = 1, green = 2
            init() {}
            init?(formText: String) { guard formText == "1/2" else { return nil } }
            var formText: String { "\(self.red)/\(self.green)" }
        }
        struct Wall: Codable, Equatable { var colour = Colour(), more = [Colour()] }
        let form = try await Self.sent(try FormDataEncoder().encode(Wall()))
        #expect(form["colour"] == "1/2")
        #expect(try FormDataDecoder().decode(Wall.self, from: form) == Wall())
    }

    @Test("A name with an unbalanced bracket is the decoded name")
    func unbalanced() throws {
        let form = try ReceivedForm(
            "--x\r\nContent-Disposition: form-data; name=\"a[\\\"b\"\r\n\r\n1\r\n--x--\r\n",
            contentType: "multipart/form-data; boundary=x")
        #expect(form[0].name == "a[\"b")
        #expect(try FormDataDecoder().decode([String: String].self, from: form) == ["a[\"b": "1"])
    }

    @Test("Whole numbers are read up to the largest, however few digits are read from the bytes")
    func largeNumbers() async throws {
        let form = try await self.form(["a": "999999999999999999", "b": "-9223372036854775808", "c": "5000000000"])
        #expect(
            try FormDataDecoder().decode([String: Int64].self, from: form)
                == ["a": 999_999_999_999_999_999, "b": .min, "c": 5_000_000_000])
    }

    private enum LabelKey: CodingKey { case text }

    /// Tries each element as an object before text.
    private struct TextsOrObjects: Decodable {
        var texts: [String] = []

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd {
                if let object = try? list.nestedContainer(keyedBy: LabelKey.self) {
                    self.texts.append(try object.decode(String.self, forKey: .text))
                } else {
                    self.texts.append(try list.decode(String.self))
                }
            }
        }
    }

    /// Tries each element as an array before an object.
    private struct ListsOrObjects: Decodable {
        var texts: [String] = []

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while !list.isAtEnd {
                if var inner = try? list.nestedUnkeyedContainer() {
                    self.texts.append(try inner.decode(String.self))
                } else {
                    let object = try list.nestedContainer(keyedBy: LabelKey.self)
                    self.texts.append(try object.decode(String.self, forKey: .text))
                }
            }
        }
    }

    @Test("An element that isn't the container that was tried is read as what it is")
    func triedContainers() async throws {
        let texts = try await self.form(["x[]": "a", "x[]": "b"])
        #expect(try FormDataDecoder().decode([String: TextsOrObjects].self, from: texts)["x"]?.texts == ["a", "b"])
        let objects = try await self.form(["x[0][text]": "a", "x[1][text]": "b"])
        #expect(try FormDataDecoder().decode([String: ListsOrObjects].self, from: objects)["x"]?.texts == ["a", "b"])
    }

    @Test("Members of objects in brackets without a number are grouped as in Rack")
    func grouped() async throws {
        struct Row: Decodable, Equatable {
            var x: Int
            var y: Int?
        }
        let multipart = try await self.form(
            ["a[][x]": "1", "a[][y]": "2", "a[][x]": "3", "a[][y]": "4", "a[][x]": "5"])
        let urlEncoded = try ReceivedForm(
            "a[][x]=1&a[][y]=2&a[][x]=3&a[][y]=4&a[][x]=5", contentType: "application/x-www-form-urlencoded")
        for form in [multipart, urlEncoded] {
            #expect(
                try FormDataDecoder().decode([String: [Row]].self, from: form)
                    == ["a": [Row(x: 1, y: 2), Row(x: 3, y: 4), Row(x: 5)]])
        }
    }

    /// A type's own calls at one place.
    private struct Calls: Encodable {
        var calls: @Sendable (any Encoder) throws -> Void
        func encode(to encoder: any Encoder) throws { try self.calls(encoder) }
    }

    @Test("Several containers of one array continue it", arguments: FormDataEncoder.Arrays.allCases)
    func continuedArrays(arrays: FormDataEncoder.Arrays) async throws {
        var encoder = FormDataEncoder()
        encoder.arrays = arrays
        let calls = Calls { encoder in
            var first = encoder.unkeyedContainer()
            try first.encode(1)
            var second = encoder.unkeyedContainer()
            try second.encode(2)
            try first.encode(3)
            #expect(first.count == 3 && second.count == 3)
        }
        let form = try await Self.sent(try encoder.encode(["x": calls]))
        #expect(try FormDataDecoder().decode([String: [Int]].self, from: form) == ["x": [1, 2, 3]])
    }

    /// Reads its elements itself.
    private struct Numbers: Decodable {
        var numbers: [Int?] = []
        var more: Int128?
        var text: String?
        var word: Word?

        init(from decoder: any Decoder) throws {
            var list = try decoder.unkeyedContainer()
            while self.numbers.count < 2 { self.numbers.append(try list.decodeIfPresent(Int.self)) }
            self.more = try list.decodeIfPresent(Int128.self)
            self.text = try list.decodeIfPresent(String.self)
            self.word = try list.decodeIfPresent(Word.self)
            #expect(list.isAtEnd)
            #expect(try list.decodeIfPresent(Int.self) == nil)
        }
    }

    @Test("An empty element of a list is nil for a number and empty for text, as a member is")
    func emptyElements() async throws {
        let form = try await self.form(["x[]": "1", "x[]": "", "x[]": "", "x[]": "", "x[]": ""])
        let numbers = try #require(try FormDataDecoder().decode([String: Numbers].self, from: form)["x"])
        #expect(numbers.numbers == [1, nil])
        #expect(numbers.more == nil)
        #expect(numbers.text == "")
        #expect(numbers.word == nil)
    }
}

extension Encoder {
    /// Encodes a value as a type that wraps it does.
    fileprivate func wrapper(_ value: some Encodable) throws {
        var container = self.singleValueContainer()
        try container.encode(value)
    }
}
