import Formwork
import NIOHTTP1
import FormworkEssentials

/// A request for a list, which the store answers in pages.
private struct S3List {
    var request: S3Request
    /// The names of the answer's root element, and of its children that are in the list.
    var root: String
    var item: String
    /// Where the next page begins: parameters of the query, each with the element that has its value. The first element
    /// is in every answer that isn't the last.
    var markers: [(parameter: String, element: String)]

    /// The parameters that ask for the page after this one; `nil` if it is the last.
    func following(_ page: XMLResponse) -> [(name: String, value: String)]? {
        guard page["IsTruncated"] == "true", let first = page[self.markers[0].element], !first.isEmpty else {
            return nil
        }
        return self.markers.map { ($0.parameter, page[$0.element] ?? "") }
    }
}

extension S3Client {
    /// Asks for the pages of a list, one after the other.
    /// - Parameters:
    ///   - most: The most pages to ask for.
    ///   - item: Reads an item; `nil` if it can't be read.
    /// - Returns: The items, and the store's own time, from its last answer; ours if it doesn't send any.
    private func read<Item>(
        _ list: S3List, most: Int = .max, item: (XMLResponse) -> Item?
    ) async throws -> ([Item], Date) {
        var items: [Item] = []
        var request = list.request
        var marker: [(name: String, value: String)] = []
        var markers: Set<[String]> = []
        var now = Date.now
        for _ in 0..<most {
            request.query = list.request.query + marker
            let answer = try await self.exchange.send(request).answer
            guard let page = answer.xml(list.root) else { throw answer.unreadable(request) }
            for child in page.children where child.name == list.item {
                guard let item = item(child) else { throw answer.unreadable(request) }
                items.append(item)
            }
            if let seconds = answer.headers.first(name: "Date").flatMap(HTTPDate.seconds) {
                now = Date(timeIntervalSince1970: Double(seconds))
            }
            // A store that sends a marker again would be asked for ever.
            guard let next = list.following(page), markers.insert(next.map(\.value)).inserted else { break }
            marker = next
        }
        return (items, now)
    }

    /// An object in a list.
    struct Listed: Hashable, Sendable {
        var key: String
        var size: Int64
        var modified: Date
    }

    /// The objects whose keys begin with a prefix, and the store's own time.
    func objects(prefix: String) async throws -> (objects: [Listed], now: Date) {
        let request = S3Request(
            operation: "ListObjectsV2", method: .GET, query: [("list-type", "2"), ("prefix", prefix)])
        let list = S3List(
            request: request, root: "ListBucketResult", item: "Contents",
            markers: [("continuation-token", "NextContinuationToken")])
        return try await self.read(list) { object in
            guard let key = object["Key"], let size = object["Size"].flatMap({ Int64($0) }),
                let modified = object["LastModified"].flatMap(Date.init(timestamp:))
            else { return nil }
            return Listed(key: key, size: size, modified: modified)
        }
    }

    /// An upload that has been neither completed nor aborted.
    struct OpenUpload: Hashable, Sendable {
        var key: String
        var id: String
        var initiated: Date
    }

    /// The open uploads of keys with this prefix, and the store's own time.
    /// - Parameter pages: The most answers to ask for, of up to 1,000 uploads each.
    func openUploads(prefix: String, pages: Int = .max) async throws -> (uploads: [OpenUpload], now: Date) {
        // Without encoding-type=url: Ceph 16 would encode keys without saying so, but not its markers.
        var request = S3Request(operation: "ListMultipartUploads", method: .GET, query: [("uploads", "")])
        if !prefix.isEmpty { request.query.append(("prefix", prefix)) }
        let list = S3List(
            request: request, root: "ListMultipartUploadsResult", item: "Upload",
            markers: [("key-marker", "NextKeyMarker"), ("upload-id-marker", "NextUploadIdMarker")])
        return try await self.read(list, most: pages) { upload in
            guard let name = upload["Key"], let id = upload["UploadId"],
                let initiated = upload["Initiated"].flatMap(Date.init(timestamp:))
            else { return nil }
            return OpenUpload(key: name, id: id, initiated: initiated)
        }
    }

    /// When the last part of an upload arrived; `nil` if there is none, or the upload is gone.
    func lastPart(of upload: OpenUpload) async throws -> Date? {
        let request = S3Request(
            operation: "ListParts", method: .GET, key: upload.key, query: [("uploadId", upload.id)])
        let list = S3List(
            request: request, root: "ListPartsResult", item: "Part",
            markers: [("part-number-marker", "NextPartNumberMarker")])
        do {
            return try await self.read(list) { $0["LastModified"].flatMap(Date.init(timestamp:)) }.0.max()
        } catch let error as S3Error where error.code == "NoSuchUpload" {
            return nil
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
