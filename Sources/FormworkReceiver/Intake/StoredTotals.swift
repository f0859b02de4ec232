import FormworkResumable
import Synchronization

/// How many bytes may be stored: in the whole destination, and in the folder of each upload link with a limit.
///
/// A folder is measured once a minute, and again when the limit seems to be reached, since others add and remove files, too. In
/// between this receiver counts its own, also those that are arriving.
final class StoredTotals: Sendable {
    private struct Folder {
        /// Bytes when it was last measured, and when that ended; `nil` before.
        var measured: (bytes: Int64, time: ContinuousClock.Instant)?
        /// How long it isn't measured again, whatever it seems to have: twenty times as long as that took.
        var pause = Duration.zero
        /// Bytes stored since then.
        var added: Int64 = 0
        /// Bytes of uploads that are arriving.
        var arriving: Int64 = 0

        func fits(_ count: Int64, in limit: Int64, _ now: ContinuousClock.Instant) -> Bool {
            guard let measured, now - measured.time < max(.seconds(60), self.pause) else { return false }
            return count <= limit - min(limit, measured.bytes + self.added + self.arriving)
        }
    }

    /// The bytes of one upload.
    struct Claim: Sendable {
        let totals: StoredTotals
        /// The limit of each folder that the upload is stored in; the destination itself has no name.
        let limits: [String: Int64]
        private(set) var count: Int64 = 0

        /// - Returns: `nil` for an upload without such a limit.
        init?(of totals: StoredTotals, _ limits: ReceivingLimits, _ terms: UploadTerms) {
            var all: [String: Int64] = [:]
            if let total = limits.totalBytes { all[""] = total }
            if let total = terms.total { all[terms.folder ?? ""] = min(total, all[terms.folder ?? ""] ?? .max) }
            guard !all.isEmpty else { return nil }
            (self.totals, self.limits) = (totals, all)
        }

        /// Checks that there is room, as far as is known now.
        func check(_ count: Int64) async throws { try await self.totals.take(count, self.limits, isKept: false) }

        /// Counts bytes that have arrived.
        mutating func take(_ count: Int64) async throws {
            try await self.totals.take(count, self.limits, isKept: true)
            self.count += count
        }

        /// Counts them as stored, or no more.
        func end(isStored: Bool) {
            self.totals.folders.withLock { folders in
                for name in self.limits.keys {
                    folders[name]?.arriving -= self.count
                    if isStored { folders[name]?.added += self.count }
                }
            }
        }
    }

    private let storage: any ReceiverStorage
    private let folders = Mutex<[String: Folder]>([:])
    /// One measurement at a time.
    private let measuring = Gate()

    init(_ storage: any ReceiverStorage) { self.storage = storage }

    private func take(_ count: Int64, _ limits: [String: Int64], isKept: Bool) async throws {
        while let full = self.taking(count, limits, isKept) {
            guard try await self.measure(full) else { throw StorageRefusal.totalReached }
        }
    }

    /// - Returns: The folder in which there seems to be no room; `nil` if the bytes are counted.
    private func taking(_ count: Int64, _ limits: [String: Int64], _ isKept: Bool) -> String? {
        let now = ContinuousClock.now
        return self.folders.withLock { folders in
            let full = limits.first { !folders[$0.key, default: Folder()].fits(count, in: $0.value, now) }
            if full == nil, isKept { for name in limits.keys { folders[name]?.arriving += count } }
            return full?.key
        }
    }

    /// - Returns: `false` if it was measured just before.
    private func measure(_ name: String) async throws -> Bool {
        let asked = ContinuousClock.now
        await self.measuring.enter()
        defer { self.measuring.leave() }
        let begun = ContinuousClock.now
        let old = self.folders.withLock { $0[name] } ?? Folder()
        // Another upload may have had it measured meanwhile.
        if let last = old.measured?.time, begun - last < old.pause { return last >= asked }
        let size = try await self.storage.size(of: name.isEmpty ? nil : name)
        self.folders.withLock { folders in
            var folder = folders[name] ?? Folder()
            // What was stored while it was measured may be in it, or not.
            (folder.measured, folder.added) = ((size, .now), folder.added - old.added)
            folder.pause = (ContinuousClock.now - begun) * 20
            folders[name] = folder
        }
        return true
    }
}

extension StorageRefusal {
    static let totalReached = Self(
        507, "There is no room for this upload: the limit of all stored files is reached.")
}
