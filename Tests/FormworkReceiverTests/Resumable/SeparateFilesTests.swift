@testable import Formwork
import FormworkDigests
@testable import FormworkReceiver
@testable import FormworkResumable
import FormworkSystem
import Foundation
import TestSupport
import Testing

/// Large files of a form get files of their own while the form arrives, so that none has to be copied.
@Suite(.timeLimit(.minutes(10))) struct SeparateFilesTests {
    private static let name = "0123456789abcdef0123456789abcdef"

    private static func options() -> UploadStoreOptions {
        var options = UploadStoreOptions()
        (options.digestsFiles, options.findsFiles) = (true, true)
        return options
    }

    /// Bytes that look like the ends of parts.
    private static func content(_ count: Int, _ seed: UInt8) -> [UInt8] {
        let block = Array("x--b\r\n-\r\n--\r\n--bb\r\r\n\r\n".utf8) + (0..<200).map { $0 ^ seed }
        return Array((0..<count / block.count + 1).flatMap { _ in block }.prefix(count))
    }

    private static let files: [(name: String, bytes: [UInt8])] = [
        ("small", content(100, 1)), ("a", content(3 << 20, 2)), ("b", content((1 << 20) + 1, 3)), ("empty", []),
        ("a", content(2 << 20, 4)), ("last", content(5 << 20, 5)),
    ]

    private static let body: [UInt8] = {
        var body = Array("--b\r\nContent-Disposition: form-data; name=\"n\"\r\n\r\nfield\r\n".utf8)
        for file in files {
            body += Array(
                "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(file.name)\"\r\n\r\n".utf8)
            body += file.bytes + Array("\r\n".utf8)
        }
        return body + Array("--b--\r\n".utf8)
    }()

    private static let version = "Upload-Draft-Interop-Version: 8"

    /// Sends the form in pieces.
    /// - Parameter before: Called before the last one.
    private func send(
        _ receiver: TestReceiver, pieces: [Range<Int>], to path: String? = nil,
        before: (_ name: String) throws -> Void = { _ in }
    ) async throws -> (path: String, status: Int) {
        var (path, status) = (path, 0)
        if path == nil {
            let created = try await receiver.request(
                "POST /",
                [
                    Self.version, "Upload-Complete: ?0", "Upload-Length: \(Self.body.count)",
                    "Content-Type: multipart/form-data; boundary=b", "Content-Length: 0",
                ])
            path = created.field("Location")
        }
        let location = try #require(path)
        for piece in pieces {
            let isLast = piece.upperBound == Self.body.count
            if isLast { try before(String(try #require(location.split(separator: "/").last))) }
            let fields = [
                Self.version, "Content-Type: application/partial-upload", "Upload-Offset: \(piece.lowerBound)",
                "Upload-Complete: \(isLast ? "?1" : "?0")",
            ]
            status = try await receiver.request("PATCH \(location)", fields, Array(Self.body[piece])).status
        }
        return (location, status)
    }

    private static func pieces(of size: Int) -> [Range<Int>] {
        stride(from: 0, to: body.count, by: size).map { $0..<min($0 + size, body.count) }
    }

    private func check(_ folder: TemporaryFolder, _ list: RawAnswer, copied: [String: UInt64]) throws {
        let names = ["small", "a", "b", "empty", "a (1)", "last"]
        for (name, file) in zip(names, Self.files) {
            let url = URL(filePath: folder.path.appending(name).string)
            #expect(try Data(contentsOf: url) == Data(file.bytes), "\(name)")
            let digest = Hex.text(SHA256Digest.digest(of: file.bytes))
            #expect(list.body.contains(digest), "\(name)")
        }
        for (name, inode) in copied {
            let status = try SystemCalls.status(of: folder.path.appending(name))
            #expect(status.validator.inode == inode && status.links == 1, "\(name)")
        }
    }

    @Test(arguments: [(300_000, true), (1 << 20, false), (4_000_000, true), (20_000_000, false)])
    func `A form's large files are not copied`(size: Int, isDurable: Bool) async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        var options = Self.options()
        options.isDurable = isDurable
        // Two files of one form never replace each other.
        let storage = try FolderStorage(folder.path, replacing: true, durably: isDurable)
        try await TestReceiver.run(in: folder, storage: storage, store: UploadStore(place, options: options)) {
            receiver in
            let inodes = Local([String: UInt64]())
            let (_, status) = try await self.send(receiver, pieces: Self.pieces(of: size)) { name in
                guard size < 2 << 20 else { return }
                for (number, file) in [(1, "a"), (3, "b"), (5, "a (1)"), (7, "last")] {
                    let path = place.appending("\(name).\(number).data")
                    inodes.value[file] = try SystemCalls.status(of: path).validator.inode
                }
            }
            #expect(status == 201)
            try self.check(folder, try await receiver.request("GET /files.json"), copied: inodes.value)
            #expect(inodes.value.count == (size < 2 << 20 ? 4 : 0))
            let kept = try FileManager.default.contentsOfDirectory(atPath: place.string)
            #expect(kept.count == 1 && kept[0].hasSuffix(".json"))
        }
    }

    @Test(arguments: [700_000, 2_500_000])
    func `Another receiver continues with each piece`(size: Int) async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        let path = Local<String?>(nil)
        for piece in Self.pieces(of: size) {
            let store = UploadStore(place, options: Self.options())
            try await TestReceiver.run(in: folder, store: store) { receiver in
                let sent = try await self.send(receiver, pieces: [piece], to: path.value)
                path.value = sent.path
                #expect(sent.status == (piece.upperBound == Self.body.count ? 201 : 204))
                if piece.upperBound == Self.body.count {
                    try self.check(folder, try await receiver.request("GET /files.json"), copied: [:])
                }
            }
        }
        let kept = try FileManager.default.contentsOfDirectory(atPath: place.string)
        #expect(kept.count == 1 && kept[0].hasSuffix(".json"))
    }

    @Test func `A cancelled form leaves nothing, and counts as many bytes as it has`() async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        let store = UploadStore(place, options: Self.options())
        try await TestReceiver.run(in: folder, store: store) { receiver in
            let (path, status) = try await self.send(receiver, pieces: [0..<2 << 20, 2 << 20..<9_000_000])
            #expect(status == 204)
            let files = try FileManager.default.contentsOfDirectory(atPath: place.string)
            #expect(files.filter { $0.hasSuffix(".data") }.count == 8)
            let other = UploadStore(place, options: Self.options())
            #expect(await other.list().map(\.offset) == [9_000_000])
            #expect(try await receiver.status("DELETE \(path)", [Self.version]) == 204)
            #expect(try FileManager.default.contentsOfDirectory(atPath: place.string) == [])
        }
    }

    @Test func `Bytes with a wrong digest are taken back, with the files that began in them`() async throws {
        let folder = TemporaryFolder()
        let place = folder.path.appending(".formwork-resumable")
        let store = UploadStore(place, options: Self.options())
        try await TestReceiver.run(in: folder, store: store) { receiver in
            let (path, _) = try await self.send(receiver, pieces: [0..<2 << 20])
            var wrong = Array(Self.body[2 << 20..<8 << 20])
            wrong[5_000_000] ^= 1
            let digest = Base64.encode(SHA256Digest.digest(of: Array(Self.body[2 << 20..<8 << 20])))
            let fields = [
                Self.version, "Content-Type: application/partial-upload", "Upload-Offset: \(2 << 20)",
                "Upload-Complete: ?0", "Content-Digest: sha-256=:\(digest):",
            ]
            #expect(try await receiver.request("PATCH \(path)", fields, wrong).status == 400)
            let head = try await receiver.request("HEAD \(path)", [Self.version])
            #expect(head.field("Upload-Offset") == "\(2 << 20)")
            let files = try FileManager.default.contentsOfDirectory(atPath: place.string)
            #expect(files.filter { $0.hasSuffix(".data") }.count == 2)
            let (_, status) = try await self.send(
                receiver, pieces: [2 << 20..<8 << 20, 8 << 20..<Self.body.count], to: path)
            #expect(status == 201)
            try self.check(folder, try await receiver.request("GET /files.json"), copied: [:])
        }
    }

    // MARK: what a killed process leaves

    private func open(_ folder: TemporaryFolder, _ starts: [Int64]) async throws -> (FolderContent, [Int64]) {
        let uploads = FolderUploads(folder: folder.path, isDurable: false)
        let content = try #require(try await uploads.open(Self.name, for: nil) as? FolderContent)
        return (content, try content.open(starts))
    }

    private func text(_ content: FolderContent) async throws -> String {
        let count = try content.count()
        let bytes = try await content.finished(count: count).bytes(upTo: 1_000)
        return "\(count) \(String(decoding: bytes, as: UTF8.self))"
    }

    private func begin(_ folder: TemporaryFolder) throws {
        _ = try AppendedFile(folder.path.appending("\(Self.name).data"), creating: true)
    }

    @Test func `A process may be killed between the steps that give a file its own`() async throws {
        let folder = TemporaryFolder()
        try self.begin(folder)
        var (content, starts) = try await self.open(folder, [])
        try content.append(Array("headFILE".utf8))
        try content.prepareSplit(at: 4)
        await content.close()
        // Before the record was written, and after.
        (content, starts) = try await self.open(folder, [])
        #expect(starts == [] && folder.names == ["\(Self.name).data"])
        #expect(try await self.text(content) == "8 headFILE")
        try content.prepareSplit(at: 4)
        await content.close()
        (content, starts) = try await self.open(folder, [4])
        #expect(starts == [4])
        #expect(try folder.text(of: "\(Self.name).data") == "head")
        #expect(try await self.text(content) == "8 headFILE")
        // After all steps.
        try content.append(Array("-tail".utf8))
        try content.prepareSplit(at: 8)
        content.split()
        try content.append(Array("!".utf8))
        #expect(try await self.text(content) == "14 headFILE-tail!")
        #expect(try content.bytes(at: 2, upTo: 10) == Array("ad".utf8))
        #expect(try content.bytes(at: 5, upTo: 2) == Array("IL".utf8))
        #expect(try content.bytes(at: 9, upTo: 10) == Array("tail!".utf8))
        await content.close()
        (content, starts) = try await self.open(folder, [4, 8])
        #expect(try await self.text(content) == "14 headFILE-tail!")
        #expect(try folder.text(of: "\(Self.name).1.data") == "FILE")
        await content.close()
        // The record was changed to take bytes back, and the files weren't.
        (content, starts) = try await self.open(folder, [4])
        #expect(folder.names == ["\(Self.name).1.data", "\(Self.name).data"])
        #expect(try await self.text(content) == "8 headFILE")
        try await content.truncate(to: 2)
        #expect(content.starts(within: 2) == [] && folder.names == ["\(Self.name).data"])
        #expect(try await self.text(content) == "2 he")
    }

    @Test(arguments: [[.max], [.min], [4, .min], [0, 0, .max]] as [[Int64]])
    func `A damaged record may name any offsets`(damaged: [Int64]) async throws {
        let folder = TemporaryFolder()
        try self.begin(folder)
        let (content, _) = try await self.open(folder, [])
        try content.append(Array("headFILE".utf8))
        try content.prepareSplit(at: 4)
        content.split()
        await content.close()
        let (again, starts) = try await self.open(folder, damaged)
        #expect(starts.count <= damaged.count && starts.allSatisfy { 0...8 ~= $0 })
        #expect(try again.count() <= 8)
    }

    @Test func `Files that a loss of power took are not counted`() async throws {
        for (lost, expected) in [("", "6 headFI"), (".1", "4 head"), (".2", "8 headFILE")] {
            let folder = TemporaryFolder()
            try self.begin(folder)
            let (content, _) = try await self.open(folder, [])
            try content.append(Array("headFILEtail".utf8))
            try content.prepareSplit(at: 4)
            content.split()
            try content.prepareSplit(at: 8)
            content.split()
            await content.close()
            if lost.isEmpty {
                let path = folder.path.appending("\(Self.name).1.data")
                try AppendedFile(path, creating: false).truncate(to: 2)
            } else {
                AtomicFile.remove(folder.path.appending("\(Self.name)\(lost).data"))
            }
            let (again, starts) = try await self.open(folder, [4, 8])
            #expect(starts == (lost == ".1" ? [] : [4] as [Int64]))
            #expect(try await self.text(again) == expected)
            #expect(folder.names.count == starts.count + 1)
        }
    }
}
