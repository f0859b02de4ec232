import FormworkResumable
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import FormworkReceiver

/// Forms in a bucket whose large files are placed without passing through a receiver again.
@Suite(.timeLimit(.minutes(10))) struct BucketFormTests {
    static func text(_ count: Int, _ seed: Int) -> String {
        let letters = (0..<count).map { place -> UInt8 in
            let noise: Int = (place &* 31) ^ (place >> 3) ^ seed
            return UInt8(97 + noise % 26)
        }
        return String(decoding: letters, as: UTF8.self)
    }

    /// Two files that are large for a store whose parts have at least 50 bytes, a small one, and two fields.
    private static let files = [("a.bin", text(1_000, 1)), ("b.bin", text(30, 2)), ("c.bin", text(451, 3))]
    private static let form = Array(
        formBody([
            ("title", "Harbour"), ("a;a.bin", files[0].1), ("b;b.bin", files[1].1), ("c;c.bin", files[2].1),
            ("note", "dawn"),
        ]).utf8)
    /// `printf … | sha256sum` of the large files.
    private static let digests = [
        "09c39668e3408fa7273c61db78dfaf0581319fbedcb156ebbc85b343d3dfb0a0",
        "b8704a1364a8e88dad037c032d764dde5ab67787f7f2f13819153845b16f9b0c",
    ]

    private static let contentType = "content-type bXVsdGlwYXJ0L2Zvcm0tZGF0YTsgYm91bmRhcnk9Yg=="

    /// Receivers that share a store, whose requests are sent as one test needs.
    private struct Receivers {
        var all: [TestReceiver] = []

        subscript(index: Int) -> TestReceiver { self.all[index % self.all.count] }

        func create(_ form: [UInt8]) async throws -> String {
            let created = try await self[0].request(
                "POST /",
                [
                    "Tus-Resumable: 1.0.0", "Upload-Length: \(form.count)",
                    "Upload-Metadata: \(BucketFormTests.contentType)",
                ])
            #expect(created.status == 201)
            return try #require(created.field("Location"))
        }

        /// Sends a form in pieces, each to the next receiver, and has it stored.
        func send(_ form: [UInt8], cutAt cuts: [Int]) async throws {
            let path = try await self.create(form)
            var start = 0
            for (index, end) in (cuts + [form.count]).enumerated() where end > start {
                let answer = try await self[index].request(
                    "PATCH \(path)", BucketUploadsTests.patch(start), Array(form[start..<end]))
                #expect(answer.status == 204, "\(answer)")
                start = end
            }
        }
    }

    private static func options(_ isDigesting: Bool) -> UploadStoreOptions {
        var options = UploadStoreOptions()
        options.digestsFiles = isDigesting
        return options
    }

    /// Runs two receivers.
    private static func with(
        _ store: FakeStore, isDigesting: Bool = true,
        _ change: @escaping @Sendable (inout ReceiverOptions) -> Void = { _ in },
        _ test: @escaping @Sendable (Receivers) async throws -> Void
    ) async throws {
        try await BucketUploadsTests.with(store, receivers: 2, smallestPart: 50) { storages in
            let uploads = storages.map { UploadStore(storage: BucketUploads($0), options: Self.options(isDigesting)) }
            try await TestReceiver.run(
                {
                    $0.keeping.isDigesting = isDigesting
                    change(&$0)
                }, storage: storages[0], store: uploads[0]
            ) { first in
                try await TestReceiver.run(
                    { $0.keeping.isDigesting = isDigesting }, storage: storages[1], store: uploads[1]
                ) { second in try await test(Receivers(all: [first, second])) }
            }
        }
    }

    /// The names of stored files, with their bytes; the record of the fields isn't among them.
    private static func stored(_ store: FakeStore) -> [String: String] {
        var found: [String: String] = [:]
        for (key, object) in store.objects where !key.hasPrefix(BucketUploadsTests.folder) && !key.hasSuffix(".json") {
            found[String(key.dropFirst(3))] = String(decoding: object.bytes, as: UTF8.self)
        }
        return found
    }

    private static func state(of path: String, in store: FakeStore) throws -> BucketState {
        let key = "\(BucketUploadsTests.folder)\(path.split(separator: "/").last ?? "").json"
        return try #require(store.objects[key].flatMap { BucketState($0.bytes) })
    }

    private static let whole = Dictionary(uniqueKeysWithValues: files)

    @Test func `Of a form that two receivers took only the edges of its large files are read again`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            // In the middle of the first file.
            try await receivers.send(Self.form, cutAt: [700])
            for (name, digest) in zip(["a.bin", "c.bin"], Self.digests) {
                #expect(
                    receivers[1].log.all.contains { $0.contains(name) && $0.contains(digest) },
                    "\(receivers[1].log.all)")
            }
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(
            store.objects["in/a.bin.form.json"].map { String(decoding: $0.bytes, as: UTF8.self).contains("Harbour") }
                == true)
        #expect(Self.form.count == 1_893)
        // Field, headers and the small file, the parts' edges, and the bytes that were no part when the receiver changed.
        #expect(store.bytesRead == 542)
        #expect(store.count("UploadPartCopy") == 15)
        // Of the upload only its record with the answer is left.
        #expect(store.objects.keys.count { $0.hasPrefix(BucketUploadsTests.folder) } == 1)
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: stride(from: 1, to: form.count, by: 41).map { $0 })
    func `Wherever a form is cut, its files are whole`(cut: Int) async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            try await receivers.send(Self.form, cutAt: [cut, min(cut + 3, Self.form.count)])
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("UploadPartCopy") > 8)
        #expect(store.bytesRead < 1_200)
        #expect(store.uploads.isEmpty)
    }

    @Test func `Without digests, or with some that aren't known, the files are whole`() async throws {
        var store = try FakeStore(smallestPart: 50)
        try await Self.with(store, isDigesting: false) { receivers in
            try await receivers.send(Self.form, cutAt: [700])
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("UploadPartCopy") > 8)
        // States without maps, as earlier versions wrote them.
        store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { [store] receivers in
            let path = try await receivers.create(Self.form)
            _ = try await receivers[0].request("PATCH \(path)", BucketUploadsTests.patch(0), Array(Self.form[..<700]))
            let key = "\(BucketUploadsTests.folder)\(path.split(separator: "/").last ?? "").json"
            var state = try Self.state(of: path, in: store)
            #expect(state.bytes.map != nil)
            (state.bytes.map, state.mark) = (nil, nil)
            store.replace(key, try state.encoded())
            let answer = try await receivers[1].request(
                "PATCH \(path)", BucketUploadsTests.patch(700), Array(Self.form[700...]))
            #expect(answer.status == 204)
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("UploadPartCopy") == 0)
    }

    @Test func `A store that copies no parts is found out once, and the files are read`() async throws {
        let store = try FakeStore(smallestPart: 50) { operation, _ in
            operation == "UploadPartCopy" ? .answer(501, "NotImplemented") : nil
        }
        let copies = Local(0)
        try await Self.with(store) { receivers in
            try await receivers.send(Self.form, cutAt: [700, 720])
            copies.value = store.count("UploadPartCopy")
            try await receivers.send(Self.form, cutAt: [700, 720])
        }
        #expect(Self.stored(store).count == 6)
        #expect(Self.stored(store)["a (1).bin"] == Self.files[0].1)
        // Those of the first file that were on their way.
        #expect(1...16 ~= copies.value && store.count("UploadPartCopy") == copies.value)
        #expect(store.uploads.isEmpty)
    }

    @Test(arguments: [("UploadPartCopy", 14), ("Complete", 2)])
    func `The files of a form are copied at once, and made at once`(operation: String, count: Int) async throws {
        let isHeld = Local(false)
        // The first copy shows that the store copies, so it is waited for.
        let store = try FakeStore(smallestPart: 50) { name, number in
            name == operation && (name == "Complete" || number > 1) ? .hold : nil
        }
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            let sending = Task {
                try await receivers[0].request("PATCH \(path)", BucketUploadsTests.patch(0), Self.form)
            }
            // Those of both files: neither waits for the other's.
            isHeld.value = try await receivers[0].eventually { store.held == count }
            store.release()
            #expect(try await sending.value.status == 204)
        }
        #expect(isHeld.value)
        #expect(Self.stored(store) == Self.whole)
    }

    @Test func `The files of a form are begun at once, but of two with one name the first gets it`() async throws {
        let isHeld = Local(false)
        let texts = (0..<4).map { Self.text(300 + $0, $0) }
        let names = ["a.bin", "b.bin", "a.bin", "c.bin"]
        let form = Array(formBody(zip(names, texts).map { ("f;\($0)", $1) }).utf8)
        let store = try FakeStore(smallestPart: 50) { name, number in
            name == "Create" && number > 1 ? .hold : nil
        }
        try await Self.with(store) { receivers in
            let path = try await receivers.create(form)
            let sending = Task {
                try await receivers[0].request("PATCH \(path)", BucketUploadsTests.patch(0), form)
            }
            // b.bin, the second a.bin and c.bin, since the first a.bin has its name.
            isHeld.value = try await receivers[0].eventually { store.held == 3 }
            store.release()
            #expect(try await sending.value.status == 204)
        }
        #expect(isHeld.value)
        let expected = ["a.bin": texts[0], "b.bin": texts[1], "a (1).bin": texts[2], "c.bin": texts[3]]
        #expect(Self.stored(store) == expected)
        #expect(store.uploads.isEmpty)
    }

    @Test func `Files of a form that don't depend on each other's names are made at once`() async throws {
        let isHeld = Local(false)
        let store = try FakeStore(smallestPart: 50) { operation, _ in operation == "Put" ? .hold : nil }
        try await S3StorageTests.with(store) { storage in
            try await TestReceiver.run(storage: storage) { receiver in
                let body = formBody([("f;a.txt", "1"), ("f;b.txt", "2"), ("f;c.txt", "3"), ("f;c.txt", "4")])
                let type = "Content-Type: multipart/form-data; boundary=b"
                let sending = Task { try await receiver.request("POST /", [type], body) }
                isHeld.value = try await receiver.eventually { store.held == 2 }
                store.release()
                #expect(try await sending.value.status == 201)
            }
        }
        #expect(isHeld.value)
        let names = ["in/a.txt", "in/b.txt", "in/c.txt", "in/c (1).txt"]
        let bytes: [[UInt8]?] = [[49], [50], [51], [52]]
        #expect(names.map { store.objects[$0]?.bytes } == bytes)
    }

    @Test(arguments: [true, false])
    func `The pieces of a complete upload are deleted with one request, if the store has that`(has: Bool) async throws {
        let store = try FakeStore(smallestPart: 50) { operation, _ in
            operation == "DeleteObjects" && !has ? .answer(501, "NotImplemented") : nil
        }
        try await Self.with(store) { receivers in try await receivers.send(Self.form, cutAt: []) }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("DeleteObjects") == 1)
        #expect((store.count("Delete") > 15) == !has)
        #expect(store.objects.keys.count { $0.hasPrefix(BucketUploadsTests.folder) } == 1)
    }

    @Test func `The place of an error is that in the form, not in what was read of it`() async throws {
        let store = try FakeStore(smallestPart: 50)
        let large = String(repeating: "x", count: 1_000)
        // A field that is too long, after a large file.
        let body = Array(formBody([("a;a.bin", large), ("note", "too long")]).utf8)
        let logged = Local([String]())
        try await Self.with(store, { $0.limits.fieldBytes = 5 }) { receivers in
            let path = try await receivers.create(body)
            #expect(try await receivers[0].status("PATCH \(path)", BucketUploadsTests.patch(0), body) == 413)
            logged.value = receivers[0].log.all
        }
        #expect(store.count("UploadPartCopy") > 0)
        let line = logged.value.first { $0.hasPrefix("upload failed") } ?? ""
        #expect(line.contains("[body offset 1152]"), "\(line)")
    }

    @Test func `A form whose digest is wrong is refused, and nothing of it is stored`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            let wrong = "Upload-Checksum: sha1 AAAAAAAAAAAAAAAAAAAAAAAAAAA="
            let first = Array(Self.form[..<720])
            #expect(try await receivers[0].status("PATCH \(path)", BucketUploadsTests.patch(0) + [wrong], first) == 460)
            #expect(try await receivers[1].request("PATCH \(path)", BucketUploadsTests.patch(0), first).status == 204)
            // In the middle of the file, too: what was found in the wrong bytes is forgotten.
            let bytes = formBody([("x;x.bin", Self.text(300, 4))], boundary: "b").utf8
            let other = try await receivers[0].request(
                "PATCH \(path)", BucketUploadsTests.patch(720) + [wrong], Array("\r\n".utf8) + Array(bytes))
            #expect(other.status == 460)
            // Of these no part is sent.
            let few = try await receivers[0].request(
                "PATCH \(path)", BucketUploadsTests.patch(720) + [wrong], Array("\r\n--b\r\nX: y".utf8))
            #expect(few.status == 460)
            let rest = Array(Self.form[720...])
            #expect(try await receivers[1].request("PATCH \(path)", BucketUploadsTests.patch(720), rest).status == 204)
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("UploadPartCopy") > 8)
    }

    /// The requests at which a receiver is killed: the first and the fifth copy, the requests that make the two large files,
    /// and each that writes a piece, a state or a small file.
    private static let kills =
        [("UploadPartCopy", 1), ("UploadPartCopy", 5), ("Complete", 1), ("Complete", 2)] + (1...16).map { ("Put", $0) }

    @Test(arguments: kills)
    func `What a killed receiver began another finishes, and each file is there once`(
        operation: String, number: Int
    ) async throws {
        // From this request on nothing of the first receiver reaches the store.
        let count = Local(0)
        let isNoted = Local(true)
        let (isOpen, isCut) = (Local(true), Local(false))
        let store = try FakeStore(smallestPart: 50) { name, _ in
            guard !isOpen.value else { return nil }
            if name == operation { count.value += 1 }
            if count.value >= number { isCut.value = true }
            // Any other refusal of a copy would show that the store copies nothing, and everything would be read.
            return isCut.value ? .answer(403, "InvalidAccessKeyId") : nil
        }
        try await BucketUploadsTests.with(store, receivers: 3, smallestPart: 50) { storages in
            let uploads = storages.map { UploadStore(storage: BucketUploads($0), options: Self.options(true)) }
            let path = Local("")
            try await TestReceiver.run(storage: storages[0], store: uploads[0]) { receiver in
                path.value = try await Receivers(all: [receiver]).create(Self.form)
                let path = path.value
                _ = try await receiver.request("PATCH \(path)", BucketUploadsTests.patch(0), Array(Self.form[..<1_800]))
                isOpen.value = false
                let rest = Array(Self.form[1_800...])
                let answer = try await receiver.request("PATCH \(path)", BucketUploadsTests.patch(1_800), rest)
                // What is written last is the answer, which is kept in memory without the store. How many writes there are
                // before depends on how many files are noted together.
                #expect(answer.status == 204 || isCut.value, "\(answer)")
                if operation != "Put" || number < 10 { #expect(answer.status != 204, "\(answer)") }
                isOpen.value = true
                // Before its first part, each of the store's uploads is noted.
                let noted = try Self.state(of: path, in: store).placings ?? []
                if operation == "UploadPartCopy" { #expect(noted.contains { $0.upload != nil }) }
                isNoted.value = store.uploads.keys.allSatisfy { id in noted.contains { $0.upload == id } }
            }
            try await TestReceiver.run(storage: storages[1], store: uploads[1]) { receiver in
                let path = path.value
                let told = try await receiver.request("HEAD \(path)", ["Tus-Resumable: 1.0.0"])
                let offset = try #require(told.field("Upload-Offset").flatMap { Int($0) })
                guard offset < Self.form.count else { return }
                let rest = Array(Self.form[offset...])
                #expect(try await receiver.status("PATCH \(path)", BucketUploadsTests.patch(offset), rest) == 204)
            }
            // If it is killed after it has begun a file in the store, and before it has noted that, the name stays taken.
            if isNoted.value { #expect(store.uploads.isEmpty) }
            try await storages[2].sweep()
        }
        // Both were copied, by the second receiver if the first was killed: nobody thinks that the store can't.
        if operation == "UploadPartCopy" { #expect(store.count("UploadPartCopy") >= 15 + number) }
        let stored = Self.stored(store)
        for (name, text) in Self.files {
            #expect(stored.values.count { $0 == text } == 1, "\(name)")
            if isNoted.value { #expect(stored[name] == text) }
        }
        #expect(stored.count == Self.files.count)
        let records = store.objects.keys.filter { !$0.hasPrefix(BucketUploadsTests.folder) && $0.hasSuffix(".json") }
        #expect(records.count == 1)
        #expect(store.uploads.isEmpty)
    }

    @Test func `With little memory the files are copied, too`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(
            store, isDigesting: false, { $0.memory = ReceiverMemory(limit: ReceiverMemory.readBytes + 128, least: 128) }
        ) { receivers in
            let path = try await receivers.create(Self.form)
            #expect(try await receivers[0].status("PATCH \(path)", BucketUploadsTests.patch(0), Self.form) == 204)
        }
        #expect(Self.stored(store) == Self.whole)
        #expect(store.count("UploadPartCopy") > 8)
        #expect(store.uploads.isEmpty)
    }

    @Test func `A form that turns out to be none leaves nothing`() async throws {
        let store = try FakeStore(smallestPart: 50)
        let form = Array(Self.form.dropLast(60)) + Array(repeating: 0x78, count: 60)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(form)
            #expect(try await receivers[0].status("PATCH \(path)", BucketUploadsTests.patch(0), form) == 400)
        }
        #expect(Self.stored(store).isEmpty)
        #expect(store.uploads.isEmpty)
    }

    @Test func `An upload that is cancelled after its receiver was killed keeps no name`() async throws {
        let store = try FakeStore(smallestPart: 50)
        try await Self.with(store) { receivers in
            let path = try await receivers.create(Self.form)
            // Left by a receiver that was killed.
            let key = "\(BucketUploadsTests.folder)\(path.split(separator: "/").last ?? "").json"
            var state = try Self.state(of: path, in: store)
            state.placings = [BucketState.Placing(key: "in/a.bin", upload: "left", marker: "m")]
            store.add("left", FakeStore.Upload(key: "in/a.bin", marker: "m"))
            store.replace(key, try state.encoded())
            #expect(try await receivers[1].status("DELETE \(path)", ["Tus-Resumable: 1.0.0"]) == 204)
        }
        #expect(store.objects.isEmpty)
    }
}
