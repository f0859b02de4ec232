import Formwork
import Testing

@Suite("Forms of one level", .timeLimit(.minutes(10)))
struct FlatFormTests {
    private struct Row: Decodable, Equatable {
        var a70: Int
        var a3: Int?
        var b: [String]
        var none: Double?
        var a1: String
    }

    @Test("Members are found in any order, among few and among many", arguments: [4, 71])
    func order(count: Int) throws {
        let numbers = (0..<count).map { "a\($0)=\($0)" } + (count < 71 ? ["a70=70"] : [])
        let body = (["b=x", "b=y"] + numbers).joined(separator: "&")
        let type = "application/x-www-form-urlencoded"
        let row = try FormDataDecoder().decode(Row.self, from: body, contentType: type)
        #expect(row == Row(a70: 70, a3: 3, b: ["x", "y"], none: nil, a1: "1"))
    }

    private struct Texts: Decodable, Equatable {
        var text: String
        var number: Double
        var flag: Bool
        var missing: Int8?
        var empty: Int?
        var emptyText: String?
    }

    @Test("A field that isn't plain is read, or refused with its place, as before")
    func unusual() throws {
        let decoder = FormDataDecoder()
        func decode(_ fields: String) throws -> Texts {
            try decoder.decode(Texts.self, from: fields, contentType: "application/x-www-form-urlencoded")
        }
        #expect(
            try decode("text=%E2%82%AC&number=1.5e1&flag=YES&empty=&emptyText=")
                == Texts(text: "\u{20AC}", number: 15, flag: true, missing: nil, empty: nil, emptyText: ""))
        func message(_ fields: String) -> String {
            do {
                return "\(try decode(fields))"
            } catch DecodingError.dataCorrupted(let context) {
                return "\(context.codingPath.map(\.stringValue)) \(context.debugDescription)"
            } catch DecodingError.keyNotFound(let key, let context) {
                return "\(context.codingPath.map(\.stringValue)) \(key.stringValue): \(context.debugDescription)"
            } catch DecodingError.typeMismatch(_, let context) {
                return "\(context.codingPath.map(\.stringValue)) \(context.debugDescription)"
            } catch {
                return "\(error)"
            }
        }
        #expect(message("text=%FF&number=1&flag=1") == "[\"text\"] The text is not valid UTF-8")
        #expect(message("text=a&number=x&flag=1") == "[\"number\"] \"x\" is not a valid Double.")
        #expect(message("text=a&number=1&flag=maybe") == "[\"flag\"] \"maybe\" is not a valid Bool.")
        #expect(message("text=a&number=1") == "[] flag: There is no field of this name.")
        #expect(message("text=a&number=1&flag=1&missing=300") == "[\"missing\"] \"300\" is not a valid Int8.")
        #expect(
            message("text=a&text=b&number=1&flag=1")
                == "[\"text\"] String needs one field: the name is repeated (FormDataDecoder.duplicates), or has brackets "
                + "after it.")
    }
}
