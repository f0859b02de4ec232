import Foundation
import FormworkFoundation
import FormworkMigration

/// A folder of one test's own, gone with it.
final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("formwork-test-\(UUID().uuidString)")

    init() throws { try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: true) }

    deinit { try? FileManager.default.removeItem(at: self.url) }

    subscript(name: String) -> URL { self.url.appendingPathComponent(name) }

    func file(_ name: String, _ text: String) throws -> URL {
        try Data(text.utf8).write(to: self[name])
        return self[name]
    }

    var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: self.url.path)) ?? []).sorted() }
}

extension MultipartFormData {
    /// A form whose bytes can be written down.
    static func fixed(_ compatibility: Compatibility = .safe) -> MultipartFormData {
        MultipartFormData(boundary: "B", compatibility: compatibility)
    }

    func append(_ text: String, declared: UInt64? = nil, as name: String = "s") {
        self.append(
            InputStream(data: Data(text.utf8)), withLength: declared ?? UInt64(text.utf8.count), name: name,
            fileName: "s.bin", mimeType: "a/b")
    }

    var text: String { get throws { String(decoding: try self.encode(), as: UTF8.self) } }
}

/// The body with one part that ``MultipartFormData/append(_:declared:as:)`` makes.
func streamBody(_ content: String) -> String {
    "--B\r\nContent-Disposition: form-data; name=\"s\"; filename=\"s.bin\"\r\nContent-Type: a/b\r\n\r\n\(content)\r\n--B--\r\n"
}

func text(of url: URL) throws -> String { String(decoding: try Data(contentsOf: url), as: UTF8.self) }

/// An error's case and reason, as the vectors name them; "" when nothing was thrown.
func failure(_ body: () throws -> Void) -> String {
    do {
        try body()
        return ""
    } catch {
        guard let error = error as? AFError else { return "\(error)" }
        guard case .multipartEncodingFailed(let reason) = error else { return "\(error)" }
        let name = "multipartEncodingFailed." + "\(reason)".prefix { $0 != "(" }
        guard case .inputStreamReadFailed(let cause) = reason else { return name }
        return name + (cause is AFError.UnexpectedInputStreamLength ? "(UnexpectedInputStreamLength)" : "")
    }
}

let unexpectedLength = "multipartEncodingFailed.inputStreamReadFailed(UnexpectedInputStreamLength)"
let readFailed = "multipartEncodingFailed.inputStreamReadFailed"
