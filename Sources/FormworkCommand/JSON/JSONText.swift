import Formwork

import FormworkEssentials

/// JSON in and out.
enum JSONText {
    /// Indented, with sorted keys and a line end.
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    /// - Parameters:
    ///   - file: The file's path; `-` means standard input.
    ///   - option: The option that names it.
    static func decode<Value: Decodable>(_ type: Value.Type, from file: String, of option: String) throws -> Value {
        let bytes = try GivenFile.bytes(of: file, "\(option) \(ShellQuote.quote(file))", limit: 256 << 20)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as FormworkError {
            throw error
        } catch {
            // A decoder's own text describes Swift types, which doesn't help the user.
            let reason = (error as? DecodingError).map { ": \(Self.reason($0))" } ?? ""
            throw FormworkError(
                .invalidArgument, "is not a description written by 'formwork plan --save'\(reason)",
                path: file == "-" ? "standard input" : file)
        }
    }

    /// What is wrong, and where, as in `its member "parts[0].name" is missing`.
    private static func reason(_ error: DecodingError) -> String {
        func place(_ path: [any CodingKey]) -> String {
            path.reduce(into: "") { text, key in
                text += key.intValue.map { "[\($0)]" } ?? (text.isEmpty ? key.stringValue : ".\(key.stringValue)")
            }
        }
        switch error {
        case .keyNotFound(let key, let context):
            return "its member \"\(place(context.codingPath + [key]))\" is missing"
        case .valueNotFound(_, let context), .typeMismatch(_, let context):
            let name = place(context.codingPath)
            return name.isEmpty ? "it is not a JSON object" : "its member \"\(name)\" has a value of the wrong type"
        case .dataCorrupted(let context):
            let name = place(context.codingPath)
            return name.isEmpty ? "it is not JSON" : "its member \"\(name)\" has an invalid value"
        @unknown default: return "it can't be read"
        }
    }
}
