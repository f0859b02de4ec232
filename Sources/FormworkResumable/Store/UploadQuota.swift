import FormworkEssentials
import FormworkCore
import Synchronization

/// How many uploads a store may have, and how many bytes in all of them.
final class UploadQuota: Sendable {
    private let options: UploadStoreOptions
    private let storage: any UploadStorage
    private let index: UploadIndex
    /// How many uploads there were when they were last listed, and those created since; `nil` if that isn't known.
    private let counted = Mutex<(count: Int, until: ContinuousClock.Instant)?>(nil)
    private let created = Mutex(0)
    /// Bytes of `maximumTotalSize` that uploads of unknown length may still have, as of the last count.
    private let growth = Mutex<Int64>(0)

    init(_ options: UploadStoreOptions, of storage: any UploadStorage, index: UploadIndex) {
        (self.options, self.storage, self.index) = (options, storage, index)
    }

    /// Whether there is room for another upload.
    /// - Parameter length: Its bytes; 0 if that isn't known.
    /// - Throws: The storage's error.
    func hasRoom(for length: Int64) async throws -> Bool {
        if !(self.storage is FolderUploads), self.options.maximumTotalSize == nil, self.hasRoomByCount() { return true }
        let names = try await self.storage.names()
        self.counted.withLock { $0 = (names.count, max($0?.until ?? .now, .after(.seconds(60)))) }
        guard names.count < self.options.maximumCount else { return false }
        guard let left = await self.bytesLeft(names), length <= left else {
            return self.options.maximumTotalSize == nil
        }
        self.growth.withLock { $0 = left - length }
        return true
    }

    /// Whether there was room when uploads were last listed. A list of a bucket has each of their parts, too, and takes a
    /// request for a thousand. Other receivers may have begun some since, so the limit holds only roughly anyway.
    private func hasRoomByCount() -> Bool {
        guard let known = self.counted.withLock({ $0 }), .now < known.until else { return false }
        return known.count < self.options.maximumCount
    }

    /// Counts an upload that was created.
    func countNew() {
        self.created.withLock { $0 += 1 }
        self.counted.withLock { $0?.count += 1 }
    }

    /// Uploads that were created so far.
    var createdCount: Int { self.created.withLock { $0 } }

    /// Remembers how many uploads there are.
    /// - Parameters:
    ///   - count: `nil` if that isn't known.
    ///   - created: ``createdCount`` before they were listed: the list may lack those that came later. One too many is counted
    ///     again, as soon as there seems to be no room.
    ///   - pause: How long they needn't be counted again.
    func remember(_ count: Int?, since created: Int, for pause: Duration) {
        let new = self.createdCount - created
        self.counted.withLock { $0 = count.map { ($0 + new, .after(pause)) } }
    }

    /// Bytes of ``UploadStoreOptions/maximumTotalSize`` that no upload has, or has announced; `nil` without a limit.
    private func bytesLeft(_ names: [String]) async -> Int64? {
        guard self.options.maximumTotalSize != nil else { return nil }
        return self.bytesLeft(beside: await self.index.entries(names, in: self.storage))
    }

    private func bytesLeft(beside entries: [UploadIndex.Entry]) -> Int64? {
        self.options.maximumTotalSize.map { most in entries.reduce(most) { $0 - min($1.claim, $0) } }
    }

    /// Whether an upload that had announced no length when it was created may have this many bytes more.
    func admits(_ count: Int64) async -> Bool {
        guard self.options.maximumTotalSize != nil else { return true }
        let takes: @Sendable () -> Bool = {
            self.growth.withLock { left in
                guard left >= count else { return false }
                left -= count
                return true
            }
        }
        if takes() { return true }
        // Others may have been removed since the last count.
        guard let names = try? await self.storage.names(), let left = await self.bytesLeft(names) else { return false }
        self.growth.withLock { $0 = left }
        return takes()
    }

    /// The uploads to remove, if they are too many, or their bytes are, so that another has room.
    struct Excess {
        /// In this order: completed ones, of which only the answer is kept; those without bytes; those that have
        /// received nothing for long. Within each group, the oldest first.
        var candidates: [UploadIndex.Entry]
        /// How many at least. Several are removed at once, since finding them takes a while.
        var count: Int
        /// Bytes at least.
        var bytes: Int64
    }

    /// - Parameters:
    ///   - count: How many uploads there are.
    ///   - entries: Those that can be read.
    ///   - length: Bytes of the upload that needs room.
    /// - Returns: `nil` if there is room already, or there would be none without all of them.
    func excess(of count: Int, _ entries: [UploadIndex.Entry], for length: Int64, now: Date) -> Excess? {
        let left = self.bytesLeft(beside: entries) ?? .max
        guard count >= self.options.maximumCount || left < length else { return nil }
        guard length <= self.options.maximumTotalSize ?? .max else { return nil }
        let idleTime = self.options.idleTime
        func isIdle(_ entry: UploadIndex.Entry, for seconds: Double) -> Bool {
            now.timeIntervalSince1970 - entry.written >= seconds
        }
        let finished = entries.filter(\.isFinished).sorted { $0.expires < $1.expires }
        let empty = entries.filter { !$0.isFinished && $0.size == 0 && isIdle($0, for: idleTime) }
        let others = entries.filter { !$0.isFinished && $0.size > 0 && isIdle($0, for: idleTime * 60) }
        return Excess(
            candidates: finished + [empty, others].flatMap { $0.sorted { $0.written < $1.written } },
            count: max(1, self.options.maximumCount / 16), bytes: max(0, length - left))
    }
}
