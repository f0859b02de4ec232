#if Command
import Formwork
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// JSON in and out.
enum JSONText {
    /// Indented, with sorted keys and a line end.
    static func encode(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from path: FilePath) throws -> Value {
        let limit = 256 << 20
        let bytes = try BodyPlan(copying: .file(path)).bytes(upTo: limit)
        do {
            return try JSONDecoder().decode(type, from: Data(bytes))
        } catch let error as FormworkError {
            throw error
        } catch {
            throw FormworkError(
                .invalidArgument, "is not a description written by 'formwork plan --save'", path: path.string,
                cause: error)
        }
    }
}
#endif
