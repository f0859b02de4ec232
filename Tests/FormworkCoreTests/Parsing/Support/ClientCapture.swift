import Foundation

/// One row of `Fixtures/clients/clients.json`: what a client sent when it was given the form of that folder's README.
struct ClientCapture: Decodable, Sendable {
    var client: String
    var version: String
    var contentType: String
    var body: String

    private struct Manifest: Decodable { var captures: [ClientCapture] }

    private static let folder = (0..<5).reduce(URL(fileURLWithPath: #filePath)) { url, _ in
        url.deletingLastPathComponent()
    }
    .appendingPathComponent("Fixtures/clients")

    static func all() throws -> [ClientCapture] {
        let manifest = try Data(contentsOf: self.folder.appendingPathComponent("clients.json"))
        return try JSONDecoder().decode(Manifest.self, from: manifest).captures
    }

    func bytes() throws -> [UInt8] { Array(try Data(contentsOf: Self.folder.appendingPathComponent(self.body))) }
}
