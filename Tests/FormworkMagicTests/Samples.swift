import Foundation
import FormworkCore

/// The sample files, and what each of them is.
struct Sample: Decodable, Sendable {
    var file: String
    var what: String
    /// Types that a careful person accepts, best first.
    var right: [String]

    static let package = (0..<3).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    static let folder = package.appendingPathComponent("Fixtures/media-types")

    static func all() throws -> [Sample] {
        try JSONDecoder().decode(
            [Sample].self, from: Data(contentsOf: self.folder.appendingPathComponent("samples.json")))
    }

    var path: String { Self.folder.appendingPathComponent(self.file).path }

    func isRight(_ type: String?) -> Bool {
        self.right.contains { $0.lowercased() == type?.lowercased() }
    }
}
