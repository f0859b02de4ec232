import NIOCore
import NIOHTTP1

/// The calls on one bucket that storing files needs (Amazon S3 API Reference, "Actions").
///
/// All of them throw ``S3Error`` and `CancellationError`.
struct S3Client: Sendable {
    let exchange: S3Exchange

    /// The header field that marks an object as this upload's. With it, a request whose answer was lost isn't mistaken
    /// for a failed one.
    static let marker = "x-amz-meta-formwork-upload"

    /// The header fields of an object.
    private static func fields(
        _ contentType: String?, _ marker: String, _ metadata: [String: String]
    ) -> [(name: String, value: String)] {
        metadata.sorted { $0.key < $1.key }.map { ("x-amz-meta-\($0.key.lowercased())", $0.value) }
            + [(Self.marker, marker)] + (contentType.map { [("Content-Type", $0)] } ?? [])
    }

    /// An object that was created.
    struct Made: Sendable {
        /// The version, in a bucket with versioning.
        var versionID: String?
    }

    /// Makes an object by a request, unless one exists already: the store is asked to check (`If-None-Match: *`, RFC 9110
    /// section 13.1.2).
    /// - Parameters:
    ///   - length: The object's bytes; `nil` if the marker alone shows that it is this one.
    ///   - made: What the answer shows.
    /// - Returns: `nil` if an object already existed.
    private func make(
        _ request: S3Request, _ key: String, marker: String, length: Int64? = nil, isConditional: Bool = true,
        _ made: (S3Response) -> Made?
    ) async throws -> Made? {
        var conditional = request
        if isConditional { conditional.headers.append(("If-None-Match", "*")) }
        do { return try await self.exchange.send(conditional, reading: made) } catch let error as S3Error
            where error.status == 501 && isConditional
        {
            // The store doesn't support the check; the caller checked a moment ago.
            return try await self.make(request, key, marker: marker, length: length, isConditional: false, made)
        } catch let error as S3Error where error.status == 404 || error.status == 412 {
            // The first of several tries may have succeeded, with only its answer lost.
            if error.attempts > 1, let object = try await self.head(key), object.marker == marker,
                length.map({ $0 == object.length }) ?? true
            {
                return Made(versionID: object.versionID)
            }
            if error.status == 412 { return nil }
            throw error
        }
    }

    /// Stores an object in one request, unless one exists already.
    /// - Parameter sha256: The body's, in hexadecimal, if it is known already.
    /// - Returns: `nil` if an object already existed.
    func put(
        _ body: ByteBuffer, sha256: String? = nil, key: String, contentType: String?, marker: String,
        metadata: [String: String] = [:]
    ) async throws -> Made? {
        var request = S3Request(operation: "PutObject", method: .PUT, key: key, body: body, sha256: sha256)
        request.headers = Self.fields(contentType, marker, metadata)
        return try await self.make(request, key, marker: marker) { $0.tag == nil ? nil : Made(versionID: $0.versionID) }
    }

    /// The properties of an object.
    struct Head: Sendable {
        var length: Int64?
        var marker: String?
        var versionID: String?
    }

    /// - Returns: `nil` if there is no such object.
    func head(_ key: String) async throws -> Head? {
        do {
            let request = S3Request(operation: "HeadObject", method: .HEAD, key: key)
            let answer = try await self.exchange.send(request).answer
            return Head(
                length: answer.headers.first(name: "Content-Length").flatMap(Int64.init),
                marker: answer.headers.first(name: Self.marker), versionID: answer.versionID)
        } catch let error as S3Error where error.status == 404 {
            return nil
        }
    }

    func delete(_ key: String, versionID: String?) async throws {
        var request = S3Request(operation: "DeleteObject", method: .DELETE, key: key)
        if let versionID, versionID != "null" { request.query = [("versionId", versionID)] }
        do { _ = try await self.exchange.send(request) } catch let error as S3Error where error.status == 404 {}
    }

    /// - Returns: The upload's id.
    func createUpload(
        _ key: String, contentType: String?, marker: String, metadata: [String: String] = [:]
    ) async throws -> (id: String, attempts: Int) {
        var request = S3Request(
            operation: "CreateMultipartUpload", method: .POST, key: key, query: [("uploads", "")])
        request.headers = Self.fields(contentType, marker, metadata)
        let (answer, attempts) = try await self.exchange.send(request)
        guard let id = answer.xml?["UploadId"], !id.isEmpty else { throw answer.unreadable(request) }
        return (id, attempts)
    }

    /// - Parameters:
    ///   - sha256: The body's, in hexadecimal, if it is known already.
    ///   - number: 1 to 10,000.
    /// - Returns: The part's entity tag, which completing the upload requires.
    func uploadPart(
        _ body: ByteBuffer, sha256: String? = nil, number: Int, key: String, id: String
    ) async throws -> String {
        let request = S3Request(
            operation: "UploadPart", method: .PUT, key: key,
            query: [("partNumber", "\(number)"), ("uploadId", id)], body: body, sha256: sha256)
        return try await self.exchange.send(request, reading: \.tag)
    }

    /// Creates the object from its parts.
    /// - Returns: `nil` if the store checked and another object has the key by now.
    ///
    /// - Parameter parts: The parts' numbers, which ascend, and entity tags.
    func completeUpload(
        _ key: String, id: String, parts: [(number: Int, tag: String)], length: Int64, marker: String
    ) async throws -> Made? {
        var request = S3Request(
            operation: "CompleteMultipartUpload", method: .POST, key: key, query: [("uploadId", id)])
        request.headers = [("Content-Type", "application/xml")]
        request.body.writeString(#"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#)
        for part in parts {
            request.body.writeString(
                "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(part.tag.escapedForMarkup)</ETag></Part>")
        }
        request.body.writeString("</CompleteMultipartUpload>")
        return try await self.make(request, key, marker: marker, length: length) { answer in
            answer.xml("CompleteMultipartUploadResult").map { _ in Made(versionID: answer.versionID) }
        }
    }

    /// - Returns: Whether there was such an upload.
    @discardableResult
    func abortUpload(_ key: String, id: String) async throws -> Bool {
        let request = S3Request(
            operation: "AbortMultipartUpload", method: .DELETE, key: key, query: [("uploadId", id)])
        do {
            _ = try await self.exchange.send(request)
            return true
        } catch let error as S3Error where error.status == 404 && error.code != "NoSuchBucket" {
            return false
        }
    }
}
