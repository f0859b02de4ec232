import Formwork
import FormworkEssentials
import FormworkSystem
import HTTPTypes

/// What a request's head says about the body that follows it.
struct IncomingUpload: Sendable {
    /// How the body is to be read.
    enum Content: Sendable {
        /// `multipart/form-data` or `multipart/mixed`.
        case parts(contentType: String, isForm: Bool)
        /// The body is the file.
        case file(SafePath, contentType: String?)
    }

    var content: Content
    /// Bytes of the body; `nil` if only its end shows them.
    var length: Int64?
    /// The condition for a PUT.
    var condition = PathCondition.none
    /// The digests that the body must have.
    var digests: [BodyCheck.Digest] = []
    /// The resumable upload that has its bytes, so that it can be completed again after a failure; `nil` for another one.
    var resumed: (name: String, begun: Date)?
    /// What a client said of a file besides its name and type, with tus.
    var metadata: [(name: String, value: [UInt8])] = []
    /// The terms on which it was accepted.
    var terms = UploadTerms()

    init(_ content: Content, length: Int64?) { (self.content, self.length) = (content, length) }

    /// - Throws: 415 for a body that is encoded.
    static func checkCoding(_ head: HTTPRequest) throws(ProblemDetails) {
        if let coding = head.headerFields[.contentEncoding], coding.lowercased() != "identity" {
            throw .unsupported("A body with a Content-Encoding is not accepted: send it without one.")
        }
    }

    /// Reads the upload that a request with this head makes.
    ///
    /// The file's name comes from `Content-Disposition`, or otherwise from the path's last segment. If nothing safe is
    /// left of a name, it becomes `upload-…`. A PUT is refused instead: its path is the name that the client asked for.
    /// - Parameter filename: A name from elsewhere, such as tus metadata.
    /// - Throws: 400, 412 and 415.
    init(_ head: HTTPRequest, filename: String? = nil) throws(ProblemDetails) {
        let type = try Self.contentType(head)
        let length = try Self.length(head)
        let name = Self.mediaType(type ?? "")
        try Self.checkCoding(head)
        if head.method != .put, name.hasPrefix("multipart/") {
            guard let type, ["multipart/form-data", "multipart/mixed"].contains(name) else {
                throw .unsupported("Of multipart types only multipart/form-data and multipart/mixed are accepted.")
            }
            self.init(.parts(contentType: type, isForm: name == "multipart/form-data"), length: length)
            self.digests = try BodyCheck.digests(of: head.headerFields)
            return
        }
        if head.method != .put, name == Self.urlEncoded {
            throw .unsupported("A url-encoded form can't contain files: send multipart/form-data, or a file with PUT.")
        }
        let file = try Self.filename(head, type, filename)
        self.init(.file(file, contentType: type), length: length)
        self.digests = try BodyCheck.digests(of: head.headerFields)
        if head.method == .put { self.condition = try Self.condition(head.headerFields) }
    }

    /// Evaluates the conditions of a PUT (RFC 9110 section 13.2.2). Files have no entity tags here, so no tag in a list
    /// matches.
    private static func condition(_ fields: HTTPFields) throws(ProblemDetails) -> PathCondition {
        let match = fields[values: .ifMatch].map { String(Substring($0.utf8.trimmingBlanks)) }
        guard match.isEmpty || match == ["*"] else {
            throw .preconditionFailed("Files have no entity tags here, so If-Match can only be *.")
        }
        // With If-Match it is ignored (RFC 9110 section 13.1.4).
        guard !match.isEmpty || fields[.ifUnmodifiedSince] == nil else {
            throw .preconditionFailed("If-Unmodified-Since isn't evaluated here: use If-None-Match: * or If-Match: *.")
        }
        let noneMatch = fields[values: .ifNoneMatch].flatMap { $0.split(separator: ",") }
            .map { String(Substring($0.utf8.trimmingBlanks)) }
        if noneMatch.contains("*") {
            guard noneMatch.count == 1 else { throw .badRequest("If-None-Match is * or a list of tags, not both.") }
            guard match.isEmpty else { throw .preconditionFailed("If-Match and If-None-Match contradict each other.") }
            return .isFree
        }
        return match.isEmpty ? .none : .isTaken
    }

    /// The Content-Type that counts; `nil` if there is none.
    ///
    /// A sender must not repeat the field (RFC 9110 §5.3), but wget2 1.99 adds `application/x-www-form-urlencoded` to
    /// the type it was given. So that type is ignored next to exactly one other. This opens no way to smuggle requests.
    /// Other fields say where the body ends. A body is only stored here and never interpreted as a url-encoded form,
    /// however a proxy reads it. And no page of another site can send the field twice.
    private static func contentType(_ head: HTTPRequest) throws(ProblemDetails) -> String? {
        let all = head.headerFields[values: .contentType]
        guard all.count > 1 else { return all.first }
        let others = all.filter { self.mediaType($0) != self.urlEncoded }
        guard others.count == 1 else {
            throw .badRequest("The request has \(all.count) Content-Type fields: send one.")
        }
        return others[0]
    }

    private static let urlEncoded = "application/x-www-form-urlencoded"

    private static func mediaType(_ value: String) -> String {
        value.prefix { $0 != ";" }.filter { !$0.isWhitespace }.lowercased()
    }

    private static func length(_ head: HTTPRequest) throws(ProblemDetails) -> Int64? {
        guard let text = head.headerFields[.contentLength] else {
            // A request with neither has no body (RFC 9112 §6.3); HTTP/2 needs neither.
            return nil
        }
        guard let length = Int64(text), length >= 0 else {
            throw .badRequest("The Content-Length isn't a number of bytes.")
        }
        return length
    }

    private static func filename(
        _ head: HTTPRequest, _ type: String?, _ given: String?
    ) throws(ProblemDetails) -> SafePath {
        if let given, let safe = SafePath(given, limit: self.nameBytes) { return safe }
        if let value = head.headerFields[.contentDisposition], let name = DispositionFilename.read(value) {
            if let safe = SafePath(name, limit: self.nameBytes) { return safe }
        }
        let path = RequestPath(head.path)
        if let segment = path.lastSegment, let safe = SafeFilename(segment, limit: self.nameBytes) {
            let folders = path.folders.compactMap { SafeFilename($0, limit: self.nameBytes) }
            return SafePath(safe, in: folders)
        }
        guard head.method != .put else {
            guard !path.hasUnreadableName else {
                throw .badRequest("The file's name in the path isn't percent-encoded UTF-8.")
            }
            throw .badRequest("The path must end with the file's name: PUT /name.")
        }
        return SafePath(self.madeUpName(type))
    }

    /// The longest name in bytes: leaves room for a number after it, within the 255 that file systems allow.
    static let nameBytes = 240

    /// A name for a file that arrived without one.
    static func madeUpName(_ contentType: String?) -> SafeFilename {
        let number = RandomWord.make()
        let end = contentType.flatMap { MediaTypeTable.preferredExtension(for: $0) }.map { ".\($0)" } ?? ""
        // Letters and digits always make a valid name.
        return SafeFilename("upload-\(number)\(end)", limit: self.nameBytes) ?? self.madeUpName(nil)
    }
}

/// A request target's path.
struct RequestPath: Equatable {
    let text: String
    /// What follows the question mark; `nil` if that is nothing.
    let query: String?

    init(_ target: String?) {
        let target = (target ?? "/").unicodeScalars
        // Scalar by scalar, also below: HTTP/2 passes marks on as they are, and one after a slash is one `Character` with it.
        let path = target.prefix { $0 != "?" && $0 != "#" }
        let query = target[path.endIndex...].prefix { $0 != "#" }.dropFirst()
        (self.text, self.query) = (String(path), query.isEmpty ? nil : String(query))
    }

    /// The path for logs, traces and hooks, without the words of a link.
    var shown: String { LinkPath.masked(self.text) }

    /// The segments, percent-decoded; `nil` for one that is empty or not UTF-8.
    private var segments: [String?] {
        self.text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false)
            .map { $0.isEmpty ? nil : String($0).percentDecoded }
    }

    /// The segments before the last slash, percent-decoded. Segments that are empty or not UTF-8 are left out.
    var folders: [String] { self.segments.dropLast().compactMap(\.self) }

    /// The segment after the last slash, percent-decoded; `nil` if it is empty or not UTF-8.
    var lastSegment: String? { self.text.utf8.contains(UInt8(ascii: "/")) ? self.segments.last ?? nil : nil }

    /// Whether there is a segment after the last slash that can't be decoded.
    var hasUnreadableName: Bool {
        self.lastSegment == nil && self.text.utf8.contains(UInt8(ascii: "/"))
            && self.text.utf8.last != UInt8(ascii: "/")
    }
}

extension String {
    /// The percent-decoded text (RFC 3986 §2.1); `nil` if the encoding is invalid or the result isn't UTF-8.
    var percentDecoded: String? {
        self.utf8.percentDecoded(isLoose: false).flatMap { String(validating: $0, as: UTF8.self) }
    }

    /// The percent-decoded bytes; a `%` without two digits after it is left as it is.
    var looselyDecoded: [UInt8] { self.utf8.percentDecoded(isLoose: true) ?? [] }
}
