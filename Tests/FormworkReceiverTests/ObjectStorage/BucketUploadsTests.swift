@testable import FormworkReceiver
@testable import FormworkResumable
import Foundation
import Logging
import NIOCore
import TestSupport
import Testing

/// Unfinished uploads in a bucket that several receivers share.
@Suite(.timeLimit(.minutes(10))) struct BucketUploadsTests {
    static let part = 100
    private static let name = "0123456789abcdef0123456789abcdef"
    static let folder = "in/.formwork-resumable/"
    private static let bytes = (0..<1_234).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 3) }

    /// Runs with the receivers' storages, which share a store.
    static func with<Result>(
        _ store: FakeStore, receivers: Int = 1, partSize: Int = part, smallestPart: Int = 1, closesStore: Bool = true,
        _ body: ([S3Storage]) async throws -> Result
    ) async throws -> Result {
        var options = S3Storage.Options()
        options.partSize = partSize
        options.partsAtOnce = 2...2
        options.patience.attempts = 3
        options.patience.delay = .milliseconds(1)
        let storages = try (0..<receivers).map { [options] _ in
            try S3Storage(testing: store.endpoint, options, smallestPart: smallestPart)
        }
        let result: Swift.Result<Result, any Error>
        do { result = .success(try await body(storages)) } catch { result = .failure(error) }
        for storage in storages { await storage.close() }
        if closesStore { store.close() }
        return try result.get()
    }

    /// Runs with the unfinished uploads of receivers that share a store, and one of these uploads, which has no bytes.
    private static func withUpload<Result>(
        _ store: FakeStore? = nil, receivers: Int = 1, partSize: Int = part,
        _ body: ([BucketUploads]) async throws -> Result
    ) async throws -> Result {
        try await Self.with(try store ?? FakeStore(), receivers: receivers, partSize: partSize) { storages in
            let all = storages.map { BucketUploads($0) }
            try await all[0].create(Self.name, record: [1])
            return try await body(all)
        }
    }

    /// Adds some of ``bytes`` to the upload, and saves them.
    private static func add(_ range: Range<Int>, to uploads: BucketUploads) async throws {
        let content = try await Self.open(uploads)
        try await content.append(Array(Self.bytes[range]), at: Int64(range.lowerBound))
        try await content.sync()
        await content.close()
    }

    /// Opens an upload, which must exist.
    private static func open(_ uploads: BucketUploads) async throws -> any UploadContent {
        try #require(try await uploads.open(Self.name, for: nil))
    }

    /// All bytes of a complete upload.
    private static func read(_ content: any UploadContent, count: Int) async throws -> [UInt8] {
        let chunks = AsyncBodyReader(
            try BodyPlan(copying: try await content.finished(count: Int64(count))).makeReader())
        var bytes: [UInt8] = []
        while let chunk = try await chunks.next() { bytes += chunk.array }
        return bytes
    }

    // MARK: One receiver

    @Test(
        arguments: [
            // 10,000 parts of 64 KiB, less one byte: a full part is sent at once, and needs another one.
            (64 << 10, true, 655_359_999), (8 << 20, true, 83_886_079_999),
            // Each 2,000 parts are twice as large.
            (64 << 10, false, 4_063_231_999), (5 << 20, false, 325_058_559_999),
        ] as [(Int, Bool, Int64)])
    func `The longest upload has all parts that an object can have`(part: Int, equal: Bool, count: Int64) async throws {
        let store = try FakeStore()
        try await Self.with(store, partSize: part) { storages in
            #expect(BucketUploads(storages[0]).maximumBytes(hasEqualParts: equal) == count)
        }
    }

    @Test(arguments: [0, 1, 99, 100, 101, 250, 800, 1_000, 1_234])
    func `Bytes that were appended in any pieces come back whole`(count: Int) async throws {
        let store = try FakeStore()
        try await Self.withUpload(store) { all in
            let uploads = all[0]
            var offset = 0
            for size in [1, 7, 250, 3, 99, 400, 1_234] where offset < count {
                let next = min(count, offset + size)
                // Each piece by a receiver that knows nothing of the one before.
                try await Self.add(offset..<next, to: BucketUploads(uploads.storage))
                #expect(try await uploads.count(of: Self.name) == Int64(next))
                offset = next
            }
            let content = try await Self.open(uploads)
            #expect(try await Self.read(content, count: count) == Array(Self.bytes[..<count]))
            try await uploads.discardBytes(of: Self.name)
            await content.close()
            #expect(try await uploads.record(of: Self.name) == [1])
            #expect(try await uploads.open(Self.name, for: nil) == nil)
            try await uploads.discard(Self.name)
            #expect(try await uploads.record(of: Self.name) == nil)
            #expect(try await uploads.names().isEmpty)
        }
        #expect(store.objects.isEmpty)
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: [150, 57])
    func `Bytes that look like a store's error are an upload's like any other`(saved: Int) async throws {
        let bytes = Array("<Error><Code>SlowDown</Code><Message>m</Message></Error>\n".utf8)
        let store = try FakeStore()
        try await Self.withUpload(store, partSize: saved) { all in
            let uploads = all[0]
            let content = try await Self.open(uploads)
            try await content.append(bytes, at: 0)
            try await content.sync()
            await content.close()
            // Another request reads the bytes, as a tail or as a part.
            let next = try await Self.open(uploads)
            try await next.append([0x0A], at: 57)
            #expect(try await Self.read(next, count: 58) == bytes + [0x0A])
            await next.close()
        }
        #expect(store.count("Get") > 0)
    }

    @Test func `Bytes that weren't saved are lost with their receiver, and the rest continues`() async throws {
        try await Self.withUpload(receivers: 2) { uploads in
            let (first, second) = (uploads[0], uploads[1])
            let killed = try await Self.open(first)
            try await killed.append(Array(Self.bytes[..<350]), at: 0)
            try await killed.sync()
            try await killed.append(Array(Self.bytes[350..<420]), at: 350)
            // It is killed here.
            let content = try await Self.open(second)
            #expect(try await second.count(of: Self.name) == 350)
            try await content.append(Array(Self.bytes[350...]), at: 350)
            try await content.sync()
            #expect(try await Self.read(content, count: 1_234) == Self.bytes)
        }
    }

    @Test func `Bytes whose digest is wrong are taken back, by any receiver`() async throws {
        try await Self.withUpload(receivers: 2) { uploads in
            let (first, second) = (uploads[0], uploads[1])
            try await Self.add(0..<130, to: first)
            var content = try await Self.open(first)
            try await content.append([UInt8](repeating: 0, count: 500), at: 130)
            try await content.sync()
            // It is killed before it has compared them.
            content = try await Self.open(second)
            #expect(try await second.count(of: Self.name) == 630)
            try await content.truncate(to: 130)
            #expect(try await second.count(of: Self.name) == 130)
            // And again, by the same receiver.
            try await content.append([UInt8](repeating: 0, count: 300), at: 130)
            try await content.sync()
            try await content.truncate(to: 130)
            #expect(try await second.count(of: Self.name) == 130)
            try await content.append(Array(Self.bytes[130...]), at: 130)
            try await content.sync()
            #expect(try await Self.read(content, count: 1_234) == Self.bytes)
        }
    }

    @Test(
        arguments: ["Put", "Get"],
        [FakeStore.Behaviour.answer(503, "SlowDown"), .reset(after: 0), .workAndReset])
    func `A request that fails, or whose answer is lost, is made again`(
        operation: String, behaviour: FakeStore.Behaviour
    ) async throws {
        // Some of them, so that each kind of object is hit, and none as often as it is tried.
        let store = try FakeStore { $0 == operation && $1 % 4 == 1 ? behaviour : nil }
        try await Self.withUpload(store) { uploads in
            try await Self.add(0..<777, to: uploads[0])
            let content = try await Self.open(uploads[0])
            try await content.append(Array(Self.bytes[777...]), at: 777)
            try await content.sync()
            #expect(try await Self.read(content, count: 1_234) == Self.bytes)
            await content.close()
        }
    }

    @Test func `A receiver with smaller parts continues after one with larger ones`() async throws {
        let store = try FakeStore()
        try await Self.withUpload(store) { uploads in
            try await Self.add(0..<90, to: uploads[0])
            try await Self.with(store, partSize: 50, closesStore: false) { others in
                let content = try await Self.open(BucketUploads(others[0]))
                try await content.append(Array(Self.bytes[90...]), at: 90)
                try await content.sync()
                #expect(try await Self.read(content, count: 1_234) == Self.bytes)
                await content.close()
            }
        }
    }

    @Test func `Two changes at once follow one another, and files are noted together`() async throws {
        let store = try FakeStore()
        try await Self.withUpload(store) { uploads in
            let content = try #require(try await Self.open(uploads[0]) as? BucketContent)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<20 {
                    group.addTask { try await content.keep([UInt8(index)]) }
                    group.addTask {
                        try await content.confirm(BucketState.Placing(key: "in/\(index)", upload: "u", marker: "m"))
                    }
                }
                try await group.waitForAll()
            }
            await content.close()
            // Each record is a change of its own.
            #expect((21...40).contains(Self.version(in: store)))
            let state = Self.state(in: store)
            #expect(Set(state?.placings?.map(\.key) ?? []) == Set((0..<20).map { "in/\($0)" }))
            #expect(state?.placings?.count == 20)
        }
    }

    @Test func `However often a file can't be made, its key is noted once`() async throws {
        let store = try FakeStore()
        try await Self.withUpload(store) { uploads in
            for index in 0..<5 {
                let content = try #require(try await Self.open(uploads[0]) as? BucketContent)
                _ = try await content.finished(count: 0)
                try await content.confirm(BucketState.Placing(key: "in/a", upload: "u\(index)", marker: nil))
                await content.close()
            }
        }
        // The last one is noted beside the key that is known already.
        #expect(Self.state(in: store)?.placings?.map(\.upload) == ["u0", "u4"])
    }

    @Test func `A state that can't be read is removed when it is older than an upload can be`() async throws {
        let store = try FakeStore()
        try await Self.withUpload(store) { uploads in
            try await Self.add(0..<150, to: uploads[0])
            store.replace("\(Self.folder)\(Self.name).json", Array("{".utf8))
            // The store's objects are a day old.
            var options = UploadStoreOptions()
            options.lifetime = 200_000
            _ = await UploadStore(storage: uploads[0], options: options).removeExpired()
            #expect(store.objects.count > 1)
            options.lifetime = 80_000
            _ = await UploadStore(storage: uploads[0], options: options).removeExpired()
        }
        #expect(store.objects.isEmpty)
    }

    // MARK: Two receivers

    @Test func `Of two receivers the one that saves first goes on`() async throws {
        try await Self.withUpload(receivers: 2) { uploads in
            let (first, second) = (uploads[0], uploads[1])
            let one = try await Self.open(first)
            try await one.append(Array(Self.bytes[..<450]), at: 0)
            let other = try await Self.open(second)
            try await other.append(Array(Self.bytes[..<150]), at: 0)
            try await other.sync()
            await #expect(throws: UploadIsBusy.self) { try await one.sync() }
            await #expect(throws: UploadIsBusy.self) { try await one.append([1], at: 450) }
            await #expect(throws: UploadIsBusy.self) { try await first.keep([2], of: Self.name) }
            await one.close()
            #expect(try await first.count(of: Self.name) == 150)
            try await other.append(Array(Self.bytes[150...]), at: 150)
            try await other.sync()
            #expect(try await Self.read(other, count: 1_234) == Self.bytes)
        }
    }

    @Test func `A receiver that was overtaken twice is refused, although its last bytes are gone`() async throws {
        try await Self.withUpload(receivers: 2) { uploads in
            try await Self.add(0..<50, to: uploads[0])
            let first = try await Self.open(uploads[0])
            try await Self.add(50..<60, to: uploads[1])
            try await Self.add(60..<70, to: uploads[1])
            await #expect(throws: UploadIsBusy.self) { try await first.append([1], at: 50) }
            await first.close()
        }
    }

    @Test func `An upload that another receiver adds to isn't removed`() async throws {
        try await Self.withUpload(receivers: 2) { uploads in
            let (first, second) = (uploads[0], uploads[1])
            let sweeper = try await Self.open(second)
            let one = try await Self.open(first)
            try await one.append([1, 2, 3], at: 0)
            try await one.sync()
            await #expect(throws: UploadIsBusy.self) { try await second.discard(Self.name) }
            await sweeper.close()
            #expect(try await Self.read(one, count: 3) == [1, 2, 3])
        }
    }

    /// The steps of a receiver.
    private enum Step: CaseIterable { case open, append, save, truncate, close }

    /// One receiver, and what it believes.
    private final class Player {
        let uploads: BucketUploads
        let mark: UInt8
        var content: (any UploadContent)?
        /// The upload's bytes, those included that aren't saved.
        var bytes: [UInt8] = []
        /// The bytes when it opened the upload.
        var opened: [UInt8] = []
        /// The version of the state that it has.
        var version = 0

        init(_ uploads: BucketUploads, _ mark: UInt8) { (self.uploads, self.mark) = (uploads, mark) }

        func take(_ step: Step, _ saved: [UInt8], _ count: Int) async throws {
            switch step {
            case .open:
                await self.content?.close()
                self.content = try await BucketUploadsTests.open(self.uploads)
                (self.bytes, self.opened) = (saved, saved)
            case .append:
                let more = [UInt8](repeating: self.mark, count: count)
                try await self.content?.append(more, at: Int64(self.bytes.count))
                self.bytes += more
            case .save: try await self.content?.sync()
            case .truncate:
                try await self.content?.truncate(to: Int64(self.opened.count))
                self.bytes = self.opened
            case .close: await self.leave()
            }
        }

        func leave() async {
            await self.content?.close()
            self.content = nil
        }
    }

    /// The upload's state in the store.
    private static func state(in store: FakeStore) -> BucketState? {
        store.objects["\(Self.folder)\(Self.name).json"].flatMap { BucketState($0.bytes) }
    }

    private static func version(in store: FakeStore) -> Int { Self.state(in: store)?.fence ?? -1 }

    /// Two receivers do anything in any order. Each change must be made by the one that had the current state; the other is
    /// refused. What is saved is always a prefix of what that one had.
    @Test(arguments: 0..<80) func `No order of two receivers' steps mixes bytes`(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let store = try FakeStore()
        try await Self.withUpload(store, receivers: 2) { uploads in
            let players = [Player(uploads[0], 1), Player(uploads[1], 2)]
            var saved: [UInt8] = []
            for _ in 0..<40 {
                let player = players.randomElement(using: &random)!
                let step = Step.allCases.randomElement(using: &random)!
                let count = Int.random(in: 1...450, using: &random)
                guard step == .open || player.content != nil else { continue }
                let before = Self.version(in: store)
                do { try await player.take(step, saved, count) } catch is UploadIsBusy {
                    #expect(player.version != before, "refused, though nobody else changed it")
                    #expect(Self.version(in: store) == before, "refused, and changed")
                    await player.leave()
                    continue
                }
                let after = Self.version(in: store)
                if step == .open { player.version = after }
                guard after != before else { continue }
                #expect(player.version == before, "changed by one that was overtaken")
                player.version = after
                let length = Int(try await player.uploads.count(of: Self.name))
                // An addition saves the parts before it now and then.
                try #require(length <= player.bytes.count && (step == .append || length == player.bytes.count))
                saved = Array(player.bytes[..<length])
            }
            for player in players { await player.leave() }
            let content = try await Self.open(players[0].uploads)
            #expect(try await Self.read(content, count: saved.count) == saved)
            await content.close()
            try await players[0].uploads.discard(Self.name)
            // A busy store may take a piece whose request was cancelled only now. It goes with the other leftovers.
            for _ in 0..<500 where !store.objects.isEmpty {
                try await players[0].uploads.removeLeftovers()
                try await Task.sleep(for: .milliseconds(20))
            }
        }
        #expect(store.objects.isEmpty)
        #expect(store.uploads.isEmpty)
    }

    /// A generator whose numbers repeat.
    private struct SeededGenerator: RandomNumberGenerator {
        var state: UInt64

        init(seed: UInt64) { self.state = seed &+ 1 }

        mutating func next() -> UInt64 {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            let mixed = (self.state ^ (self.state >> 33)) &* 0xFF51_AFD7_ED55_8CCD
            return mixed ^ (mixed >> 33)
        }
    }

    // MARK: The store

    @Test func `A store that compares nothing is found out`() async throws {
        try await Self.with(FakeStore()) { try await BucketUploads($0[0]).check() }
        let careless = try FakeStore(isConditional: false)
        let error = await #expect(throws: FormworkError.self) {
            try await Self.with(careless) { try await BucketUploads($0[0]).check() }
        }
        #expect(
            error?.description
                == "the store doesn't compare entity tags when it writes objects (If-Match, If-None-Match)")
        #expect(careless.objects.isEmpty)
    }

    @Test func `A store that compares entity tags without quotes is found out, and used`() async throws {
        try await Self.with(FakeStore(comparesPlainTags: true)) { storages in
            let uploads = BucketUploads(storages[0])
            try await uploads.check()
            try await uploads.create(Self.name, record: [1])
            let content = try await Self.open(uploads)
            try await content.append(Self.bytes, at: 0)
            try await content.sync()
            #expect(try await Self.read(content, count: 1_234) == Self.bytes)
        }
    }

    @Test func `What killed receivers left is removed, and nothing else`() async throws {
        let store = try FakeStore()
        try await Self.withUpload(store) { all in
            let uploads = all[0]
            try await Self.add(0..<450, to: uploads)
            let kept = Set(store.objects.keys)
            store.put("\(Self.folder)ffffffffffffffffffffffffffffffff.abc")
            store.put("\(Self.folder)ffffffffffffffffffffffffffffffff.def")
            store.put("in/ordinary.bin")
            try await uploads.removeLeftovers()
            #expect(Set(store.objects.keys) == kept.union(["in/ordinary.bin"]))
            #expect(try await uploads.count(of: Self.name) == 450)
        }
    }

    @Test func `How long an upload has been idle is read from the store's clock`() async throws {
        try await Self.withUpload { uploads in
            // The store's answers are of 3 January, and its objects of the day before.
            let time = try await uploads[0].idleTime(of: Self.name)
            #expect(time == 86_400)
            #expect(try await uploads[0].idleTime(of: "ffffffffffffffffffffffffffffffff") == nil)
        }
    }

    // MARK: Servers

    /// The head of an addition.
    static func patch(_ offset: Int) -> [String] {
        [
            "Tus-Resumable: 1.0.0", "Upload-Offset: \(offset)", "Content-Type: application/offset+octet-stream",
        ]
    }

    @Test func `A receiver finishes what another began, and no byte of it passes through a receiver again`()
        async throws
    {
        let store = try FakeStore()
        let bytes = Self.bytes
        try await Self.with(store, receivers: 2) { storages in
            let stores = storages.map { UploadStore(storage: BucketUploads($0)) }
            let place = Local("")
            try await TestReceiver.run({ $0.keeping.isDigesting = false }, storage: storages[0], store: stores[0]) {
                receiver in
                place.value = try await receiver.begin(
                    "POST /", ["Tus-Resumable: 1.0.0", "Upload-Length: 1234", "Upload-Metadata: filename YS5iaW4="])
                let path = place.value
                #expect(try await receiver.request("PATCH \(path)", Self.patch(0), Array(bytes[..<500])).status == 204)
            }
            try await TestReceiver.run({ $0.keeping.isDigesting = false }, storage: storages[1], store: stores[1]) {
                receiver in
                let path = place.value
                let told = try await receiver.request("HEAD \(path)", ["Tus-Resumable: 1.0.0"])
                #expect(told.field("Upload-Offset") == "500")
                let ended = try await receiver.request("PATCH \(path)", Self.patch(500), Array(bytes[500...]))
                #expect(ended.status == 204, "\(ended)")
                // The answer is there for a client that lost it, by another receiver too.
                let again = try await stores[0].upload(String(path.split(separator: "/").last ?? ""))
                #expect(again != nil)
            }
        }
        #expect(store.objects["in/a.bin"]?.bytes == bytes)
        #expect(store.count("UploadPartCopy") == 13)
        // Of the upload only its record with the answer is left.
        #expect(store.objects.keys.count { $0.hasPrefix(Self.folder) } == 1)
        #expect(store.uploads.isEmpty)
    }

    /// The receiver is killed at each of its requests that write an object.
    @Test(arguments: 2...7)
    func `A file without bytes is there once, whichever receiver is killed`(number: Int) async throws {
        let count = Local(0)
        let isOpen = Local(false)
        let store = try FakeStore { name, _ in
            guard !isOpen.value else { return nil }
            if name == "Put" { count.value += 1 }
            return count.value >= number ? .answer(403, "AccessDenied") : nil
        }
        try await Self.with(store, receivers: 2) { storages in
            let stores = storages.map { UploadStore(storage: BucketUploads($0)) }
            let place = Local("")
            let last = Self.patch(0) + ["Upload-Length: 0"]
            try await TestReceiver.run(storage: storages[0], store: stores[0]) { receiver in
                place.value = try await receiver.begin(
                    "POST /", ["Tus-Resumable: 1.0.0", "Upload-Defer-Length: 1", "Upload-Metadata: filename YS5iaW4="])
                _ = try await receiver.request("PATCH \(place.value)", last)
            }
            isOpen.value = true
            try await TestReceiver.run(storage: storages[1], store: stores[1]) { receiver in
                let answer = try await receiver.request("PATCH \(place.value)", last)
                #expect(answer.status == 204, "\(answer)")
            }
        }
        let names = store.objects.keys.filter { !$0.hasPrefix(Self.folder) }
        #expect(names == ["in/a.bin"])
        #expect(store.objects["in/a.bin"]?.bytes == [])
        #expect(store.uploads.isEmpty)
    }

    @Test func `A receiver whose upload another one completes in the meantime gives the other's answer`() async throws {
        let store = try FakeStore()
        try await Self.with(store, receivers: 2) { storages in
            let stores = storages.map { UploadStore(storage: BucketUploads($0)) }
            let place = Local("")
            let other = ResumableHandler(stores[1]) { _ in ResumableResponse(HTTPResponse(status: .accepted)) }
            let slow = ResumableHandler(stores[0]) { _ in
                let ask = Self.request(
                    .patch, place.value,
                    [
                        "Upload-Draft-Interop-Version": "8", "Upload-Complete": "?1", "Upload-Offset": "1000",
                        "Content-Length": "0", "Content-Type": "application/partial-upload",
                    ])
                guard case .answer(let told) = await other.handle(ask, body: LateBody(), inform: { _ in }) else {
                    throw CancellationError()
                }
                #expect(told.response.status == .accepted)
                throw UploadIsBusy()
            }
            let create = Self.request(
                .put, "/a",
                ["Upload-Draft-Interop-Version": "8", "Upload-Complete": "?1", "Content-Length": "1000"])
            let outcome = await slow.handle(create, body: LateBody()) { told in
                if let location = told.headerFields[.location] { place.value = location }
            }
            let answer = try Self.answer(outcome)
            #expect(answer.response.status == .accepted)
        }
    }

    /// The requests at which another receiver has aborted what was to make the file, or the store has forgotten it.
    @Test(arguments: [("UploadPartCopy", 1), ("UploadPartCopy", 2), ("Complete", 1)])
    func `A file whose upload another receiver aborted isn't the store's failure`(
        operation: String, number: Int
    ) async throws {
        let store = try FakeStore { $0 == operation && $1 == number ? .answer(404, "NoSuchUpload") : nil }
        try await Self.with(store) { storages in
            let uploads = UploadStore(storage: BucketUploads(storages[0]))
            try await TestReceiver.run({ $0.keeping.isDigesting = false }, storage: storages[0], store: uploads) {
                receiver in
                let path = try await receiver.begin(
                    "POST /", ["Tus-Resumable: 1.0.0", "Upload-Length: 1234", "Upload-Metadata: filename YS5iaW4="])
                let refused = try await receiver.request("PATCH \(path)", Self.patch(0), Self.bytes)
                #expect(refused.status == 423, "\(refused)")
                #expect(!receiver.log.all.contains { $0.hasPrefix("upload not processed") })
                #expect(receiver.log.all.contains { $0.hasPrefix("upload left to another receiver") })
                #expect(try await receiver.request("HEAD \(path)", ["Tus-Resumable: 1.0.0"]).status == 200)
            }
        }
        #expect(store.objects.keys.filter { !$0.hasPrefix(Self.folder) } == ["in/a.bin"])
        #expect(store.objects["in/a.bin"]?.bytes == Self.bytes)
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: [("8", 503), (nil, 423)])
    func `A receiver whose complete upload another one has says so, and has no error`(
        draft: String?, status: Int
    ) async throws {
        let store = try FakeStore()
        try await Self.with(store, receivers: 2) { storages in
            let stores = storages.map { UploadStore(storage: BucketUploads($0)) }
            let reports = Local(0)
            let handler = ResumableHandler(stores[0]) { _, _ in
                reports.value += 1
            } complete: { upload in
                // The other receiver takes it, and hasn't completed it yet.
                let other = BucketUploads(storages[1])
                try await other.keep(try #require(try await other.record(of: upload.name)), of: upload.name)
                throw UploadIsBusy()
            }
            let fields =
                draft.map { ["Upload-Draft-Interop-Version": $0, "Upload-Complete": "?1", "Content-Length": "1000"] }
                ?? Self.tus(["Upload-Length": "1000"])
            let outcome = await handler.handle(Self.request(.post, "/", fields), body: LateBody()) { _ in }
            let answer = try Self.answer(outcome)
            #expect(answer.response.status.code == status)
            #expect(answer.response.headerFields[.retryAfter] == "1")
            #expect(reports.value == 0)
        }
    }

    private static func request(
        _ method: HTTPRequest.Method, _ path: String, _ fields: [String: String]
    ) -> HTTPRequest {
        var request = HTTPRequest(method: method, scheme: "http", authority: "localhost", path: path)
        for (name, value) in fields { request.headerFields[.init(name)!] = value }
        return request
    }

    /// The fields of a request with 1,000 bytes, by tus.
    private static func tus(_ fields: [String: String]) -> [String: String] {
        fields.merging([
            "Tus-Resumable": "1.0.0", "Content-Length": "1000", "Content-Type": "application/offset+octet-stream",
        ]) { $1 }
    }

    private static func answer(_ outcome: ResumableHandler.Outcome) throws -> ResumableResponse {
        guard case .answer(let answer) = outcome else { throw TestFailure(what: "\(outcome)") }
        return answer
    }

    private struct TestFailure: Error { let what: String }

    /// A body that begins late, and then arrives at once in single bytes.
    private struct LateBody: AsyncSequence, Sendable {
        struct AsyncIterator: AsyncIteratorProtocol {
            var count: Int

            mutating func next() async throws -> ByteBuffer? {
                if self.count == 1_000 { try await Task.sleep(for: .milliseconds(1_100)) }
                self.count -= 1
                return self.count < 0 ? nil : ByteBuffer(bytes: [1])
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(count: 1_000) }
    }

    @Test func `A request that is cancelled while the store is slow isn't the store's failure`() async throws {
        let isSlow = Local(false)
        let store = try FakeStore { name, _ in name == "Get" && isSlow.value ? .hold : nil }
        // The first bytes are less than a part, and have to be read to be continued.
        try await Self.with(store, partSize: 64 << 10) { storages in
            let (place, failures) = (Local(""), Local(0))
            var handler = ResumableHandler(
                UploadStore(storage: BucketUploads(storages[0])), failed: { _ in failures.value += 1 }
            ) { _ in
                ResumableResponse(HTTPResponse(status: .ok))
            }
            handler.created = { place.value = "/.uploads/\($0)" }
            let create = Self.request(.post, "/", Self.tus(["Upload-Length": "2000"]))
            _ = await handler.handle(create, body: LateBody()) { _ in }
            let append = Self.request(.patch, place.value, Self.tus(["Upload-Offset": "1000"]))
            let appending = Task { [handler] in await handler.handle(append, body: LateBody()) { _ in } }
            // The body begins after a second.
            try await Task.sleep(for: .milliseconds(600))
            isSlow.value = true
            while store.held == 0 { try await Task.sleep(for: .milliseconds(10)) }
            appending.cancel()
            guard case .close = await appending.value else {
                Issue.record("\(await appending.value)")
                return
            }
            #expect(failures.value == 0)
        }
    }

    @Test func `A tus upload that takes longer than the interval of progress isn't saved with each chunk`() async throws
    {
        let store = try FakeStore()
        try await Self.with(store) { storages in
            var handler = ResumableHandler(UploadStore(storage: BucketUploads(storages[0]))) { _ in
                ResumableResponse(HTTPResponse(status: .ok))
            }
            handler.progressInterval = .seconds(1)
            let request = Self.request(.post, "/", Self.tus(["Upload-Length": "1000"]))
            let outcome = await handler.handle(request, body: LateBody()) { _ in }
            let answer = try Self.answer(outcome)
            #expect(answer.response.status == .created)
        }
        // Ten parts, and states; a busy machine may save a second time.
        #expect((14...40).contains(store.count("Put")), "\(store.count("Put"))")
    }

    @Test(arguments: [true, false])
    func `What has arrived is saved while the client is silent, and when its request is cancelled`(
        isCancelled: Bool
    ) async throws {
        let store = try FakeStore()
        try await Self.with(store, receivers: 2) { storages in
            var handler = ResumableHandler(UploadStore(storage: BucketUploads(storages[0]))) { _ in
                ResumableResponse(HTTPResponse(status: .ok))
            }
            handler.progressInterval = isCancelled ? .seconds(3_600) : .milliseconds(20)
            let request = Self.request(.post, "/", Self.tus(["Upload-Length": "1000"]))
            let (body, client) = AsyncStream<[UInt8]>.makeStream()
            client.yield(Array(Self.bytes[..<250]))
            let sending = Task { [handler] in _ = await handler.handle(request, body: body) { _ in } }
            let other = BucketUploads(storages[1])
            // Two parts of 100 bytes are there at once; the rest needs an object of its own.
            let end = ContinuousClock.now + .seconds(30)
            while store.count("UploadPart") + store.count("Put") < 3, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(10))
            }
            if isCancelled {
                try await Task.sleep(for: .milliseconds(200))
                sending.cancel()
                await sending.value
            }
            let name = try #require(try await other.names().first)
            while try await other.count(of: name) < 250, ContinuousClock.now < end {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try await other.count(of: name) == 250)
            client.finish()
            await sending.value
        }
    }

    /// `printf` of the bytes, piped to `sha256sum` and `base64`.
    private static let digest = "35ba4f64190ae4d19a80aad8c68a368f38bfd4fe265433d4f7c1528570e5d373"
    private static let digestField = "sha-256=:NbpPZBkK5NGagKrYxoo2jzi/1P4mVDPU98FShXDl03M=:"

    /// Sends the bytes in three pieces, to two receivers in turn.
    /// - Parameter change: Changes the state that the first piece left.
    private static func send(
        to store: FakeStore, _ fields: [String] = [], change: @escaping @Sendable (inout BucketState) -> Void = { _ in }
    ) async throws -> (answer: RawAnswer, log: [String]) {
        let result = Local((RawAnswer(""), [String]()))
        var options = UploadStoreOptions()
        options.digestsFiles = true
        try await Self.with(store, receivers: 2) { [options] storages in
            let stores = storages.map { UploadStore(storage: BucketUploads($0), options: options) }
            try await TestReceiver.run(storage: storages[0], store: stores[0]) { first in
                try await TestReceiver.run(storage: storages[1], store: stores[1]) { second in
                    let path = try await first.begin(
                        "POST /a.bin",
                        ["Upload-Draft-Interop-Version: 8", "Upload-Complete: ?0", "Content-Length: 0"] + fields)
                    var start = 0
                    for (index, end) in [330, 770, 1_234].enumerated() {
                        let answer = try await [first, second, first][index].request(
                            "PATCH \(path)",
                            [
                                "Upload-Draft-Interop-Version: 8", "Upload-Offset: \(start)",
                                "Upload-Complete: ?\(end == 1_234 ? 1 : 0)",
                                "Content-Type: application/partial-upload",
                            ], Array(Self.bytes[start..<end]))
                        start = end
                        result.value = (answer, first.log.all)
                        guard index == 0 else { continue }
                        let key = "\(Self.folder)\(path.split(separator: "/").last ?? "").json"
                        var state = try #require(store.objects[key].flatMap { BucketState($0.bytes) })
                        change(&state)
                        store.replace(key, try state.encoded())
                    }
                }
            }
        }
        return result.value
    }

    @Test func `The digest of a file is continued by the receiver that continues the file`() async throws {
        let store = try FakeStore()
        let (answer, log) = try await Self.send(to: store)
        #expect(answer.status == 201, "\(answer)")
        #expect(log.contains { $0.contains(Self.digest) }, "\(log)")
        #expect(store.objects["in/a.bin"]?.bytes == Self.bytes)
        // The bytes that are no part yet, twice: 330 = 3 parts and 30, 770 = 7 parts and 70.
        #expect(store.bytesRead == 100)
    }

    @Test func `A digest that isn't known is computed from the bytes`() async throws {
        let store = try FakeStore()
        // As an earlier version wrote it.
        let (answer, log) = try await Self.send(to: store) { ($0.bytes.digests, $0.mark) = (nil, nil) }
        #expect(answer.status == 201)
        #expect(log.contains { $0.contains(Self.digest) }, "\(log)")
        #expect(store.bytesRead == 100 + 1_234)
    }

    /// Of the same bytes: sha512sum, sha1sum and md5sum.
    private static let otherFields = [
        "sha-512=:l7D5EyBevOk9zEyVXpqs59FTRYyiVjBJD8ow4mA2rkU3OPS7BavUeO5D01mqOFgOKa1sVltuDtmkqg7r6JJyVw==:",
        "sha=:nxpOJXM9f3SJJ04czw3nu7J/IsA=:, md5=:dgQsOX+2V6ge3eb2KtWTUA==:",
    ]

    @Test(
        arguments: [digestField, "sha-256=:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=:"] + otherFields + [
            "md5=:AAAAAAAAAAAAAAAAAAAAAA==:"
        ])
    func `A file is compared with the digest that its creation announced`(field: String) async throws {
        let store = try FakeStore()
        let (answer, _) = try await Self.send(to: store, ["Repr-Digest: \(field)"])
        let isRight = !field.contains("AAAA")
        #expect(answer.status == (isRight ? 201 : 400), "\(answer)")
        #expect(store.objects["in/a.bin"]?.bytes == (isRight ? Self.bytes : nil))
        #expect(store.bytesRead == 100)
    }
}
