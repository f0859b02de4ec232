import FormworkDigests
import FormworkEssentials
import FormworkHTTP
import NIOCore
import NIOHTTP1

// Objects that are read back and replaced, for state that several receivers share.
extension S3Client {
    /// What must hold for an object to be written (RFC 9110 section 13.1). Amazon S3 and Ceph check both.
    enum Precondition: Sendable {
        /// `If-None-Match: *`: there is no such object.
        case isNew
        /// `If-Match`: the object has this entity tag.
        case has(tag: String)
    }

    /// Stores an object if a precondition holds, which the store checks.
    /// - Returns: The entity tag; `nil` if the precondition doesn't hold.
    func put(_ bytes: [UInt8], key: String, if precondition: Precondition) async throws -> String? {
        var request = S3Request(operation: "PutObject", method: .PUT, key: key, body: ByteBuffer(bytes: bytes))
        switch precondition {
        case .isNew: request.headers = [("If-None-Match", "*")]
        case .has(let tag): request.headers = [("If-Match", tag)]
        }
        do { return try await self.exchange.send(request, reading: \.tag) } catch let error as S3Error
            where [404, 409, 412].contains(error.status) && error.code != "NoSuchBucket"
        {
            // The first of several tries may have succeeded, with only its answer lost.
            guard error.attempts > 1, let object = try await self.get(key), object.bytes == bytes else { return nil }
            return object.tag
        }
    }

    /// Stores an object, whatever was there.
    /// - Parameter sha256: The body's, in hexadecimal, if it is known already.
    func put(_ body: ByteBuffer, sha256: String? = nil, key: String) async throws {
        _ = try await self.exchange.send(
            S3Request(operation: "PutObject", method: .PUT, key: key, body: body, sha256: sha256), reading: \.tag)
    }

    /// A small object.
    struct Object: Sendable {
        var bytes: [UInt8]
        var tag: String
        /// Seconds since it was written, by the store's own clock.
        var age: Double?
    }

    /// - Returns: `nil` if there is no such object.
    func get(_ key: String) async throws -> Object? {
        let request = S3Request(operation: "GetObject", method: .GET, key: key)
        do {
            return try await self.exchange.send(request) { answer in
                func seconds(_ name: String) -> Int64? { answer.headers.first(name: name).flatMap(HTTPDate.seconds) }
                let age = seconds("Date").flatMap { now in
                    seconds("Last-Modified").map { Double(max(0, now - $0)) }
                }
                return answer.tag.map { Object(bytes: Array(answer.body.readableBytesView), tag: $0, age: age) }
            }
        } catch let error as S3Error where error.status == 404 && error.code != "NoSuchBucket" {
            return nil
        }
    }

    /// The most bytes of one ``get(_:_:)``.
    static let rangeLimit = 4 << 20

    /// Some bytes of an object: all of the range, which isn't empty and has at most ``rangeLimit`` bytes.
    func get(_ key: String, _ range: Range<Int64>) async throws -> ByteBuffer {
        var request = S3Request(operation: "GetObject", method: .GET, key: key)
        request.headers = [("Range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)")]
        return try await self.exchange.send(request) { $0.body.readableBytes == range.count ? $0.body : nil }
    }

    /// The bytes of slices, which are held in memory.
    func read(_ slices: [Slice]) async throws -> ByteBuffer {
        var buffer = ByteBuffer()
        for slice in slices {
            for start in stride(from: slice.range.lowerBound, to: slice.range.upperBound, by: Self.rangeLimit) {
                let end = min(slice.range.upperBound, start + Int64(Self.rangeLimit))
                var piece = try await self.get(slice.key, start..<end)
                if buffer.readableBytes == 0 { buffer = piece } else { buffer.writeBuffer(&piece) }
            }
        }
        return buffer
    }

    /// Makes a part from another object in the bucket.
    /// - Parameter range: The bytes, at most 5 GiB; `nil` for all. Amazon S3 accepts a range only of an object that has
    ///   more than 5 MiB.
    /// - Returns: The part's entity tag.
    func copyPart(
        from source: String, _ range: Range<Int64>?, number: Int, key: String, id: String
    ) async throws -> String {
        var request = S3Request(
            operation: "UploadPartCopy", method: .PUT, key: key,
            query: [("partNumber", "\(number)"), ("uploadId", id)])
        request.headers = [("x-amz-copy-source", self.exchange.address.copySource(source))]
        if let range {
            request.headers.append(("x-amz-copy-source-range", "bytes=\(range.lowerBound)-\(range.upperBound - 1)"))
        }
        return try await self.exchange.send(request) { $0.xml("CopyPartResult")?["ETag"] }
    }

    /// Deletes up to 1,000 objects.
    /// - Throws: ``S3Error`` if the store has no such request, among others. Objects that it couldn't delete are no error.
    func delete(_ keys: some Collection<String>) async throws {
        var request = S3Request(operation: "DeleteObjects", method: .POST, query: [("delete", "")])
        request.body.writeString("<Delete><Quiet>true</Quiet>")
        for key in keys { request.body.writeString("<Object><Key>\(key.escapedForMarkup)</Key></Object>") }
        request.body.writeString("</Delete>")
        // Required, against damage on the way.
        var digest = MD5Digest()
        digest.update(request.body.readableBytesSpan)
        request.headers = [
            ("Content-Type", "application/xml"), ("Content-MD5", Data(digest.finalized()).base64EncodedString()),
        ]
        _ = try await self.exchange.send(request) { $0.xml("DeleteResult") }
    }
}

/// Messages in the bucket, below the prefix.
struct BucketRecordBox: RecordBox {
    private static let suffix = ".json"

    private let storage: S3Storage
    private let prefix: String

    var leastAge: Double { 30 }

    /// - Parameter folder: The folder below the prefix.
    init(_ storage: S3Storage, _ folder: String = FolderRecordBox.folderName) {
        (self.storage, self.prefix) = (storage, "\(storage.location.prefix)\(folder)/")
    }

    private func key(_ name: String) -> String { "\(self.prefix)\(name)\(Self.suffix)" }

    func put(_ bytes: [UInt8], _ name: String) async throws {
        try await self.storage.client.put(ByteBuffer(bytes: bytes), key: self.key(name))
    }

    func add(_ bytes: [UInt8], _ name: String) async throws -> Bool {
        try await self.storage.client.put(bytes, key: self.key(name), if: .isNew) != nil
    }

    func get(_ name: String) async throws -> [UInt8]? {
        try await self.storage.client.get(self.key(name))?.bytes
    }

    func remove(_ name: String) async throws {
        try await self.storage.client.delete(self.key(name), versionID: nil)
    }

    func name(of trace: Notice.Trace) async throws -> String? {
        guard let path = SafePath(trace.path) else { return nil }
        let (client, prefix) = (self.storage.client, self.storage.location.prefix)
        // A name with a random word isn't found: more than twenty files have the same.
        for name in ObjectNames(IncomingFile(path)).prefix(ObjectNames.numbered + 1) {
            if try await client.head(prefix + name)?.marker == trace.mark { return name }
        }
        return nil
    }

    func list() async throws -> [(name: String, age: Double)] {
        let (objects, now) = try await self.storage.client.objects(prefix: self.prefix)
        return objects.filter { $0.key.hasSuffix(Self.suffix) }.map { object in
            (
                String(object.key.dropFirst(self.prefix.count).dropLast(Self.suffix.count)),
                now.timeIntervalSince(object.modified)
            )
        }
    }
}
