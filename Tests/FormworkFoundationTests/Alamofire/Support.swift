import Foundation
import FormworkFoundation
import FormworkMigration
import TestSupport

/// A temporary folder whose files are URLs.
final class Folder {
    private let folder = TemporaryFolder()
    var url: URL { URL(fileURLWithPath: self.folder.path.string, isDirectory: true) }
    var names: [String] { self.folder.names }

    subscript(name: String) -> URL { self.url.appendingPathComponent(name) }

    func file(_ name: String, _ text: String) throws -> URL {
        URL(fileURLWithPath: try self.folder.file(name, text).string)
    }
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
