#if os(Linux)
import Foundation
@testable import FormworkReceiver
import NIOCore
import NIOHTTP1

/// A rule that a model doesn't follow, so that its invariants are seen to notice.
enum ModelBreak: CaseIterable {
    /// The store doesn't compare the state's entity tag: `BucketContent.commit(removesPieces:_:)` never loses.
    case comparesNothing
    /// `BucketContent.finished(count:)` doesn't abort what another receiver was making.
    case abortsNothing
    /// `BucketUploads.key(_:_:)` gives two receivers the same keys.
    case sharesKeys
    /// `S3Upload.copy(_:)` doesn't see which object is this upload's.
    case marksNothing
}

/// The bucket of a model: one request is one step. It does what Amazon S3 documents.
struct ModelStore {
    struct Object {
        var bytes: [UInt8]
        var marker: String?
        /// Identifies the content: made of everything that its receiver had seen when it wrote it.
        var id: Int
    }

    struct Upload {
        var key: String
        var marker: String?
        var parts: [Int: Object] = [:]
    }

    static let folder = "in/.formwork-resumable/"
    /// The receivers' objects, by key.
    private(set) var objects: [String: Object] = [:]
    private(set) var uploads: [String: Upload] = [:]
    let broken: ModelBreak?
    /// Hours that have passed by the store's clock.
    var hours = 0
    /// Names for keys that are the same in each run; those of pieces are random.
    private var names: [String: String] = [:]
    private var created: [Int: Int] = [:]

    init(_ broken: ModelBreak?) { self.broken = broken }

    /// Equal for stores in the same state, whatever the random keys.
    var identity: Int {
        var sum = 0
        for (key, object) in self.objects {
            sum ^= self.hash {
                $0.combine(self.name(key)); $0.combine(object.id)
            }
        }
        for (id, upload) in self.uploads {
            for (number, part) in upload.parts {
                sum ^= self.hash {
                    $0.combine(id); $0.combine(number); $0.combine(part.id)
                }
            }
            sum ^= self.hash { $0.combine(id) }
        }
        return sum
    }

    /// The key without what is random in it.
    private func name(_ key: String) -> String {
        self.names[key] ?? (key.hasPrefix(Self.folder) ? "state" : key)
    }

    private func hash(_ body: (inout Hasher) -> Void) -> Int {
        var hasher = Hasher()
        body(&hasher)
        return hasher.finalize()
    }

    /// The upload's state; `nil` if there is none, or it isn't one.
    var state: BucketState? {
        self.objects.first { $0.key.hasPrefix(Self.folder) && $0.key.hasSuffix(".json") }
            .flatMap { BucketState($0.value.bytes) }
    }

    /// The complete files.
    var files: [(key: String, object: Object)] {
        self.objects.filter { !$0.key.hasPrefix(Self.folder) }.map { ($0.key, $0.value) }
    }

    /// The key as the store has it.
    private mutating func key(_ request: S3Request, _ receiver: Int) -> String {
        self.key(request.key ?? "", receiver)
    }

    private mutating func key(_ key: String, _ receiver: Int) -> String {
        guard key.hasPrefix(Self.folder), !key.hasSuffix(".json") else { return key }
        if self.names[key] == nil {
            let count = (self.created[receiver] ?? 0) + 1
            self.created[receiver] = count
            self.names[key] = self.broken == .sharesKeys ? "piece-\(count)" : "piece-\(receiver)-\(count)"
        }
        guard self.broken == .sharesKeys, let name = self.names[key] else { return key }
        return "\(key.prefix { $0 != "." })\(key.dropFirst(Self.folder.count).prefix { $0 != "." }).\(name)"
    }

    /// What a request did, as far as its receiver can see.
    struct Outcome {
        var result: Result<S3Response, S3Error>
        /// Equal for answers that a receiver can't tell apart.
        var identity: Int
    }

    /// Does what a request asks for.
    /// - Parameter id: Identifies what the receiver would write now.
    mutating func perform(_ request: S3Request, by receiver: Int, id: Int) -> Outcome {
        let key = self.key(request, receiver)
        let query = Dictionary(uniqueKeysWithValues: request.query)
        let marker = self.header(S3Client.marker, request)
        let upload = query["uploadId"] ?? ""
        func refused(_ status: UInt, _ code: String) -> Outcome {
            Outcome(
                result: .failure(
                    S3Error(
                        operation: request.operation,
                        reason: .answer(status: status, code: code, message: nil, requestID: nil))),
                identity: Int(status))
        }
        func answered(_ headers: [(String, String)] = [], _ body: String = "", identity: Int = 200) -> Outcome {
            self.answered(headers, ByteBuffer(string: body), identity: identity)
        }
        switch request.operation {
        case "PutObject":
            let old = self.objects[key]
            if self.header("If-None-Match", request) != nil, old != nil { return refused(412, "PreconditionFailed") }
            if let tag = self.header("If-Match", request), self.broken != .comparesNothing {
                guard let old else { return refused(404, "NoSuchKey") }
                guard tag == Self.tag(old.id) else { return refused(412, "PreconditionFailed") }
            }
            self.objects[key] = Object(bytes: Array(request.body.readableBytesView), marker: marker, id: id)
            return answered([("ETag", Self.tag(id))])
        case "GetObject":
            guard let object = self.objects[key] else { return refused(404, "NoSuchKey") }
            var bytes = object.bytes[...]
            if let range = self.header("Range", request).flatMap(Self.range) {
                guard range.upperBound <= bytes.count else { return refused(416, "InvalidRange") }
                bytes = bytes[range]
            }
            return self.answered(
                [("ETag", Self.tag(object.id)), ("Last-Modified", Self.date(hours: 0, isList: false))],
                ByteBuffer(bytes: bytes),
                identity: object.id)
        case "HeadObject":
            guard let object = self.objects[key] else { return refused(404, "NotFound") }
            let mark = self.broken == .marksNothing ? nil : object.marker
            return answered(
                [("Content-Length", "\(object.bytes.count)")] + (mark.map { [(S3Client.marker, $0)] } ?? []),
                identity: object.id)
        case "DeleteObject":
            self.objects[key] = nil
            return answered()
        case "CreateMultipartUpload":
            let count = (self.created[-1 - receiver] ?? 0) + 1
            self.created[-1 - receiver] = count
            let id = "upload-\(receiver)-\(count)"
            self.uploads[id] = Upload(key: key, marker: marker)
            return answered([], "<R><UploadId>\(id)</UploadId></R>")
        case "UploadPartCopy":
            guard self.uploads[upload] != nil else { return refused(404, "NoSuchUpload") }
            let source = (self.header("x-amz-copy-source", request) ?? "").split(separator: "/").dropFirst()
            let from = self.key(source.joined(separator: "/").removingPercentEncoding ?? "", receiver)
            guard let object = self.objects[from] else { return refused(404, "NoSuchKey") }
            self.uploads[upload]?.parts[Int(query["partNumber"] ?? "") ?? 0] = object
            return answered(
                [], "<CopyPartResult><ETag>\(Self.tag(object.id))</ETag></CopyPartResult>", identity: object.id)
        case "CompleteMultipartUpload":
            guard let made = self.uploads[upload] else { return refused(404, "NoSuchUpload") }
            guard self.objects[made.key] == nil else { return refused(412, "PreconditionFailed") }
            let parts = made.parts.sorted { $0.key < $1.key }.map(\.value)
            self.objects[made.key] = Object(
                bytes: parts.flatMap(\.bytes), marker: made.marker,
                id: self.hash { for part in parts { $0.combine(part.id) } })
            self.uploads[upload] = nil
            return answered([], "<CompleteMultipartUploadResult/>")
        case "AbortMultipartUpload":
            if self.broken == .abortsNothing { return answered() }
            return self.uploads.removeValue(forKey: upload) == nil ? refused(404, "NoSuchUpload") : answered()
        case "ListObjectsV2":
            let found = self.objects.filter { $0.key.hasPrefix(query["prefix"] ?? "") }
            let items = found.map {
                "<Contents><Key>\($0.key)</Key><Size>\($0.value.bytes.count)</Size><LastModified>"
                    + "\(Self.date(hours: 0, isList: true))</LastModified></Contents>"
            }
            let identity = found.reduce(0) { sum, one in
                sum ^ self.hash { $0.combine(self.name(one.key)) }
            }
            return answered(
                [("Date", Self.date(hours: self.hours, isList: false))],
                "<ListBucketResult>\(items.joined())</ListBucketResult>", identity: identity)
        case "ListMultipartUploads":
            let found = self.uploads.filter { $0.value.key.hasPrefix(query["prefix"] ?? "") }
            let items = found.sorted { $0.key < $1.key }.map {
                "<Upload><Key>\($0.value.key)</Key><UploadId>\($0.key)</UploadId><Initiated>"
                    + "\(Self.date(hours: 0, isList: true))</Initiated></Upload>"
            }
            return answered(
                [("Date", Self.date(hours: self.hours, isList: false))],
                "<ListMultipartUploadsResult>\(items.joined())</ListMultipartUploadsResult>",
                identity: found.reduce(0) { sum, one in sum ^ self.hash { $0.combine(one.key) } })
        case "ListParts":
            guard let found = self.uploads[upload] else { return refused(404, "NoSuchUpload") }
            let items = found.parts.keys.sorted().map {
                "<Part><PartNumber>\($0)</PartNumber><LastModified>\(Self.date(hours: 0, isList: true))"
                    + "</LastModified></Part>"
            }
            return answered([], "<ListPartsResult>\(items.joined())</ListPartsResult>", identity: found.parts.count)
        default: return refused(501, "NotImplemented")
        }
    }

    private func answered(_ headers: [(String, String)], _ body: ByteBuffer, identity: Int) -> Outcome {
        Outcome(
            result: .success(S3Response(status: 200, headers: HTTPHeaders(headers), body: body)), identity: identity)
    }

    private func header(_ name: String, _ request: S3Request) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    private static func tag(_ id: Int) -> String { "\"\(String(UInt(bitPattern: id), radix: 16))\"" }

    /// `bytes=a-b`.
    private static func range(_ text: String) -> Range<Int>? {
        let ends = text.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) }
        return ends.count == 2 ? ends[0]..<(ends[1] + 1) : nil
    }

    private static func date(hours: Int, isList: Bool) -> String {
        let hour = hours < 10 ? "0\(hours)" : "\(hours)"
        return isList ? "2026-01-02T\(hour):00:00.000Z" : "Fri, 02 Jan 2026 \(hour):00:00 GMT"
    }
}
#endif
