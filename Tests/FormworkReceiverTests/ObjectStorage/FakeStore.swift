import FormworkCore
import FormworkDigests
import Foundation
import Synchronization
import TestSupport

/// An object store on loopback with a socket of its own for each mistake a store can make. It checks no signatures, but the
/// SHA-256 of each body, as Ceph and Amazon S3 do.
final class FakeStore: Sendable {
    struct Request: Sendable {
        var head: RequestHead
        /// Without the bucket, decoded.
        var key: String
        var query: [String: String]
        var body: [UInt8] = []

        init(_ head: RequestHead) {
            let url = URLComponents(string: head.target)
            self.head = head
            self.key = String((url?.path ?? "").dropFirst("/bucket/".count))
            self.query = (url?.queryItems ?? []).reduce(into: [:]) { $0[$1.name] = $1.value ?? "" }
        }

        /// S3's name of it.
        var operation: String {
            let hasID = self.query["uploadId"] != nil
            return switch self.head.method {
            case "POST":
                self.query["uploads"] != nil ? "Create" : self.query["delete"] != nil ? "DeleteObjects" : "Complete"
            case "PUT":
                !hasID ? "Put" : self.head["x-amz-copy-source"] == nil ? "UploadPart" : "UploadPartCopy"
            case "DELETE": hasID ? "Abort" : "Delete"
            case "HEAD": "Head"
            default:
                self.query["uploads"] != nil
                    ? "ListUploads" : self.query["list-type"] != nil ? "ListObjects" : hasID ? "ListParts" : "Get"
            }
        }
    }

    enum Behaviour: Sendable {
        /// A status, and an error's code in the body; an empty code is no body.
        case answer(Int, String)
        /// 200, and an error in the body.
        case errorInSuccess(String)
        /// Does the work, and resets the connection instead of answering.
        case workAndReset
        /// Resets the connection after this many bytes of the body.
        case reset(after: Int)
        /// Takes what comes, and says nothing before ``release()``.
        case hold
        /// Reads nothing more, and says nothing.
        case stop
    }

    struct Upload: Sendable {
        var key: String
        var marker: String?
        var type: String?
        var initiated = "2026-01-01T00:00:00.000Z"
        var partDate = "2026-01-01T00:00:00.000Z"
        var parts: [Int: [UInt8]] = [:]
    }

    struct Object: Sendable {
        var bytes: [UInt8]
        var marker: String?
        var type: String?
        var tag = "\"e\""
        var modified = "2026-01-01T00:00:00.000Z"
        /// The metadata that PutObject gave it, without the marker.
        var metadata: [String: String] = [:]
    }

    private struct State {
        var objects: [String: Object] = [:]
        var uploads: [String: Upload] = [:]
        var log: [String] = []
        var counts: [String: Int] = [:]
        var held = 0
        var bytesRead = 0
        var isReleased = false
        var nextID = 1
    }

    private let state = Mutex(State())
    private let listener: LoopbackListener
    private let behaviour: @Sendable (String, Int) -> Behaviour?
    /// Whether PutObject and CompleteMultipartUpload heed If-None-Match.
    let isConditional: Bool
    /// Whether it compares entity tags without their quotes, as Ceph 16.
    let comparesPlainTags: Bool
    /// The least bytes of a part, except the last, and of an object of which a range is copied.
    let smallestPart: Int

    /// - Parameter behaviour: What to do about an operation's nth request, from 1; `nil`: what is asked.
    init(
        isConditional: Bool = true, comparesPlainTags: Bool = false, smallestPart: Int = 0,
        behaviour: @escaping @Sendable (String, Int) -> Behaviour? = { _, _ in nil }
    ) throws {
        self.behaviour = behaviour
        self.comparesPlainTags = comparesPlainTags
        self.smallestPart = smallestPart
        self.isConditional = isConditional
        self.listener = try LoopbackListener()
        self.listener.acceptAll { [self] connection in self.serve(connection) }
    }

    var port: UInt16 { self.listener.port }
    var endpoint: String { "http://127.0.0.1:\(self.port)" }
    /// Operations in the order of their requests.
    var log: [String] { self.state.withLock { $0.log } }
    var objects: [String: Object] { self.state.withLock { $0.objects } }
    var uploads: [String: Upload] { self.state.withLock { $0.uploads } }
    /// Bytes of objects that were read, without those of states and records.
    var bytesRead: Int { self.state.withLock { $0.bytesRead } }
    var held: Int { self.state.withLock { $0.held } }
    func release() { self.state.withLock { $0.isReleased = true } }
    func close() {
        self.release()
        self.listener.stop()
    }
    func count(_ operation: String) -> Int { self.log.count { $0 == operation } }
    func put(_ key: String) { self.state.withLock { $0.objects[key] = Object(bytes: [1]) } }
    func replace(_ key: String, _ bytes: [UInt8]) { self.state.withLock { $0.objects[key]?.bytes = bytes } }
    func add(_ id: String, _ upload: Upload) { self.state.withLock { $0.uploads[id] = upload } }

    private static func hasItsDigest(_ request: Request) -> Bool {
        request.head["x-amz-content-sha256"] == Hex.text(SHA256Digest.digest(of: request.body))
    }

    private func serve(_ connection: LoopbackConnection) {
        while let head = connection.nextHead() {
            var request = Request(head)
            let behaviour = self.state.withLock { state in
                state.log.append(request.operation)
                state.counts[request.operation, default: 0] += 1
                return self.behaviour(request.operation, state.counts[request.operation] ?? 0)
            }
            if case .stop = behaviour {
                while !self.state.withLock({ $0.isReleased }) { usleep(5_000) }
                return
            }
            if case .reset(let limit) = behaviour {
                _ = connection.readBody(of: head, upTo: limit)
                return connection.resetOnClose()
            }
            guard let body = connection.readBody(of: head) else { return }
            request.body = body
            var answer: (status: Int, headers: String, body: String)
            switch behaviour {
            case .answer(let status, let code):
                let error = "<Error><Code>\(code)</Code><Message>m</Message><RequestId>r1</RequestId></Error>"
                answer = (status, "", code.isEmpty ? "" : error)
            case .errorInSuccess(let code): answer = (200, "", "<Error><Code>\(code)</Code></Error>")
            case .workAndReset:
                _ = self.work(request)
                return connection.resetOnClose()
            case .hold:
                self.state.withLock { $0.held += 1 }
                while !self.state.withLock({ $0.isReleased }) { usleep(2_000) }
                answer = self.work(request)
            default: answer = self.work(request)
            }
            // The body of an object isn't text: one character is one byte there.
            let isObject = request.operation == "Get"
            let content =
                isObject
                ? answer.body.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) } : Array(answer.body.utf8)
            let isHead = head.method == "HEAD"
            let text =
                "HTTP/1.1 \(answer.status) X\r\nDate: Sat, 03 Jan 2026 00:00:00 GMT\r\n\(answer.headers)"
                + (isHead ? "\r\n" : "Content-Length: \(content.count)\r\n\r\n")
            guard connection.write(bytes: Array(text.utf8) + (isHead ? [] : content)) else { return }
        }
    }

    /// A key in a list; percent-encoded where that was asked for, which is not said (as Ceph 16).
    private static func shown(_ key: String, _ request: Request) -> String {
        if request.query["encoding-type"] == "url" {
            return key.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        }
        return key.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
    }

    /// `bytes=a-b`.
    private static func range(_ text: String?) -> Range<Int>? {
        let ends = text?.dropFirst("bytes=".count).split(separator: "-").compactMap { Int($0) } ?? []
        return ends.count == 2 ? ends[0]..<(ends[1] + 1) : nil
    }

    private func work(_ request: Request) -> (status: Int, headers: String, body: String) {
        guard Self.hasItsDigest(request) else {
            return (400, "", "<Error><Code>XAmzContentSHA256Mismatch</Code><Message>m</Message></Error>")
        }
        return self.state.withLock { state in
            let id = request.query["uploadId"] ?? ""
            let marker = request.head["x-amz-meta-formwork-upload"]
            let taken = state.objects[request.key]
            var isTaken = self.isConditional && request.head["if-none-match"] == "*" && taken != nil
            if self.isConditional, let tag = request.head["if-match"],
                tag != (self.comparesPlainTags ? taken?.tag.replacing("\"", with: "") : taken?.tag)
            {
                isTaken = true
            }
            func error(_ status: Int, _ code: String) -> (Int, String, String) {
                (status, "", "<Error><Code>\(code)</Code></Error>")
            }
            switch request.operation {
            case "Create":
                let id = "u\(state.nextID)"
                state.nextID += 1
                state.uploads[id] = Upload(key: request.key, marker: marker, type: request.head["content-type"])
                return (200, "", "<R><UploadId>\(id)</UploadId></R>")
            case "UploadPart":
                guard state.uploads[id] != nil else { return error(404, "NoSuchUpload") }
                state.uploads[id]?.parts[Int(request.query["partNumber"] ?? "") ?? 0] = request.body
                return (200, "ETag: \"e\(request.query["partNumber"] ?? "")\"\r\n", "")
            case "Complete":
                guard let upload = state.uploads[id] else { return error(404, "NoSuchUpload") }
                if isTaken { return error(412, "PreconditionFailed") }
                let text = String(decoding: request.body, as: UTF8.self)
                if text.components(separatedBy: "<ETag>").count - 1 == 0 { return error(400, "MalformedXML") }
                let tags = text.components(separatedBy: "<ETag>&quot;e").dropFirst()
                    .compactMap { Int($0.prefix { $0.isNumber }) }
                let bytes = tags.flatMap { upload.parts[$0] ?? [] }
                if tags.dropLast().contains(where: { upload.parts[$0]?.count ?? 0 < self.smallestPart }) {
                    return error(400, "EntityTooSmall")
                }
                state.objects[request.key] = Object(bytes: bytes, marker: upload.marker, type: upload.type)
                state.uploads[id] = nil
                return (200, "", "<CompleteMultipartUploadResult/>")
            case "Abort":
                return state.uploads.removeValue(forKey: id) == nil ? error(404, "NoSuchUpload") : (204, "", "")
            case "Put":
                if isTaken { return error(412, "PreconditionFailed") }
                let tag = "\"t\(state.nextID)\""
                state.nextID += 1
                state.objects[request.key] = Object(
                    bytes: request.body, marker: marker, type: request.head["content-type"], tag: tag,
                    metadata: request.head.fields.reduce(into: [:]) { metadata, field in
                        guard field.name.hasPrefix("x-amz-meta-"), field.name != "x-amz-meta-formwork-upload" else {
                            return
                        }
                        metadata[field.name] = field.value
                    })
                return (200, "ETag: \(tag)\r\n", "")
            case "Delete":
                state.objects[request.key] = nil
                return (204, "", "")
            case "DeleteObjects":
                let keys = String(decoding: request.body, as: UTF8.self).components(separatedBy: "<Key>").dropFirst()
                for key in keys { state.objects[key.components(separatedBy: "</Key>")[0]] = nil }
                return (200, "", "<DeleteResult/>")
            case "Head":
                guard let object = state.objects[request.key] else { return (404, "", "") }
                let mark = object.marker.map { "x-amz-meta-formwork-upload: \($0)\r\n" } ?? ""
                return (200, "Content-Length: \(object.bytes.count)\r\n\(mark)", "")
            case "Get":
                guard let object = state.objects[request.key] else { return error(404, "NoSuchKey") }
                let range = Self.range(request.head["range"]) ?? 0..<object.bytes.count
                guard range.upperBound <= object.bytes.count else { return error(416, "InvalidRange") }
                if !request.key.hasSuffix(".json") { state.bytesRead += range.count }
                return (
                    range.count == object.bytes.count ? 200 : 206,
                    "ETag: \(object.tag)\r\nLast-Modified: Fri, 02 Jan 2026 00:00:00 GMT\r\n",
                    String(String.UnicodeScalarView(object.bytes[range].map { Unicode.Scalar($0) }))
                )
            case "UploadPartCopy":
                guard state.uploads[id] != nil else { return error(404, "NoSuchUpload") }
                let source = (request.head["x-amz-copy-source"] ?? "").dropFirst("/bucket/".count)
                guard let object = state.objects[String(source).removingPercentEncoding ?? ""] else {
                    return error(404, "NoSuchKey")
                }
                let asked = Self.range(request.head["x-amz-copy-source-range"])
                let range = asked ?? 0..<object.bytes.count
                if asked != nil, range.upperBound > object.bytes.count || object.bytes.count <= self.smallestPart {
                    return error(400, "InvalidRequest")
                }
                let number = request.query["partNumber"] ?? ""
                state.uploads[id]?.parts[Int(number) ?? 0] = Array(object.bytes[range])
                return (200, "", "<CopyPartResult><ETag>&quot;e\(number)&quot;</ETag></CopyPartResult>")
            case "ListObjects":
                let prefix = request.query["prefix"] ?? ""
                let items = state.objects.filter { $0.key.hasPrefix(prefix) }.sorted { $0.key < $1.key }.map {
                    "<Contents><Key>\($0.key)</Key><Size>\($0.value.bytes.count)</Size>"
                        + "<LastModified>\($0.value.modified)</LastModified></Contents>"
                }
                return (200, "", "<ListBucketResult>\(items.joined())</ListBucketResult>")
            case "ListUploads":
                let prefix = request.query["prefix"] ?? ""
                let found = state.uploads.filter { $0.value.key.utf8.starts(with: prefix.utf8) }.sorted {
                    $0.key < $1.key
                }
                let items = found.map {
                    "<Upload><Key>\(Self.shown($0.value.key, request))</Key><UploadId>\($0.key)</UploadId>"
                        + "<Initiated>\($0.value.initiated)</Initiated></Upload>"
                }
                return (200, "", "<ListMultipartUploadsResult>\(items.joined())</ListMultipartUploadsResult>")
            case "ListParts":
                guard let upload = state.uploads[id] else { return error(404, "NoSuchUpload") }
                let items = upload.parts.keys.map {
                    "<Part><PartNumber>\($0)</PartNumber><ETag>&quot;e\($0)&quot;</ETag>"
                        + "<LastModified>\(upload.partDate)</LastModified></Part>"
                }
                return (200, "", "<ListPartsResult>\(items.joined())</ListPartsResult>")
            default: return error(501, "NotImplemented")
            }
        }
    }
}
