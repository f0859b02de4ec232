import AsyncHTTPClient
import FormworkCore
import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import FormworkReceiver

private let testBucket = ProcessInfo.processInfo.environment["FORMWORK_S3_TEST_BUCKET"].flatMap {
    $0.isEmpty ? nil : $0
}

/// A real object store: scripts/interop/s3 runs these against Ceph. The bucket must exist, and is named by
/// `FORMWORK_S3_TEST_BUCKET`; the AWS variables say where and with which keys.
@Suite(.enabled(if: testBucket != nil), .timeLimit(.minutes(10)))
struct RealStoreTests {
    static let environment = ProcessInfo.processInfo.environment
    static let part = 5 << 20

    private static let filling: ByteBuffer = {
        var state: UInt32 = 1
        return ByteBuffer(
            bytes: (0..<(65536 - 16)).map { _ in
                state = state &* 1_664_525 &+ 1_013_904_223
                return UInt8(state >> 24)
            })
    }()

    /// Bytes in blocks of 64 KiB that tell where they belong: a part that is missing, doubled or swapped shows.
    static func buffer(_ range: Range<Int>, _ seed: Int) -> ByteBuffer {
        var buffer = ByteBuffer()
        for number in (range.lowerBound >> 16)..<((range.upperBound + 65535) >> 16) {
            var block = ByteBuffer(integer: number)
            block.writeInteger(seed)
            block.writeImmutableBuffer(Self.filling)
            let start = max(range.lowerBound - number << 16, 0)
            let end = min(range.upperBound - number << 16, 65536)
            if let slice = block.getSlice(at: start, length: end - start) { buffer.writeImmutableBuffer(slice) }
        }
        return buffer
    }

    /// Runs below a prefix of its own.
    static func with<Result>(
        _ environment: [String: String] = Self.environment, _ body: (S3Storage) async throws -> Result
    ) async throws -> Result {
        var options = S3Storage.Options()
        options.partSize = Self.part
        let bucket = try #require(testBucket)
        let storage = try S3Storage(
            from: "s3://\(bucket)/test \(UUID().uuidString)/ü", environment: environment, options: options)
        return try await storage.closing(body)
    }

    static func store(_ count: Int, as name: String, seed: Int = 0, in storage: S3Storage) async throws -> String {
        let upload = try await storage.begin(
            IncomingFile(name: #require(SafeFilename(name)), contentType: "text/x-test", length: Int64(count)))
        for start in stride(from: 0, to: count, by: 1 << 20) {
            try await upload.write(Self.buffer(start..<min(start + 1 << 20, count), seed))
        }
        return try await storage.finish(upload)
    }

    /// Reads an object back and compares every byte.
    static func check(_ count: Int, _ name: String, seed: Int = 0, in storage: S3Storage) async throws {
        let request = S3Request(operation: "GetObject", method: .GET, key: storage.location.prefix + name)
        let exchange = storage.client.exchange
        let response = try await exchange.http.execute(exchange.signed(request), timeout: .seconds(60))
        #expect(response.status.code == 200)
        #expect(response.headers.first(name: "Content-Type") == "text/x-test")
        var position = 0
        for try await chunk in response.body {
            let end = position + chunk.readableBytes
            try #require(chunk == Self.buffer(position..<end, seed), "bytes \(position)..<\(end)")
            position = end
        }
        #expect(position == count)
    }

    @Test(arguments: [0, 1, part - 1, part, part + 1, 2 * part, 4 * part])
    func `A file arrives whole`(count: Int) async throws {
        try await Self.with { storage in
            #expect(try await Self.store(count, as: "ü +&%'(1).bin", in: storage) == "ü +&%'(1).bin")
            try await Self.check(count, "ü +&%'(1).bin", in: storage)
            #expect(try await storage.client.openUploads(prefix: storage.location.prefix).uploads.isEmpty)
        }
    }

    @Test func `100 MiB arrive whole`() async throws {
        try await Self.with { storage in
            #expect(try await Self.store(100 << 20, as: "a.bin", in: storage) == "a.bin")
            try await Self.check(100 << 20, "a.bin", in: storage)
        }
    }

    @Test func `Four files at once, two of one name, arrive whole`() async throws {
        try await Self.with { storage in
            let names = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for seed in 1...4 {
                    group.addTask {
                        (seed, try await Self.store(12 << 20, as: "\(seed / 2).bin", seed: seed, in: storage))
                    }
                }
                return try await group.reduce(into: [Int: String]()) { $0[$1.0] = $1.1 }
            }
            #expect(Set(names.values).count == 4)
            for (seed, name) in names { try await Self.check(12 << 20, name, seed: seed, in: storage) }
        }
    }

    @Test(arguments: [3, 6 << 20])
    func `An existing object is not replaced, and a new one can be withdrawn`(count: Int) async throws {
        try await Self.with { storage in
            #expect(try await Self.store(10, as: "a.bin", seed: 1, in: storage) == "a.bin")
            let upload = S3Upload(
                IncomingFile(name: try #require(SafeFilename("a.bin")), contentType: "text/x-test"), in: storage)
            try await upload.write(Self.buffer(0..<count, 2))
            #expect(try await storage.finish(upload) == "a (1).bin")
            try await Self.check(count, "a (1).bin", seed: 2, in: storage)
            await upload.withdraw()
            #expect(try await storage.isFree("a (1).bin"))
            try await Self.check(10, "a.bin", seed: 1, in: storage)
        }
    }

    @Test func `An abandoned upload leaves nothing`() async throws {
        try await Self.with { storage in
            let upload = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
            try await upload.write(Self.buffer(0..<(3 * Self.part), 0))
            #expect(try await storage.client.openUploads(prefix: storage.location.prefix).uploads.count == 1)
            await upload.abandon()
            #expect(try await storage.client.openUploads(prefix: storage.location.prefix).uploads.isEmpty)
            #expect(try await storage.isFree("a.bin"))
        }
    }

    @Test func `A sweep aborts uploads older than its age, and keeps active ones`() async throws {
        try await Self.with { storage in
            let upload = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
            try await upload.write(Self.buffer(0..<(2 * Self.part), 0))
            let kept = try await storage.sweep(olderThan: .seconds(3600))
            #expect(kept.isEmpty)
            try await Task.sleep(for: .seconds(3))
            #expect(try await storage.sweep(olderThan: .seconds(1)).isEmpty)
            // Another receiver doesn't know this one's uploads.
            let other = try S3Storage(
                from: storage.location.description, environment: Self.environment, options: storage.options)
            let aborted = try await other.sweep(olderThan: .seconds(1))
            await other.close()
            #expect(aborted == [storage.location.prefix + "a.bin"])
            await #expect(throws: FormworkError.self) {
                try await upload.write(Self.buffer(0..<(2 * Self.part), 0))
                _ = try await storage.finish(upload)
            }
        }
    }

    @Test(arguments: [
        ("AWS_ACCESS_KEY_ID", "InvalidAccessKeyId"), ("AWS_SECRET_ACCESS_KEY", "SignatureDoesNotMatch"),
    ])
    func `Wrong keys are reported`(variable: String, code: String) async throws {
        let error = await #expect(throws: FormworkError.self) {
            try await Self.with(Self.environment.merging([variable: "wrong"]) { $1 }) { try await $0.sweep() }
        }
        #expect(error?.description.contains(code) == true)
        #expect(error?.description.contains(variable) == true)
    }
}
