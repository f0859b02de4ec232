#if Transfer
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Messages in the bucket, below the prefix.
package struct BucketNotices: NoticeBox {
    private static let suffix = ".json"

    private let storage: S3Storage

    package var leastAge: Double { 30 }

    package init(_ storage: S3Storage) { self.storage = storage }

    private var prefix: String { self.storage.location.prefix + ".formwork-hooks/" }
    private func key(_ name: String) -> String { "\(self.prefix)\(name)\(Self.suffix)" }

    package func put(_ bytes: [UInt8], _ name: String) async throws {
        try await self.storage.client.put(ByteBuffer(bytes: bytes), key: self.key(name))
    }

    package func get(_ name: String) async throws -> [UInt8]? {
        try await self.storage.client.get(self.key(name))?.bytes
    }

    package func remove(_ name: String) async throws {
        try await self.storage.client.delete(self.key(name), versionID: nil)
    }

    package func list() async throws -> [(name: String, age: Double)] {
        let (objects, now) = try await self.storage.client.objects(prefix: self.prefix)
        return objects.filter { $0.key.hasSuffix(Self.suffix) }.map { object in
            (
                String(object.key.dropFirst(self.prefix.count).dropLast(Self.suffix.count)),
                now.timeIntervalSince(object.modified)
            )
        }
    }
}
#endif
