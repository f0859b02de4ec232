import Foundation
import TestSupport

/// The rows to run: those of this package's fixtures, or of the folder that `FORMWORK_VECTORS` names.
enum VectorFolder {
    /// `Fixtures/vectors` of this checkout.
    static let fixtures = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        .appendingPathComponent("Fixtures/vectors")

    /// The folder asked for; `nil` when none was.
    static let requested = ProcessInfo.processInfo.environment["FORMWORK_VECTORS"].map { URL(fileURLWithPath: $0) }

    /// Rows made for this package: one for each option at least.
    static let ownFixtures = fixtures.deletingLastPathComponent().appendingPathComponent("vectors-options")

    static func rows() throws -> [VectorRow] {
        if let requested { return try self.rows(in: requested) }
        return try self.rows(in: self.fixtures) + self.rows(in: self.ownFixtures)
    }

    /// - Throws: When the folder, or a file that has to be understood, can't be read.
    static func rows(in folder: URL) throws -> [VectorRow] {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
        return try names.sorted().flatMap { name in
            let data = try Data(contentsOf: folder.appendingPathComponent(name))
            return try self.rows(of: data, in: name)
        }
    }

    /// All rows of a file that is named as ours are; of another, those of systems that are understood.
    static func rows(of data: Data, in name: String) throws -> [VectorRow] {
        let isOurs = name.hasPrefix("multipart-framing") || name.hasPrefix("multipart-stream")
        guard isOurs else {
            guard case .array(let values)? = try? JSONValue(parsing: data) else { return [] }
            return self.rows(values, name).filter { MultipartVector.systems.contains($0.system ?? "") }
        }
        guard case .array(let values) = try JSONValue(parsing: data) else {
            throw NotUnderstood("\(name) is no array of rows")
        }
        return self.rows(values, name)
    }

    private static func rows(_ values: [JSONValue], _ file: String) -> [VectorRow] {
        values.enumerated().map { index, value in
            let name: String =
                if case .object(let fields) = value, case .string(let name)? = fields["name"] { name } else {
                    "row \(index + 1)"
                }
            return VectorRow(file: file, name: name, json: value)
        }
    }
}
