import Formwork
import SystemPackage
import Testing

@Suite("Forms as Codable types")
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
        let plan = try form.plan()
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
        #expect(form.entries.map(\.name) == names)
        encoder.arrays = .brackets
        let nested = try await Self.sent(try encoder.encode(Nested()))
        #expect(nested.entries.map(\.name) == ["matrix[0][]", "matrix[1][]", "address[street]", "list[0][street]"])
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
        #expect(form.entries.map(\.name) == ["title", "photo", "pages[]", "pages[]"])
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
                == "list.0.number: Int needs one field, and not several of the same name.")
        #expect(
            try await decode(["list": "1"])
                == "list.0: Dictionary<String, String> needs fields with brackets in their names.")
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
        #expect(form.entries.map(\.name) == ["c"])
        #expect(try FormDataDecoder().decode(Outer.self, from: form) == Outer())
    }

    @Test("What couldn't be read back is refused")
    func refused() {
        struct Lists: Codable { var list: [[Int]] }
        struct Optionals: Codable { var list: [Int?] }
        let encode = { (value: any Encodable) in _ = try FormDataEncoder().encode(value) }
        #expect(throws: EncodingError.self) { try encode(["a[b]": 1]) }
        #expect(throws: EncodingError.self) { try encode(["": 1]) }
        #expect(throws: EncodingError.self) { try encode(["a": ["b]": 1]]) }
        #expect(throws: EncodingError.self) { try encode([1, 2]) }
        #expect(throws: EncodingError.self) { try encode("text") }
        #expect(throws: EncodingError.self) { try encode(Lists(list: [[], [1]])) }
        #expect(throws: EncodingError.self) { try encode(Optionals(list: [1, nil])) }
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
}
