import Foundation
import Testing

@Suite("Vectors: command lines of a real curl")
struct CurlVectorsTests {
    @Test("--compat curl makes curl's bytes, length and type, or ends with its status", arguments: try CurlVector.rows())
    func compatible(row: CurlVector) throws {
        let folder = Folder()
        try row.prepare(folder)
        switch row.expected {
        case .status(let status):
            let result = try row.run("body", options: ["--compat", "curl"], in: folder)
            #expect(result.status == status, "\(result.errors)")
            #expect(!result.errors.isEmpty)
        case .body(let body, let contentType, let length, let boundaries):
            let options = ["--compat", "curl", "--boundary=\(boundaries[0])"]
            let result = try row.run("body", options: options, in: folder)
            #expect(result.status == 0, "\(result.errors)")
            let text = Self.substitute(boundaries, in: result.output)
            #expect(text == String(decoding: body, as: Unicode.ASCII.self), "\(row.name)")
            for fifo in row.fifos.keys { try FileManager.default.removeItem(atPath: folder.path + "/" + fifo) }
            let headers = try row.run("headers", options: options, in: folder)
            let lines = length.map { "Content-Type: \(contentType)\nContent-Length: \($0)\n" }
            #expect(headers.text == lines ?? "Content-Type: \(contentType)\n")
        }
    }

    /// The body with the boundaries inside it replaced by the captured ones, in order. As ASCII, so that bytes that are
    /// no text can be compared and shown.
    private static func substitute(_ boundaries: [String], in body: [UInt8]) -> String {
        var text = String(decoding: body, as: Unicode.ASCII.self)
        var found: [String] = []
        for match in text.matches(of: /boundary=(-{24}[0-9a-f]{16})/) where !found.contains(String(match.1)) {
            found.append(String(match.1))
        }
        for (ours, theirs) in zip(found, boundaries.dropFirst()) { text = text.replacing(ours, with: theirs) }
        return text
    }

    /// What curl loses without a word, or refuses, and what is said instead.
    static let losses: [String: String] = [:]

    @Test(
        "Without --compat, what curl would lose is an error with its place; nothing else is refused",
        .enabled(if: ProcessInfo.processInfo.environment["FORMWORK_VECTORS"] == nil), arguments: try CurlVector.rows())
    func strict(row: CurlVector) throws {
        let folder = Folder()
        try row.prepare(folder)
        let result = try row.run("body", options: [], in: folder)
        guard let message = Self.losses[row.name] else {
            #expect(result.status == 0, "\(row.name): \(result.errors)")
            return
        }
        #expect(result.status == 2 || result.status == 26)
        #expect(result.errors.contains(message), "\(row.name): \(result.errors)")
        #expect(result.errors.split(separator: "\n").count == 1, "one line")
    }
}
