import Foundation
import Testing

/// Rows of `Fixtures/vectors`.
struct VectorRows {
    /// One row, as its file has it.
    struct Row: @unchecked Sendable, CustomTestStringConvertible {
        // Unchecked, because Foundation's JSON says nothing; nobody changes it.
        let json: [String: Any]
        var testDescription: String { self.json["name"] as? String ?? "?" }
    }

    static let folder = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appendingPathComponent("Fixtures/vectors")

    /// The rows of systems that begin so, of the files that begin so.
    static func rows(_ files: String..., system: String) throws -> [Row] {
        let names = try FileManager.default.contentsOfDirectory(atPath: self.folder.path)
        return try names.sorted().filter { name in files.contains { name.hasPrefix($0) } }.flatMap { name in
            let data = try Data(contentsOf: self.folder.appendingPathComponent(name))
            return (try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? [])
                .filter { ($0["system"] as? String)?.hasPrefix(system) ?? false }.map(Row.init)
        }
    }
}
