import FormworkEssentials
import FormworkResumable
import Synchronization

/// Unfinished uploads in the bucket itself, so that any receiver with the same bucket and prefix can continue them.
///
/// For each upload there is an object with its state, and objects with its bytes. The store compares and swaps the state
/// (`If-Match`), which is all that receivers need to agree: there is no lock, no lease, and no clock is compared with
/// another.
///
/// Why not one multipart upload of the store's for each: its parts can't be read or removed one by one, and Ceph 16 makes no
/// object of an upload that has parts besides those that are named, such as those of a receiver that was killed.
struct BucketUploads: UploadStorage {
    /// A receiver saves the state after so many parts, or as many as it sends at once if these are more. One that is killed
    /// loses at most their bytes, and those of the parts that were being sent.
    static let unsavedParts = 8
    /// How long something that belongs to no upload must have been there before it is removed: a receiver may just be
    /// beginning an upload, or removing one.
    static let leftoverAge = 3_600.0

    let storage: S3Storage
    private let opened = OpenedContents()

    /// - Parameter storage: The storage for complete files. Unfinished uploads are below its prefix.
    init(_ storage: S3Storage) { self.storage = storage }

    var client: S3Client { self.storage.client }
    var place: S3Location { self.storage.location }
    /// The least bytes of a form's file that is copied in the store, and not read.
    var leastCopy: Int64 { Int64(self.storage.smallestPart) }

    /// The kinds of objects that an upload has.
    enum Kind {
        case state
        case piece

        var suffix: String {
            switch self {
            case .state: "json"
            // Two receivers may write pieces for the same offset; only those of one get into the state.
            case .piece: String(UInt64.random(in: .min ... .max), radix: 36)
            }
        }
    }

    private var prefix: String { self.place.prefix + S3Storage.unfinishedFolder }

    func key(_ name: String, _ kind: Kind) -> String { "\(self.prefix)\(name).\(kind.suffix)" }

    /// The bytes of a part, by its number from 0. Later ones are larger, so that 10,000 parts have hundreds of gigabytes.
    func partSize(number: Int) -> Int {
        min(self.storage.options.partSize << (number / 2_000), S3Storage.partSizes.upperBound)
    }

    /// The most bytes of an upload: those of all parts that an object can have.
    /// - Parameter hasEqualParts: Whether all parts have the size of the first, as with a limit of memory.
    func maximumBytes(hasEqualParts: Bool) -> Int64 {
        (0..<S3Storage.maximumParts).reduce(-1) { $0 + Int64(self.partSize(number: hasEqualParts ? 0 : $1)) }
    }

    /// Checks that the store does what this needs: refuses to write an object that exists, and one that has changed.
    /// - Throws: ``FormworkError/Code/writeFailed`` if it doesn't, or if the keys may not read, list or delete objects.
    func check() async throws {
        let key = "\(self.prefix)check-\(String(UInt64.random(in: .min ... .max), radix: 36))"
        let client = self.client
        do {
            let first = try await client.put([1], key: key, if: .isNew)
            let again = try await client.put([2], key: key, if: .isNew)
            let stale = try await client.put([3], key: key, if: .has(tag: "\"0123456789abcdef0123456789abcdef\""))
            var changed: String?
            for isPlain in [false, true] where first != nil && changed == nil {
                self.storage.knowledge.comparesPlainTags.store(isPlain, ordering: .relaxed)
                changed = try await client.put([4], key: key, if: self.current(first ?? ""))
            }
            let read = try await client.get(key)
            _ = try await client.objects(prefix: key)
            try await client.delete(key, versionID: nil)
            guard first != nil, again == nil, stale == nil, changed != nil, read?.bytes == [4] else {
                throw FormworkError(
                    .writeFailed,
                    "the store doesn't compare entity tags when it writes objects (If-Match, If-None-Match)")
            }
        } catch let error as S3Error {
            throw FormworkError(.writeFailed, "unfinished uploads can't be kept in \(self.place)", cause: error)
        }
    }

    /// The precondition that an object still has this entity tag.
    func current(_ tag: String) -> S3Client.Precondition {
        let isPlain = self.storage.knowledge.comparesPlainTags.load(ordering: .relaxed)
        return .has(tag: isPlain ? tag.replacing("\"", with: "") : tag)
    }

    // MARK: UploadStorage

    func create(_ name: String, record: [UInt8]) async throws {
        try await self.explaining {
            guard
                try await self.client.put(
                    BucketState(record: record).encoded(), key: self.key(name, .state), if: .isNew) != nil
            else { throw FormworkError(.writeFailed, "an upload of this name exists in \(self.place)") }
        }
    }

    func record(of name: String) async throws -> [UInt8]? {
        // Of the state that was opened: with the record of a later one, its bytes would seem to be another's.
        if let state = await self.opened[name]?.saved { return Array(state.record) }
        return try await self.explaining { try await self.state(of: name).map { Array($0.state.record) } }
    }

    func keep(_ record: [UInt8], of name: String) async throws {
        if let content = self.opened[name] { return try await content.keep(record) }
        try await self.change(name) { $0.record = Data(record) }
    }

    func count(of name: String) async throws -> Int64 {
        if let state = await self.opened[name]?.saved { return state.bytes.count }
        return try await self.explaining { try await self.state(of: name)?.state.bytes.count ?? 0 }
    }

    func open(_ name: String, for memory: (any UploadMemory)?) async throws -> (any UploadContent)? {
        try await self.explaining {
            guard let (state, tag) = try await self.state(of: name), state.place != .gone else { return nil }
            let content = BucketContent(name, in: self, state, tag: tag, memory)
            self.opened[name] = content
            return content
        }
    }

    func discardBytes(of name: String) async throws {
        if let content = self.opened[name] { return try await content.discard(.gone) }
        try await self.change(name) { $0.clear(.gone) }
        await self.removeBytes(of: name)
    }

    func discard(_ name: String) async throws {
        if let content = self.opened[name] {
            try await content.discard(.removed)
        } else {
            let state = try await self.change(name) { $0.clear(.removed) }
            await self.abort(state?.placings ?? [])
            await self.removeBytes(of: name)
        }
        // Nobody changes it any more.
        try? await self.client.delete(self.key(name, .state), versionID: nil)
    }

    func names() async throws -> [String] {
        try await self.explaining {
            try await self.client.objects(prefix: self.prefix).objects.compactMap { self.name($0.key, .state) }
        }
    }

    func idleTime(of name: String) async throws -> Double? {
        try await self.explaining { try await self.client.get(self.key(name, .state))?.age }
    }

    // MARK: Steps

    /// The state of an upload and its entity tag; `nil` if there is no such upload.
    private func state(of name: String) async throws -> (state: BucketState, tag: String)? {
        guard let object = try await self.client.get(self.key(name, .state)), let state = BucketState(object.bytes),
            state.place != .removed
        else { return nil }
        return (state, object.tag)
    }

    /// Changes the state of an upload that isn't open here.
    /// - Returns: The state before.
    /// - Throws: ``UploadIsBusy`` if another receiver changes it at the same time.
    @discardableResult
    private func change(_ name: String, _ body: (inout BucketState) -> Void) async throws -> BucketState? {
        try await self.explaining {
            guard let (state, tag) = try await self.state(of: name) else { return nil }
            var next = state.changed()
            body(&next)
            guard try await self.client.put(next.encoded(), key: self.key(name, .state), if: self.current(tag)) != nil
            else {
                throw UploadIsBusy()
            }
            return state
        }
    }

    /// Ends what a receiver that was killed had begun for an upload that is removed. Otherwise it has its names until a sweep.
    func abort(_ placings: [BucketState.Placing]) async {
        for placing in placings {
            if let upload = placing.upload { _ = try? await self.client.abortUpload(placing.key, id: upload) }
        }
    }

    func closed(_ content: BucketContent) {
        self.opened.remove(content)
        self.storage.finished(content.name, nil)
    }

    /// Remembers a complete upload, whose pieces the storage may copy.
    func finished(_ content: BucketContent, _ bytes: BucketState.Bytes, placed: [String]) {
        var finished = S3Storage.FinishedPieces(
            pieces: bytes.pieces, placed: placed, work: CopyWork(self.storage.options)
        ) { try await content.confirm(BucketState.Placing(key: $0, upload: $1, marker: $2)) }
        if let map = bytes.map, map.position.count == bytes.count {
            finished.files = map.files.map { file in
                StoredForm.File(content: file.range, sha256: file.sha256.map { Hex.text(Array($0)) })
            }
        }
        self.storage.finished(content.name, finished)
    }

    /// The bytes of pieces, which can be read repeatedly.
    func source(_ pieces: [StoredPieces.Piece]) -> BodySource {
        self.client.source(pieces.map(\.slice))
    }

    /// Removes everything of an upload but its state. What can't be removed now is removed by ``removeLeftovers()``.
    func removeBytes(of name: String) async {
        // In a separate task: the requests of a cancelled task would be cancelled too.
        await Task {
            let objects = (try? await self.client.objects(prefix: "\(self.prefix)\(name).").objects) ?? []
            await self.delete(objects.map(\.key).filter { self.name($0, .state) == nil })
        }.value
    }

    /// Deletes objects: many with few requests, or several at a time.
    private func delete(_ keys: [String]) async {
        var rest = keys[...]
        while rest.count >= Self.manyKeys, (try? await self.client.delete(rest.prefix(1_000))) != nil {
            rest = rest.dropFirst(1_000)
        }
        // Few are left, or the store has no such request.
        let left = rest
        await withTaskGroup(of: Void.self) { group in
            for (index, key) in left.enumerated() {
                if index >= 16 { await group.next() }
                group.addTask { try? await self.client.delete(key, versionID: nil) }
            }
        }
    }

    private static let manyKeys = 8

    /// Removes what belongs to no upload, because a receiver was killed while it began or removed one.
    func removeLeftovers() async throws {
        try await self.explaining {
            let (objects, now) = try await self.client.objects(prefix: self.prefix)
            let names = Set(objects.compactMap { self.name($0.key, .state) })
            var left: [String] = []
            for object in objects where now.timeIntervalSince(object.modified) > Self.leftoverAge {
                if let name = self.name(object.key, .state) {
                    // A state whose upload was being removed.
                    guard object.size < Self.removedSize, let found = try await self.client.get(object.key),
                        BucketState(found.bytes)?.place == .removed
                    else { continue }
                    await self.removeBytes(of: name)
                } else if let name = self.owner(of: object.key), names.contains(name) {
                    continue
                }
                left.append(object.key)
            }
            await self.delete(left)
        }
    }

    /// A state of an upload that was removed has only its record.
    private static let removedSize: Int64 = 64 << 10

    /// The name of an upload in one of its keys; `nil` for another key.
    private func owner(of key: String) -> String? {
        guard key.hasPrefix(self.prefix) else { return nil }
        return key.dropFirst(self.prefix.count).split(separator: ".", maxSplits: 1).first.map(String.init)
    }

    private func name(_ key: String, _ kind: Kind) -> String? {
        key.hasSuffix(".\(kind.suffix)") ? self.owner(of: key) : nil
    }

    private func explaining<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch { throw self.withContext(error) }
    }

    /// The same error, with the location.
    func withContext(_ error: any Error) -> any Error { self.storage.withContext(error) }
}

/// The uploads that are open in this process.
private final class OpenedContents: Sendable {
    private let contents = Mutex<[String: BucketContent]>([:])

    subscript(name: String) -> BucketContent? {
        get { self.contents.withLock { $0[name] } }
        set { self.contents.withLock { $0[name] = newValue } }
    }

    func remove(_ content: BucketContent) {
        self.contents.withLock { if $0[content.name] === content { $0[content.name] = nil } }
    }
}
