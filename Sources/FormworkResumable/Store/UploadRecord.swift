import FormworkEssentials
import Formwork
import HTTPTypes

/// The stored properties of an upload. The number of its bytes isn't one of them: their file shows it.
struct UploadRecord: Codable, Sendable {
    /// The target's answer, kept for a client that didn't receive it.
    struct StoredResponse: Codable, Sendable {
        var response: HTTPResponse
        var content: Data
    }

    var uploadProtocol: ResumableProtocol
    /// The request that created the upload, without credentials.
    var request: HTTPRequest
    var contentType: String?
    var metadata: TusMetadata
    var wantedDigests: [String]
    /// Bytes of the whole upload; `nil` if not known yet.
    var length: Int64?
    var created: Date
    var expires: Date
    /// Whether the client has confirmed that every byte was sent.
    var isWhole = false
    /// The offset of bytes whose digest hasn't been checked yet: if the process ends now, they don't count.
    var uncheckedOffset: Int64?
    var answer: StoredResponse?
    /// The server's own note; `nil` for none.
    var note: Data?
    /// The most bytes of this upload, if fewer than the store accepts.
    var maxSize: Int64?
    /// Where each file after the first begins, in a folder that has the bytes in several; `nil` if they are in one.
    var starts: [Int64]?

    init(
        _ creation: UploadCreation, _ request: HTTPRequest, _ terms: (note: [UInt8]?, maxSize: Int64?) = (nil, nil),
        now: Date, lifetime: TimeInterval
    ) {
        (self.note, self.maxSize) = (terms.note.map { Data($0) }, terms.maxSize)
        var request = request
        // A service's own names, such as X-Api-Key, carry credentials, too.
        for name in Set(request.headerFields.map(\.name)) where Self.isCredential(name.rawName) {
            request.headerFields[name] = nil
        }
        request.path = request.path.map(Self.withoutSecrets)
        request.headerFields[.uploadConcat] = creation.concatenation?.fieldValue()
        self.isWhole = creation.parts != nil
        (self.request, self.uploadProtocol, self.length) = (request, creation.uploadProtocol, creation.length)
        (self.contentType, self.metadata) = (creation.contentType, creation.metadata)
        self.wantedDigests = creation.wantedDigests
        (self.created, self.expires) = (now, now.addingTimeInterval(lifetime))
    }

    /// Reads a record; `nil` if it is damaged, or of another version.
    init?(_ bytes: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = record
    }

    /// A path without the parameters of its query that carry credentials.
    private static func withoutSecrets(_ path: String) -> String {
        guard let start = path.utf8.firstIndex(of: UInt8(ascii: "?")) else { return path }
        var kept: [UInt8] = []
        var rest = path.utf8[path.utf8.index(after: start)...]
        while !rest.isEmpty {
            // Some servers read a semicolon as a separator, too.
            let parameter = rest.prefix { $0 != UInt8(ascii: "&") && $0 != UInt8(ascii: ";") }
            rest = rest[parameter.endIndex...]
            let separator = rest.popFirst()
            let name = String(Substring(parameter.prefix { $0 != UInt8(ascii: "=") }))
            guard !Self.isCredential(name) else { continue }
            kept += parameter
            if let separator { kept.append(separator) }
        }
        while let last = kept.last, last == UInt8(ascii: "&") || last == UInt8(ascii: ";") { kept.removeLast() }
        return String(path[..<start]) + (kept.isEmpty ? "" : "?" + String(decoding: kept, as: UTF8.self))
    }

    /// Texts in the name of a field or parameter that carries a credential. They are fewer than those of redirects, which
    /// may guess: what is dropped here is missing when the upload is complete.
    private static let credentialNames = [
        "accesskey", "apikey", "authorization", "cookie", "credential", "password", "secret", "signature", "token",
    ]

    private static func isCredential(_ name: String) -> Bool {
        let letters = name.lowercased().filter { $0 != "-" && $0 != "_" }
        return self.credentialNames.contains { letters.contains($0) }
    }

    /// The record as bytes for ``init(_:)``.
    func encoded() throws(FormworkError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(self)) } catch {
            throw FormworkError(.writeFailed, "an upload's record can't be written", cause: error)
        }
    }

    /// Whether it is a part, or is made of parts; `nil` for an upload by itself.
    var concatenation: TusConcatenation? { self.request.headerFields[.uploadConcat].flatMap(TusConcatenation.init(_:)) }

    /// The names of the parts that it is made of; `nil` if it isn't.
    var parts: [String]? { if case .final(let names)? = self.concatenation { names } else { nil } }

    /// Whether it is a multipart form.
    var isForm: Bool { Self.isForm(self.contentType) }

    /// Whether a media type is that of a multipart form.
    static func isForm(_ contentType: String?) -> Bool {
        contentType?.prefix { $0 != ";" && $0 != " " }.lowercased().hasPrefix("multipart/") ?? false
    }

    /// The target that accepted the upload, without its query and trailing slashes.
    var target: String? { self.request.path.map(Self.target) }

    /// A path without its query and trailing slashes.
    static func target(_ path: String) -> String {
        var path = path.prefix { $0 != "?" }
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    /// The upload's state, with this many bytes.
    func resource(offset: Int64, limits: UploadLimits, now: Date) -> UploadResource {
        var limits = limits.limited(to: self.maxSize)
        limits.maxAge = max(0, Int64(clamping: self.expires.timeIntervalSince(now)))
        var resource = UploadResource(
            self.uploadProtocol, offset: offset, length: self.length, isWhole: self.isWhole,
            isProcessed: self.answer != nil, limits: limits)
        resource.isPart = self.concatenation == .partial
        return resource
    }
}
