#if Transfer
import Formwork
import FormworkCore
import Foundation
import NIOCore
import Synchronization
import TestSupport
import Testing

@testable import FormworkReceiver
@testable import FormworkResumable

/// Forms in a bucket whose large files are copied while the form arrives.
@Suite(.timeLimit(.minutes(10))) struct EarlyCopiesTests {
    /// Two large files, a small one, and a field, for a store whose parts have at least 50 bytes.
    private static let files = [
        ("a.bin", BucketFormTests.text(4_000, 1)), ("b.bin", BucketFormTests.text(30, 2)),
        ("c.bin", BucketFormTests.text(2_050, 3)),
    ]
    private static let form = Array(
        formBody([
            ("title", "Harbour"), ("a;a.bin", files[0].1), ("b;b.bin", files[1].1), ("c;c.bin", files[2].1),
        ]).utf8)
    private static let whole = Dictionary(uniqueKeysWithValues: files)
    /// `sha256sum` of the large files.
    private static let digests = [
        "b34271ce9cf6241cb0e39597830836174770e08d58dfc3e6b84a07a779f7ac89",
        "4fd22f72fd9fe7597573927c6ef2e77d9c6922cb869f663b9f658f6b5830bdba",
    ]
    private static let options = {
        var options = UploadStoreOptions()
        options.digestsFiles = true
        return options
    }()
    private static let contentType = "content-type bXVsdGlwYXJ0L2Zvcm0tZGF0YTsgYm91bmRhcnk9Yg=="

    private struct Receivers {
        var all: [TestReceiver]
        let store: FakeStore

        subscript(index: Int) -> TestReceiver { self.all[index] }

        func create(_ form: [UInt8]) async throws -> String {
            let created = try await self[0].request(
                "POST /",
                [
                    "Tus-Resumable: 1.0.0", "Upload-Length: \(form.count)",
                    "Upload-Metadata: \(EarlyCopiesTests.contentType)",
                ])
            return try #require(created.field("Location"))
        }

        /// Begins a request with a form's bytes, and sends them but for the last.
        func begin(_ path: String, _ bytes: [UInt8], from start: Int = 0, but last: Int) async throws -> RawConnection {
            let connection = try self[0].connect()
            let head =
                ["PATCH \(path) HTTP/1.1", "Host: localhost", "Connection: close"] + BucketUploadsTests.patch(start)
                + ["Content-Length: \(bytes.count - start)"]
            await connection.send(
                Array((head.joined(separator: "\r\n") + "\r\n\r\n").utf8) + bytes[start..<(bytes.count - last)])
            return connection
        }

        /// Waits until parts were copied, and what the receiver does with the bytes so far has ended.
        func copied(_ count: Int) async throws {
            #expect(try await self[0].eventually { self.store.count("UploadPartCopy") >= count })
            var requests = -1
            while requests != self.store.log.count {
                requests = self.store.log.count
                try await Task.sleep(for: .milliseconds(100))
            }
        }

        /// Continues an upload where it is, through one of the receivers.
        func complete(_ path: String, _ form: [UInt8], by index: Int) async throws {
            let told = try await self[index].request("HEAD \(path)", ["Tus-Resumable: 1.0.0"])
            let offset = try #require(told.field("Upload-Offset").flatMap { Int($0) })
            guard offset < form.count else { return }
            let answer = try await self[index].request(
                "PATCH \(path)", BucketUploadsTests.patch(offset), Array(form[offset...]))
            #expect(answer.status == 204, "\(answer)")
        }

        func state(of path: String) throws -> BucketState {
            let key = "\(BucketUploadsTests.folder)\(path.split(separator: "/").last ?? "").json"
            return try #require(self.store.objects[key].flatMap { BucketState($0.bytes) })
        }
    }

    private static func with(
        _ store: FakeStore, receivers count: Int = 1, least: Int64 = 200, isDigesting: Bool = true,
        _ change: @escaping @Sendable (inout ReceiverOptions) -> Void = { _ in },
        _ test: @escaping @Sendable (Receivers) async throws -> Void
    ) async throws {
        var options = Self.options
        options.digestsFiles = isDigesting
        try await BucketUploadsTests.with(store, receivers: count, smallestPart: 50, leastEarlyFile: least) {
            [options] storages in
            @Sendable func run(_ all: [TestReceiver]) async throws {
                guard all.count < count else { return try await test(Receivers(all: all, store: store)) }
                let storage = storages[all.count]
                try await TestReceiver.run(
                    {
                        $0.isDigesting = isDigesting
                        change(&$0)
                    }, storage: storage, store: UploadStore(storage: BucketUploads(storage), options: options)
                ) { try await run(all + [$0]) }
            }
            try await run([])
        }
        #expect(store.uploads.isEmpty)
    }

    /// The names of stored files, with their bytes; the record of the fields isn't among them.
    private static func stored(_ store: FakeStore) -> [String: String] {
        var found: [String: String] = [:]
        for (key, object) in store.objects where !key.hasPrefix(BucketUploadsTests.folder) && !key.hasSuffix(".json") {
            found[String(key.dropFirst(3))] = String(decoding: object.bytes, as: UTF8.self)
        }
        return found
    }

    // MARK: Use

    @Test func `After a form's last byte only its last parts are copied`() async throws {
        let store = try FakeStore(smallestPart: 50)
        let early = Local(0)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            let connection = try await receivers.begin(path, Self.form, but: 100)
            try await receivers.copied(50)
            early.value = store.count("UploadPartCopy")
            // Both names are reserved.
            #expect(Set(store.uploads.values.map(\.key)) == ["in/a.bin", "in/c.bin"])
            #expect(try receivers.state(of: path).placings?.map(\.key) == ["in/a.bin", "in/c.bin"])
            await connection.send(Array(Self.form.suffix(100)))
            #expect(RawAnswer(await connection.receiveAll()).final.status == 204)
            for (name, digest) in zip(["a.bin", "c.bin"], Self.digests) {
                #expect(
                    receivers[0].log.all.contains { $0.contains(name) && $0.contains(digest) },
                    "\(receivers[0].log.all)")
            }
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(Self.form.count == 6_434)
        // Of a.bin (155 to 4155) 40 parts, of c.bin (4375 to 6425) 20: the last 25 bytes are in too short a piece.
        #expect(store.count("UploadPartCopy") == 60)
        #expect(early.value >= 50)
        // The record of the fields has two parts, too.
        #expect(store.count("Create") == 3)
        #expect(store.count("Abort") == 0)
        #expect(store.objects.keys.count { $0.hasPrefix(BucketUploadsTests.folder) } == 1)
    }

    @Test func `Without digests, and with little memory, the files are copied early, too`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(
            store, isDigesting: false, { $0.memory = UploadMemory(limit: UploadMemory.readBytes + 128, least: 128) }
        ) { receivers in
            let path = try await receivers.create(Self.form)
            let connection = try await receivers.begin(path, Self.form, but: 100)
            try await receivers.copied(50)
            await connection.send(Array(Self.form.suffix(100)))
            #expect(RawAnswer(await connection.receiveAll()).final.status == 204)
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("Abort") == 0)
    }

    @Test func `A file that began in an earlier request is continued, within what this request has brought`()
        async throws
    {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store, receivers: 2) { receivers in
            let path = try await receivers.create(Self.form)
            let first = try await receivers[1].request(
                "PATCH \(path)", BucketUploadsTests.patch(0), Array(Self.form[..<2_000]))
            #expect(first.status == 204)
            let before = store.count("UploadPartCopy")
            let connection = try await receivers.begin(path, Self.form, from: 2_000, but: 2_962)
            try await receivers.copied(before + 8)
            // It has brought 1,500 bytes.
            #expect(store.count("UploadPartCopy") <= before + 15)
            await connection.send(Array(Self.form.suffix(2_962)))
            #expect(RawAnswer(await connection.receiveAll()).final.status == 204)
        }
        #expect(Self.stored(store) == Self.whole)
    }

    @Test func `A client that sends many requests has no byte copied more often than it sends one`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            for start in stride(from: 0, to: 6_000, by: 1_000) {
                let answer = try await receivers[0].request(
                    "PATCH \(path)", BucketUploadsTests.patch(start), Array(Self.form[start..<start + 1_000]))
                #expect(answer.status == 204)
                #expect(store.uploads.isEmpty)
                #expect(try receivers.state(of: path).placings == nil)
            }
            #expect(store.count("UploadPartCopy") <= 60)
            try await receivers.complete(path, Self.form, by: 0)
        }
        #expect(Self.stored(store) == Self.whole)
    }

    @Test func `While copies fall behind, the client's next bytes wait`() async throws {
        // The first copy shows that the store copies.
        let store = try FakeStore(smallestPart: 50) { name, number in
            name == "UploadPartCopy" && number > 1 ? .hold : nil
        }
        let text = BucketFormTests.text(40_000, 5)
        let form = Array(formBody([("a;a.bin", text)]).utf8)
        let isHeld = Local(false)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(form)
            let sending = Task {
                try await receivers[0].request("PATCH \(path)", BucketUploadsTests.patch(0), form)
            }
            isHeld.value = try await receivers[0].eventually { store.held == 32 }
            var puts = -1
            while puts != store.count("Put") {
                puts = store.count("Put")
                try await Task.sleep(for: .milliseconds(200))
            }
            // Of 400.
            #expect(puts < 80 && store.held == 32)
            store.release()
            #expect(try await sending.value.status == 204)
        }
        #expect(isHeld.value)
        #expect(Self.stored(store) == ["a.bin": text])
    }

    // MARK: Another outcome

    @Test func `After a cut nothing keeps a name, and the form continues`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            do {
                let connection = try await receivers.begin(path, Self.form, but: 100)
                try await receivers.copied(50)
                _ = connection
            }
            #expect(try await receivers[0].eventually { store.uploads.isEmpty })
            #expect(try await receivers[0].eventually { try receivers.state(of: path).placings == nil })
            // The names are free for others at once.
            let other = try await receivers[0].request("PUT /a.bin", [], "other")
            #expect(other.status == 201)
            try await receivers.complete(path, Self.form, by: 0)
        }
        var expected = Self.whole
        (expected["a.bin"], expected["a (1).bin"]) = ("other", Self.files[0].1)
        #expect(Self.stored(store) == expected)
    }

    @Test func `A file that is being begun when the client leaves has no name afterwards`() async throws {
        let store = try FakeStore(smallestPart: 50) { operation, number in
            operation == "Create" && number == 1 ? .hold : nil
        }
        try await Self.with(store, receivers: 2) { receivers in
            let path = try await receivers.create(Self.form)
            do {
                let connection = try await receivers.begin(path, Self.form, but: Self.form.count - 900)
                #expect(try await receivers[0].eventually { store.held == 1 })
                _ = connection
            }
            try await Task.sleep(for: .milliseconds(300))
            store.release()
            #expect(try await receivers[0].eventually { store.count("Abort") == 1 })
            try await receivers.complete(path, Self.form, by: 1)
        }
        #expect(Self.stored(store) == Self.whole)
    }

    @Test func `Bytes whose digest is wrong leave nothing that was copied of them`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            let wrong = Array(formBody([("x;x.bin", BucketFormTests.text(5_000, 4))]).utf8)
            let answer = try await receivers[0].request(
                "PATCH \(path)", BucketUploadsTests.patch(0) + ["Upload-Checksum: sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA="],
                Array(wrong.prefix(4_500)))
            #expect(answer.status == 460)
            #expect(store.count("UploadPartCopy") > 20)
            #expect(store.uploads.isEmpty)
            try await receivers.complete(path, Self.form, by: 0)
        }
        #expect(Self.stored(store) == Self.whole)
    }

    @Test func `A store that refuses copies is found out, and every file is read under its own name`() async throws {
        let store = try FakeStore(smallestPart: 50) { operation, _ in
            operation == "UploadPartCopy" ? .answer(501, "NotImplemented") : nil
        }
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            try await receivers.complete(path, Self.form, by: 0)
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("UploadPartCopy") == 1)
    }

    /// Copies that fail, three tries of each, before and after the last byte.
    @Test(arguments: [1..<4, 5..<8, 20..<23, 44..<47])
    func `A copy that fails early is no error of the form`(failing: Range<Int>) async throws {
        let store = try FakeStore(smallestPart: 50) { operation, number in
            operation == "UploadPartCopy" && failing.contains(number) ? .answer(500, "InternalError") : nil
        }
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            try await receivers.complete(path, Self.form, by: 0)
        }
        #expect(Self.stored(store) == Self.whole)
    }

    @Test func `A name that another program takes meanwhile is given up`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            let connection = try await receivers.begin(path, Self.form, but: 100)
            try await receivers.copied(50)
            store.put("in/a.bin")
            await connection.send(Array(Self.form.suffix(100)))
            #expect(RawAnswer(await connection.receiveAll()).final.status == 204)
        }
        var expected = Self.whole
        (expected["a.bin"], expected["a (1).bin"]) = ("\u{1}", Self.files[0].1)
        #expect(Self.stored(store) == expected)
    }

    @Test(arguments: [(300, 3_000), (3_000, 300), (3_000, 2_900)])
    func `Of two files with one name the first gets it, whichever was begun early`(first: Int, second: Int)
        async throws
    {
        let store = try FakeStore(smallestPart: 50)
        let texts = [BucketFormTests.text(first, 1), BucketFormTests.text(second, 2)]
        let form = Array(formBody([("f;a.bin", texts[0]), ("f;a.bin", texts[1])]).utf8)
        try await Self.with(store, least: 1_000) { receivers in
            let path = try await receivers.create(form)
            try await receivers.complete(path, form, by: 0)
        }
        #expect(Self.stored(store) == ["a.bin": texts[0], "a (1).bin": texts[1]])
        #expect(store.count("UploadPartCopy") > 25)
    }

    /// A complete upload whose first file was begun early.
    private static func claiming(
        _ store: FakeStore, _ test: @escaping @Sendable (S3Storage, _ name: String) async throws -> Void
    ) async throws {
        let name = "0123456789abcdef0123456789abcdef"
        try await BucketUploadsTests.with(store, smallestPart: 50, leastEarlyFile: 200) { storages in
            let uploads = BucketUploads(storages[0])
            let intake = UploadIntake(storage: storages[0], limits: ReceivingLimits())
            try await EarlyNaming.$current.withValue(EarlyNaming(intake)) {
                try await uploads.create(name, record: [1])
                let content = try #require(try await uploads.open(name) as? BucketContent)
                let type = "multipart/form-data; boundary=b"
                await content.observe(UploadObservation(form: type, digestsFiles: true, algorithms: []))
                try await content.append(Self.form, at: 0)
                _ = try await content.finished(count: Int64(Self.form.count))
                #expect(Set(store.uploads.values.map(\.key)) == ["in/a.bin", "in/c.bin"])
                try await test(storages[0], name)
                await content.close()
            }
        }
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: [0, 1, 2, 3])
    func `A file that isn't exactly the one that was begun early is begun anew`(other: Int) async throws {
        let store = try FakeStore(smallestPart: 50)
        let path = try #require(SafePath(other == 1 ? "other.bin" : "a.bin"))
        try await Self.claiming(store) { storage, name in
            var file = IncomingFile(path, contentType: other == 2 ? "text/html" : "text/plain", length: 4_000)
            if other == 3 { file.metadata = ["Order": "17"] }
            let upload = try #require(try await storage.begin(file, fromUpload: name, 155..<4_155))
            #expect(try await upload.finish() == path.text)
        }
        #expect(Self.stored(store) == [path.text: Self.files[0].1])
        #expect(store.objects["in/\(path.text)"]?.type == (other == 2 ? "text/html" : "text/plain"))
        // Of c.bin, which nobody wants, too.
        #expect(store.count("Create") == (other == 0 ? 2 : 3))
    }

    @Test func `With bytes that are cut off, what was copied of them goes, before others come`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await BucketUploadsTests.with(store, smallestPart: 50, leastEarlyFile: 200) { storages in
            let uploads = BucketUploads(storages[0])
            let intake = UploadIntake(storage: storages[0], limits: ReceivingLimits())
            try await EarlyNaming.$current.withValue(EarlyNaming(intake)) {
                try await uploads.create("a", record: [1])
                let content = try #require(try await uploads.open("a") as? BucketContent)
                let type = "multipart/form-data; boundary=b"
                await content.observe(UploadObservation(form: type, digestsFiles: true, algorithms: []))
                try await content.append(Self.form, at: 0)
                try await content.sync()
                #expect(store.uploads.count == 2)
                try await content.truncate(to: 0)
                #expect(store.uploads.isEmpty)
                await content.close()
            }
        }
    }

    @Test func `Before a form is read, what was begun of it is abandoned`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.claiming(store) { storage, name in
            await storage.reads(upload: name)
            #expect(store.uploads.isEmpty)
        }
    }

    @Test func `If a hook decides when the upload is complete, nothing is known before`() throws {
        let intake = UploadIntake(storage: DiscardingStorage(), limits: ReceivingLimits())
        var terms = UploadTerms(link: "l", folder: "x/y")
        terms.metadata = ["Order": "17"]
        let file = try #require(EarlyNaming(intake).file("C:\\a.bin", "text/plain", terms.stored))
        #expect(file.path.text == "x/y/a.bin" && file.metadata == ["Order": "17"] && file.contentType == "text/plain")
        #expect(EarlyNaming(intake).file("", nil, nil) == nil)
        #expect(EarlyNaming(intake).file("a", nil, [1]) == nil)
        #expect(EarlyNaming(intake, isAsked: true).file("a.bin", nil, terms.stored) == nil)
        terms.asked = HookEvent.Upload(upload: "u", protocol: "tus", method: "POST", path: "/", peer: "::1")
        #expect(EarlyNaming(intake, isAsked: true).file("a.bin", nil, terms.stored)?.path.text == "x/y/a.bin")
    }

    @Test func `A form that turns out to be none leaves nothing`() async throws {
        let store = try FakeStore(smallestPart: 50)
        let form = Array(Self.form.dropLast(60)) + Array(repeating: 0x78, count: 60)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(form)
            let answer = try await receivers[0].request("PATCH \(path)", BucketUploadsTests.patch(0), form)
            #expect(answer.status == 400)
            #expect(store.count("UploadPartCopy") > 40)
        }
        #expect(Self.stored(store).isEmpty)
    }

    @Test func `A receiver that is overtaken leaves nothing, and the other's files have their names`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store, receivers: 2) { receivers in
            let path = try await receivers.create(Self.form)
            let connection = try await receivers.begin(path, Self.form, but: 100)
            try await receivers.copied(50)
            try await receivers.complete(path, Self.form, by: 1)
            await connection.send(Array(Self.form.suffix(100)))
            _ = await connection.receiveAll()
            #expect(try await receivers[0].eventually { store.uploads.isEmpty })
        }
        #expect(Self.stored(store) == Self.whole)
    }

    /// Each request to the store of a form that arrives whole, by its kind.
    private static let kills =
        [1, 2].flatMap { [("Create", $0), ("Complete", $0), ("ListUploads", $0), ("ListUploads", $0 + 2)] }
        + [1, 2, 9, 30, 40, 45, 58].map { ("UploadPartCopy", $0) } + [1, 2].map { ("UploadPart", $0) }
        + (1...9).map { ("Head", $0) } + stride(from: 1, to: 90, by: 4).map { ("Put", $0) }

    @Test(arguments: kills)
    func `What a killed receiver copied early another removes, and each file is there once`(
        operation: String, number: Int
    ) async throws {
        let count = Local(0)
        let (isOpen, isCut) = (Local(true), Local(false))
        // From this request on nothing of the first receiver reaches the store.
        let store = try FakeStore(smallestPart: 50) { name, _ in
            guard !isOpen.value else { return nil }
            if name == operation { count.value += 1 }
            if count.value >= number { isCut.value = true }
            return isCut.value ? .answer(403, "InvalidAccessKeyId") : nil
        }
        let isNoted = Local(true)
        try await BucketUploadsTests.with(store, receivers: 3, smallestPart: 50, leastEarlyFile: 200) { storages in
            let uploads = storages.map { UploadStore(storage: BucketUploads($0), options: Self.options) }
            let path = Local("")
            try await TestReceiver.run(storage: storages[0], store: uploads[0]) { receiver in
                let receivers = Receivers(all: [receiver], store: store)
                path.value = try await receivers.create(Self.form)
                isOpen.value = false
                _ = try await receiver.request("PATCH \(path.value)", BucketUploadsTests.patch(0), Self.form)
                isOpen.value = true
                let noted = (try? receivers.state(of: path.value).placings) ?? []
                isNoted.value = store.uploads.keys.allSatisfy { id in noted.contains { $0.upload == id } }
            }
            try await TestReceiver.run(storage: storages[1], store: uploads[1]) { receiver in
                try await Receivers(all: [receiver], store: store).complete(path.value, Self.form, by: 0)
            }
            // Only what was begun, and not yet noted, is left to a sweep.
            if isNoted.value { #expect(store.uploads.isEmpty) }
            try await storages[2].sweep()
        }
        let stored = Self.stored(store)
        for (name, text) in Self.files {
            #expect(stored.values.count { $0 == text } == 1, "\(name)")
            if isNoted.value { #expect(stored[name] == text) }
        }
        #expect(stored.count == Self.files.count)
        #expect(store.uploads.isEmpty)
    }

    @Test func `An upload that is cancelled after its receiver was killed keeps no name`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store, receivers: 2) { receivers in
            let path = try await receivers.create(Self.form)
            // Left by a receiver that was killed.
            let key = "\(BucketUploadsTests.folder)\(path.split(separator: "/").last ?? "").json"
            var state = try receivers.state(of: path)
            state.placings = [BucketState.Placing(key: "in/a.bin", upload: "left", marker: "m")]
            store.add("left", FakeStore.Upload(key: "in/a.bin", marker: "m"))
            store.replace(key, try state.encoded())
            let answer = try await receivers[1].request("DELETE \(path)", ["Tus-Resumable: 1.0.0"])
            #expect(answer.status == 204)
        }
        #expect(store.objects.isEmpty)
    }
}
#endif
