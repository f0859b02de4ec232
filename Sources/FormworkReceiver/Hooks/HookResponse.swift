import FormworkHTTP
import HTTPTypes
import FormworkEssentials

/// What a hook's answer sets for an upload that it accepts. A missing member sets nothing.
struct HookResponse: Decodable, Hashable, Sendable {
    /// The file's name, with folders.
    var name: String?
    /// The folder for all files.
    var folder: String?
    /// The most bytes of the upload.
    var maxSize: Int64?
    /// Stored with an object (`x-amz-meta-…`), and part of later messages.
    var metadata: [String: String]?

    /// Why an answer can't be used.
    struct Unusable: Error, CustomStringConvertible {
        var description: String
    }

    /// S3 allows 2 KiB of metadata, names included. `formwork-upload` and its UUID are the receiver's own.
    private static let longestMetadata = 2_048 - 15 - 36

    /// Reads the body of a 2xx answer; an empty one sets nothing.
    init(_ body: [UInt8]) throws(Unusable) {
        guard body.contains(where: { $0 > 0x20 }) else { return }
        guard let answer = try? JSONDecoder().decode(Self.self, from: Data(body)) else {
            throw Unusable(description: "isn't an object: {} accepts, with name, folder, maxSize or metadata as needed")
        }
        self = answer
    }

    /// Adds what the answer sets.
    /// - Parameter isForm: Whether it is about a form, whose files have their own names.
    func apply(to terms: inout UploadTerms, isForm: Bool) throws(Unusable) {
        if let name {
            guard !isForm else { throw Unusable(description: "has a name for a form: give a folder instead") }
            guard SignedLink.folders(of: name) != nil else {
                throw Unusable(description: "has a name that isn't safe on every system")
            }
            terms.name = name
        }
        if let folder {
            guard SignedLink.folders(of: folder) != nil else {
                throw Unusable(description: "has a folder that isn't safe on every system")
            }
            terms.folder = [terms.folder, folder].compactMap(\.self).joined(separator: "/")
            guard !terms.folders.isEmpty else { throw Unusable(description: "has a folder that is too long") }
        }
        if let maxSize {
            guard maxSize >= 0 else { throw Unusable(description: "has a negative maxSize") }
            terms.maxSize = min(terms.maxSize ?? maxSize, maxSize)
        }
        if let metadata, !metadata.isEmpty {
            let size = metadata.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
            // Amazon S3 has 2 KB for all, and they are header fields.
            let areFields = metadata.allSatisfy { name, value in
                !name.isEmpty && name.utf8.allSatisfy { $0.isLetterOrDigit || $0 == 0x2D }
                    && !name.lowercased().hasPrefix("formwork-")
                    && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
            }
            guard size <= Self.longestMetadata, areFields else {
                throw Unusable(
                    description:
                        "has metadata that aren't header fields of at most \(Self.longestMetadata) bytes of ASCII")
            }
            guard Set(metadata.keys.map { $0.lowercased() }).count == metadata.count else {
                throw Unusable(description: "has metadata with names that differ only in case")
            }
            terms.metadata = metadata
        }
    }

    /// The refusal that a 4xx answer passes on: a problem document, or a text.
    static func refusal(status: Int, contentType: String?, body: [UInt8]) -> ProblemDetails {
        // A browser would ask for a password at 401, and these two are about the connection.
        let status = [401, 407, 408].contains(status) ? 403 : status
        var problem = ProblemDetails(HTTPResponse.Status(code: status))
        if !Self.titled.contains(status) { problem.title = "Refused" }
        if let document = try? JSONDecoder().decode(Document.self, from: Data(body)) {
            problem.title = document.title?.shortened ?? problem.title
            problem.detail = document.detail?.shortened
        } else if contentType?.lowercased().hasPrefix("text/plain") == true {
            let text = String(decoding: body, as: UTF8.self).shortened
            problem.detail = text.isEmpty ? nil : text
        }
        if problem.detail == nil { problem.detail = "The upload was refused." }
        return problem
    }

    private struct Document: Decodable {
        var title: String?
        var detail: String?
    }

    /// Statuses whose own phrase is a title.
    private static let titled: Set = [400, 403, 404, 409, 413, 415, 422, 429]
}

extension String {
    /// At most a thousand bytes, in one line.
    fileprivate var shortened: String {
        var text = self.replacing("\r\n", with: " ").replacing("\n", with: " ")
        while text.hasSuffix(" ") { text.removeLast() }
        return text.withControlCharactersEscaped.cut(to: 1_000)
    }
}
