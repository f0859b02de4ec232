@testable import FormworkResumable
import Foundation
import TestSupport
import Testing

/// Which uploads are removed so that another has room.
@Suite(.timeLimit(.minutes(10))) struct UploadQuotaTests {
    private static let now = Date(timeIntervalSince1970: 1_000_000)

    /// - Parameter idle: Seconds since bytes last arrived.
    private static func entry(
        _ name: String, size: Int64 = 0, length: Int64? = nil, idle: Double = 0, expires: Double = 100,
        isFinished: Bool = false
    ) -> UploadIndex.Entry {
        UploadIndex.Entry(
            name: name, expires: Self.now + expires, isFinished: isFinished, size: size, length: length,
            written: Self.now.timeIntervalSince1970 - idle)
    }

    private static func excess(
        _ entries: [UploadIndex.Entry], for length: Int64 = 0, count: Int = 4, bytes: Int64? = nil
    ) -> UploadQuota.Excess? {
        var options = UploadStoreOptions()
        (options.maximumCount, options.maximumTotalSize) = (count, bytes)
        let folder = FolderUploads(folder: "/nowhere", isDurable: false)
        let quota = UploadQuota(options, of: folder, index: UploadIndex())
        return quota.excess(of: entries.count, entries, for: length, now: Self.now)
    }

    @Test func `Answers go first, then empty uploads, then those that have stopped, the oldest first`() {
        let excess = Self.excess([
            Self.entry("stopped", size: 5, idle: 601), Self.entry("stopped longer", size: 5, idle: 700),
            Self.entry("empty", idle: 11), Self.entry("empty longer", idle: 12),
            Self.entry("answered", isFinished: true), Self.entry("answered earlier", expires: 50, isFinished: true),
        ])
        #expect(
            excess?.candidates.map(\.name) == [
                "answered earlier", "answered", "empty longer", "empty", "stopped longer", "stopped",
            ])
        #expect(excess?.count == 1 && excess?.bytes == 0)
    }

    @Test func `Uploads that have just begun or received bytes are kept`() {
        let excess = Self.excess([
            Self.entry("empty", idle: 9), Self.entry("under way", size: 5, idle: 599), Self.entry("c"), Self.entry("d"),
        ])
        #expect(excess?.candidates.map(\.name) == [])
    }

    @Test func `Nothing is removed while there is room`() {
        let three = ["a", "b", "c"].map { Self.entry($0, isFinished: true) }
        #expect(Self.excess(three) == nil)
        #expect(Self.excess([Self.entry("a", size: 60, idle: 601)], for: 40, bytes: 100) == nil)
    }

    @Test func `The bytes that are missing are counted with the lengths that uploads announced`() {
        let entries = [
            Self.entry("a", size: 10, length: 60, idle: 601), Self.entry("answered", size: 90, isFinished: true),
        ]
        #expect(Self.excess(entries, for: 41, bytes: 100)?.bytes == 1)
        #expect(Self.excess(entries, for: 100, bytes: 100)?.bytes == 60)
        // More than all uploads may have.
        #expect(Self.excess(entries, for: 101, bytes: 100) == nil)
    }

    @Test func `Uploads that a list came too early for are counted`() async throws {
        var options = UploadStoreOptions()
        options.maximumCount = 2
        let storage = MemoryStorage()
        let quota = UploadQuota(options, of: storage, index: UploadIndex())
        let before = quota.createdCount
        for name in ["a", "b"] {
            let hasRoom = try await quota.hasRoom(for: 0)
            #expect(hasRoom)
            try await storage.create(name, record: [])
            quota.countNew()
        }
        // A list from before.
        quota.remember(0, since: before, for: .seconds(60))
        let hasRoom = try await quota.hasRoom(for: 0)
        #expect(!hasRoom)
    }

    @Test func `Lengths beyond 64 bits together leave nothing`() {
        let entries = ["a", "b"].map { Self.entry($0, length: .max, idle: 601) }
        #expect(Self.excess(entries, for: 1, bytes: .max)?.bytes == 1)
    }
}
