#if Resumable
#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import Formwork
import FormworkCore
import FormworkHTTP
import HTTPTypes

/// What is written down of an upload beside its bytes. How many there are is told by their file alone.
struct UploadRecord: Codable, Sendable {
    /// The target's answer, kept for a client that lost it.
    struct Answer: Codable, Sendable {
        var response: HTTPResponse
        var content: Data
    }

    var uploadProtocol: ResumableProtocol
    /// The request that began it, without credentials.
    var request: HTTPRequest
    var contentType: String?
    var metadata: TusMetadata
    var wantedDigests: [String]
    /// Bytes of the whole; `nil` when not known yet.
    var length: Int64?
    var created: Date
    var expires: Date
    /// Whether the client said that every byte is there.
    var isWhole = false
    /// Where bytes begin whose digest isn't checked yet: should the process end now, they don't count.
    var uncheckedOffset: Int64?
    var answer: Answer?

    init(_ creation: UploadCreation, _ request: HTTPRequest, now: Date, lifetime: TimeInterval) {
        var request = request
        for name in [HTTPField.Name.authorization, .cookie, .proxyAuthorization] {
            request.headerFields[name] = nil
        }
        self.request = request
        self.uploadProtocol = creation.uploadProtocol
        self.contentType = creation.contentType
        self.metadata = creation.metadata
        self.wantedDigests = creation.wantedDigests
        self.length = creation.length
        self.created = now
        self.expires = now.addingTimeInterval(lifetime)
    }

    /// Reads a record; `nil` for one that is damaged, or another version's.
    init?(_ bytes: [UInt8]) {
        guard let record = try? JSONDecoder().decode(Self.self, from: Data(bytes)) else { return nil }
        self = record
    }

    /// What ``init(_:)`` reads.
    func encoded() throws(FormworkError) -> [UInt8] {
        do { return Array(try JSONEncoder().encode(self)) } catch {
            throw FormworkError(.writeFailed, "an upload's record can't be written", cause: error)
        }
    }

    /// The target that took the upload, without a query and a slash at its end.
    var target: String? { self.request.path.map(Self.target) }

    /// A path without its query and without slashes at its end.
    static func target(_ path: String) -> String {
        var path = path.prefix { $0 != "?" }
        while path.hasSuffix("/") { path.removeLast() }
        return String(path)
    }

    /// The upload in this state, with so many bytes.
    func resource(offset: Int64, limits: UploadLimits, now: Date) -> UploadResource {
        var limits = limits
        limits.maxAge = max(0, Int64(clamping: self.expires.timeIntervalSince(now)))
        return UploadResource(
            self.uploadProtocol, offset: offset, length: self.length, isWhole: self.isWhole,
            isProcessed: self.answer != nil, limits: limits)
    }
}
#endif
