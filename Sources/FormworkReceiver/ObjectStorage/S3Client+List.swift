#if Transfer
import FormworkCore
import Formwork
import FormworkHTTP
import FormworkResumable
import NIOHTTP1

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension S3Client {
    /// An upload that has been neither completed nor aborted.
    struct OpenUpload: Hashable, Sendable {
        var key: String
        var id: String
        var initiated: Date
    }

    /// The open uploads of keys with this prefix, and the store's own time.
    /// - Parameter pages: The most answers to ask for, of up to 1,000 uploads each.
    func openUploads(prefix: String, pages: Int = .max) async throws -> (uploads: [OpenUpload], now: Date) {
        var uploads: [OpenUpload] = []
        var request = S3Request(operation: "ListMultipartUploads", method: .GET)
        var now = Date.now
        var marker: (key: String, id: String)?
        for _ in 0..<pages {
            // Without encoding-type=url: Ceph 16 would encode keys without saying so, but not its markers.
            request.query = [("uploads", "")]
            if !prefix.isEmpty { request.query.append(("prefix", prefix)) }
            if let marker { request.query += [("key-marker", marker.key), ("upload-id-marker", marker.id)] }
            let answer = try await self.exchange.send(request).answer
            guard let xml = answer.xml, xml.name == "ListMultipartUploadsResult" else {
                throw S3Error(operation: request.operation, reason: .unreadable(status: answer.status))
            }
            if let seconds = answer.headers.first(name: "Date").flatMap(HTTPDate.seconds) {
                now = Date(timeIntervalSince1970: Double(seconds))
            }
            for upload in xml.children where upload.name == "Upload" {
                guard let name = upload["Key"], let id = upload["UploadId"],
                    let initiated = upload["Initiated"].flatMap(Date.init(timestamp:))
                else { throw S3Error(operation: request.operation, reason: .unreadable(status: answer.status)) }
                uploads.append(OpenUpload(key: name, id: id, initiated: initiated))
            }
            guard xml["IsTruncated"] == "true", let next = xml["NextKeyMarker"], !next.isEmpty else { break }
            let following = (key: next, id: xml["NextUploadIdMarker"] ?? "")
            if let marker, marker == following { break }
            marker = following
        }
        return (uploads, now)
    }

    /// When the last part of an upload arrived; `nil` if there is none, or the upload is gone.
    func lastPart(of upload: OpenUpload) async throws -> Date? {
        var last: Date?
        var request = S3Request(operation: "ListParts", method: .GET, key: upload.key)
        var marker: String?
        while true {
            request.query = [("uploadId", upload.id)]
            if let marker { request.query.append(("part-number-marker", marker)) }
            let answer: S3Answer
            do { answer = try await self.exchange.send(request).answer } catch let error as S3Error
                where error.code == "NoSuchUpload"
            { return nil }
            guard let xml = answer.xml, xml.name == "ListPartsResult" else {
                throw S3Error(operation: request.operation, reason: .unreadable(status: answer.status))
            }
            for part in xml.children where part.name == "Part" {
                guard let date = part["LastModified"].flatMap(Date.init(timestamp:)) else {
                    throw S3Error(operation: request.operation, reason: .unreadable(status: answer.status))
                }
                last = max(last ?? date, date)
            }
            guard xml["IsTruncated"] == "true", let next = xml["NextPartNumberMarker"], next != marker else {
                return last
            }
            marker = next
        }
    }
}

extension Date {
    /// Reads `2026-11-21T17:08:07.465Z`, with or without the fraction.
    init?(timestamp text: String) {
        let style = Date.ISO8601FormatStyle(includingFractionalSeconds: text.contains("."))
        guard let date = try? Date(text, strategy: style) else { return nil }
        self = date
    }
}
#endif
