import Foundation

/// One row of `Fixtures/clients/clients.json`: what a client sent when it was given the form of that folder's README.
package struct ClientCapture: Decodable, Sendable {
    package var client: String
    package var version: String
    package var contentType: String
    package var body: String

    private struct Manifest: Decodable { var captures: [ClientCapture] }

    private static let folder = Checkout.url("Fixtures/clients")

    package static func all() throws -> [ClientCapture] {
        let manifest = try Data(contentsOf: self.folder.appendingPathComponent("clients.json"))
        return try JSONDecoder().decode(Manifest.self, from: manifest).captures
    }

    package func bytes() throws -> [UInt8] {
        Array(try Data(contentsOf: Self.folder.appendingPathComponent(self.body)))
    }
}
