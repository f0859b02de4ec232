import Formwork
import FormworkURLEncoded

extension CapturedBody {
    /// Whether JSON text looks like a HAR file.
    static func isArchive(_ text: [UInt8]) -> Bool {
        let start = String(decoding: text.prefix(4096), as: UTF8.self)
        return start.contains("\"log\"") && (start.contains("\"entries\"") || start.contains("\"creator\""))
    }

    /// The body in a HAR file (HTTP Archive 1.2): `log.entries[].request.postData`.
    /// - Parameter entry: The place in `log.entries`, from 1; `nil` for the only one with a multipart body.
    /// - Returns: `nil` when the text is JSON, but not a HAR file.
    init?(archive text: [UInt8], entry: Int?) throws {
        let bytes = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
        guard let entries = try OrderedJSON.read(bytes)["log"]?["entries"]?.elements else { return nil }
        let forms = entries.enumerated().compactMap { index, value in HAREntry(value, number: index + 1) }
        let chosen = try CaptureChoice.choose(entry, forms, count: entries.count, of: "HAR file")
        self.init(contentType: chosen.contentType, bytes: try chosen.body(), length: chosen.length)
    }
}

/// An entry whose request has a multipart body.
private struct HAREntry: CaptureEntry {
    /// Its place, from 1.
    let number: Int
    private let request: ParameterValue
    private let post: ParameterValue

    init?(_ value: ParameterValue, number: Int) {
        guard let request = value["request"], let post = request["postData"],
            let type = post["mimeType"]?.string ?? Self.header("content-type", of: request),
            type.lowercased().hasPrefix("multipart/")
        else { return nil }
        (self.number, self.request, self.post) = (number, request, post)
    }

    /// The type with a boundary, from `postData` or the request's header.
    var contentType: String? {
        let types = [self.post["mimeType"]?.string, Self.header("content-type", of: self.request)].compactMap { $0 }
        return types.first { $0.lowercased().contains("boundary") }
    }

    /// Method and URL.
    var title: String { "\(self.request["method"]?.string ?? "?") \(self.request["url"]?.string ?? "?")" }

    func body() throws(FormworkError) -> [UInt8] {
        guard let text = self.post["text"]?.string, !text.isEmpty else {
            let reason =
                self.post["params"] == nil
                ? "no text" : "params but no text: the browser saved the form without its files"
            throw FormworkError(
                .malformedBody, "entry \(self.number) has \(reason); capture it with a proxy instead")
        }
        if self.post["encoding"]?.string?.lowercased() == "base64" {
            return try CapturedBody.decode(base64: text, of: "entry \(self.number): its text")
        }
        return self.isLatin1(text) ? text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(text.utf8)
    }

    var length: Int128? {
        Self.header("content-length", of: self.request).flatMap { Int128($0) }
            ?? self.request["bodySize"]?.integer.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// Whether each character represents one byte, as Firefox writes bodies, and not UTF-8 text.
    private func isLatin1(_ text: String) -> Bool {
        guard text.unicodeScalars.allSatisfy({ $0.value <= 0xFF }) else { return false }
        let length = self.length
        if length == Int128(text.utf8.count) { return false }
        if length == Int128(text.unicodeScalars.count) { return true }
        // Text doesn't contain C1 controls, so these are bytes.
        return text.unicodeScalars.contains { (0x80...0x9F).contains($0.value) }
    }

    private static func header(_ name: String, of request: ParameterValue) -> String? {
        request["headers"]?.elements?.first { $0["name"]?.string?.lowercased() == name }?["value"]?.string
    }
}
