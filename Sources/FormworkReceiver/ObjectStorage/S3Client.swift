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

    /// Stores an object in one request, unless one exists already.
    ///
    /// - Parameters:
    ///   - sha256: The body's, in hexadecimal, if it is known already.
    ///   - isConditional: Whether the store is asked to check (`If-None-Match: *`, RFC 9110 section 13.1.2).
    /// - Returns: `nil` if an object already existed.
    func put(
        _ body: ByteBuffer, sha256: String? = nil, key: String, contentType: String?, marker: String,
        metadata: [String: String] = [:], isConditional: Bool = true
    ) async throws -> Made? {
        var request = S3Request(operation: "PutObject", method: .PUT, key: key, body: body, sha256: sha256)
        request.headers = Self.fields(contentType, marker, metadata)
        if isConditional { request.headers.append(("If-None-Match", "*")) }
        do {
            return try await self.exchange.send(request) { $0.tag == nil ? nil : Made(versionID: $0.versionID) }
        } catch let error as S3Error where error.status == 412 {
            guard error.attempts > 1, let object = try await self.head(key), object.marker == marker else {
                return nil
            }
            return Made(versionID: object.versionID)
        } catch let error as S3Error where error.status == 501 && isConditional {
            // The store doesn't support the check; the caller checked a moment ago.
            return try await self.put(
                body, sha256: sha256, key: key, contentType: contentType, marker: marker, metadata: metadata,
                isConditional: false)
        }
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
    /// - Parameters:
    ///   - parts: The parts' numbers, which ascend, and entity tags.
    ///   - isConditional: Whether the store is asked to check that no object has the key.
    func completeUpload(
        _ key: String, id: String, parts: [(number: Int, tag: String)], length: Int64, marker: String,
        isConditional: Bool = true
    ) async throws -> Made? {
        var request = S3Request(
            operation: "CompleteMultipartUpload", method: .POST, key: key, query: [("uploadId", id)])
        request.headers = [("Content-Type", "application/xml")]
        if isConditional { request.headers.append(("If-None-Match", "*")) }
        request.body.writeString(#"<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">"#)
        for part in parts {
            request.body.writeString(
                "<Part><PartNumber>\(part.number)</PartNumber><ETag>\(part.tag.escapedForMarkup)</ETag></Part>")
        }
        request.body.writeString("</CompleteMultipartUpload>")
        do {
            return try await self.exchange.send(request) { answer in
                answer.xml("CompleteMultipartUploadResult").map { _ in Made(versionID: answer.versionID) }
            }
        } catch let error as S3Error where error.status == 404 || error.status == 412 {
            // The first of several tries may have succeeded, with only its answer lost.
            if error.attempts > 1, let object = try await self.head(key), object.marker == marker,
                object.length == length
            {
                return Made(versionID: object.versionID)
            }
            if error.status == 412 { return nil }
            throw error
        } catch let error as S3Error where error.status == 501 && isConditional {
            return try await self.completeUpload(
                key, id: id, parts: parts, length: length, marker: marker, isConditional: false)
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
