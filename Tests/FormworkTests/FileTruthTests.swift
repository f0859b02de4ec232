import Foundation
@testable import Formwork
import TestSupport
import Testing

/// What somebody does to a file behind our back.
enum Meddling: String, CaseIterable, CustomTestStringConvertible {
    case shrinks, grows, isRewritten, isReplaced, isUnlinked, isRenamedAway, isRotated

    var testDescription: String { self.rawValue }

    func apply(to path: FilePath) throws {
        let url = URL(fileURLWithPath: path.string)
        let size = try contents(of: path).count
        switch self {
        case .shrinks: try self.open(path) { try $0.truncate(atOffset: UInt64(size - 1)) }
        case .grows:
            try self.open(path) {
                try $0.seekToEnd()
                try $0.write(contentsOf: Data([1]))
            }
        case .isRewritten: try self.open(path) { try $0.write(contentsOf: Data([0xEE])) }
        case .isReplaced: try Data(count: size).write(to: url, options: .atomic)
        case .isUnlinked: try FileManager.default.removeItem(at: url)
        case .isRenamedAway: try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("old"))
        case .isRotated:
            try FileManager.default.moveItem(at: url, to: url.appendingPathExtension("old"))
            try Data(count: size).write(to: url)
        }
    }

    /// The words that the error has to say.
    var words: String {
        switch self {
        case .shrinks: "shrank from 2000000 to 1999999 bytes"
        case .grows: "grew from 2000000 to 2000001 bytes"
        case .isRewritten: "was rewritten"
        case .isReplaced, .isRotated: "was replaced by another file"
        case .isUnlinked, .isRenamedAway: "was removed"
        }
    }

    private func open(_ path: FilePath, _ body: (FileHandle) throws -> Void) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path.string))
        try body(handle)
        try handle.close()
    }
}

/// How the body leaves.
enum WayOut: String, CaseIterable, CustomTestStringConvertible {
    case reading, pipe, socket, file, device

    var testDescription: String { self.rawValue }
}

@Suite("A file that changes is told, never sent short, padded or mixed", .timeLimit(.minutes(10)))
struct FileTruthTests {
    private let folder = TemporaryFolder()
    static let size = 2_000_000

    /// A form with a file of two million bytes between two fields.
    private func makePlan(_ folder: TemporaryFolder) throws -> (BodyPlan, FilePath) {
        let path = try folder.file("f.bin", (0..<Self.size).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        var form = formB()
        form.append(name: "before", value: "1")
        form.append(name: "file", file: path)
        form.append(name: "after", value: "2")
        return (try form.plan(), path)
    }

    private func check(_ error: FormworkError?, _ meddling: Meddling, _ path: FilePath) {
        #expect(error?.code == .sourceChanged)
        #expect(error?.part == PartReference(index: 1, name: "file"))
        #expect(error?.path == path.string)
        #expect(error?.offset != nil)
        #expect(error?.message.contains(meddling.words) == true, "\(error?.message ?? "no error")")
    }

    @Test("Between planning and opening, by every way out", arguments: Meddling.allCases, WayOut.allCases)
    func beforeOpening(meddling: Meddling, way: WayOut) throws {
        let (plan, path) = try self.makePlan(self.folder)
        try meddling.apply(to: path)
        let error = #expect(throws: FormworkError.self) { try Sink.drain(plan.makeReader(), by: way, self.folder) }
        self.check(error, meddling, path)
        #expect(!self.folder.names.contains("out"), "nothing half-written is left")
    }

    @Test("While it is read", arguments: Meddling.allCases, [0, 1, 400_000, 1_999_999])
    func whileReading(meddling: Meddling, after count: Int) throws {
        let (plan, path) = try self.makePlan(self.folder)
        let reader = plan.makeReader()
        let body = try plan.bytes(upTo: 3_000_000)
        let start = 167  // where the file's content begins
        #expect(plan.layout[3].offset == 167)
        var got = try reader.read(upTo: start + min(count, 1))
        while got.count < start + count { got += try reader.read(upTo: start + count - got.count) }
        #expect(got == Array(body.prefix(got.count)))
        try meddling.apply(to: path)
        let error = #expect(throws: FormworkError.self) { while try !reader.read(upTo: 10_000).isEmpty {} }
        self.check(error, meddling, path)
        #expect(throws: FormworkError.self, "a failed reader stays failed") { try reader.read(upTo: 1) }
    }

    @Test("While the kernel moves it", arguments: Meddling.allCases, [WayOut.pipe, .file])
    func whileMoving(meddling: Meddling, way: WayOut) throws {
        let (plan, path) = try self.makePlan(self.folder)
        // The first packet goes, then somebody meddles, then the rest: progress tells when.
        let options = ReaderOptions(
            rateLimit: RateLimit(packet: 200_000, delay: .zero),
            progress: { progress in
                guard progress.part?.name == "file", progress.partPosition == 200_000 else { return }
                try? meddling.apply(to: path)
            }, progressInterval: .zero)
        let error = #expect(throws: FormworkError.self) {
            // Framing is given up to the file first, so packets of the file begin at its first byte.
            let reader = try plan.makeReader(options: options)
            try Sink.drain(reader, by: way, self.folder)
        }
        self.check(error, meddling, path)
        #expect(!self.folder.names.contains("out"), "nothing half-written is left")
    }

    @Test("Behind its last byte nothing matters any more")
    func afterTheLastByte() throws {
        let (plan, path) = try self.makePlan(self.folder)
        let reader = plan.makeReader()
        var got = 0
        while got < 167 + Self.size { got += try reader.read(upTo: min(100_000, 167 + Self.size - got)).count }
        try Meddling.isUnlinked.apply(to: path)
        #expect(try !readAll(reader, by: 1000).isEmpty)
    }

    @Test("Touching only the inode is no change: chmod, or another link")
    func harmless() throws {
        let (plan, path) = try self.makePlan(self.folder)
        let reader = plan.makeReader()
        _ = try reader.read(upTo: 5000)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path.string)
        try FileManager.default.linkItem(atPath: path.string, toPath: path.string + ".link")
        #expect(try readAll(reader, by: 100_000).count == Int(plan.contentLength!) - 5000)
    }

    @Test(
        "A slice and a descriptor are held to the file's state too",
        arguments: [Meddling.shrinks, .grows, .isRewritten])
    func slicesAndDescriptors(meddling: Meddling) throws {
        let path = try self.folder.file("f.bin", [UInt8](repeating: 5, count: Self.size))
        let descriptor = try FileDescriptor.open(path, .readOnly)
        defer { try? descriptor.close() }
        for source in [BodySource.file(path, offset: 10, length: 20), .descriptor(descriptor)] {
            var form = formB()
            form.append(name: "s", source: source)
            let plan = try form.plan()
            #expect(try plan.bytes(upTo: 3_000_000).count > 20)
            let reader = plan.makeReader()
            let size = try contents(of: path).count
            try meddling.apply(to: path)
            let error = #expect(throws: FormworkError.self) { _ = try readAll(reader, by: 4096) }
            #expect(error?.code == .sourceChanged)
            if meddling == .shrinks {
                try Data(repeating: 5, count: size).write(to: URL(fileURLWithPath: path.string), options: [])
            }
        }
    }

    /// Such a place can be opened, but not read; or it leads nowhere.
    @Test(arguments: ["folder", "FIFO", "loop", "no folder"], ["0123456789", ""])
    func `A small file whose place is taken by something else has changed`(what: String, content: String) throws {
        try FileManager.default.createDirectory(
            atPath: self.folder.path.appending("d").string, withIntermediateDirectories: false)
        let path = try self.folder.file("d/f", content)
        var form = formB()
        form.append(name: "f", file: path)
        let plan = try form.plan()
        try FileManager.default.removeItem(atPath: path.string)
        switch what {
        case "folder":
            try FileManager.default.createDirectory(atPath: path.string, withIntermediateDirectories: false)
        case "FIFO": #expect(mkfifo(path.string, 0o600) == 0)
        case "loop":
            try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: path.string)
        default:
            try FileManager.default.removeItem(atPath: self.folder.path.appending("d").string)
            try self.folder.file("d", "")
        }
        let error = #expect(throws: FormworkError.self) { try plan.bytes(upTo: 1000) }
        #expect(error?.code == .sourceChanged, "\(error.map { "\($0)" } ?? "no error")")
        #expect(error?.part == PartReference(index: 0, name: "f"))
    }

    @Test("Files in a lazy sequence are held to their planned state")
    func lazyFiles() throws {
        let paths = try (0..<10).map { try self.folder.file("f\($0)", "content \($0)") }
        var form = formB()
        form.append(PartSequence(count: 10) { BodyPart(name: "f\($0)", file: paths[$0]) })
        let plan = try form.plan()
        let whole = try plan.bytes(upTo: 10_000)
        #expect(whole.count == 1167)
        try Data("other!".utf8).write(to: URL(fileURLWithPath: paths[7].string))
        let error = #expect(throws: FormworkError.self) { try plan.bytes(upTo: 10_000) }
        #expect(error?.code == .sourceChanged)
        #expect(error?.part == PartReference(index: 7, name: "f7"))
    }

    @Test("So are files in a sequence inside a part of another sequence, at every offset")
    func nestedLazyFiles() throws {
        let paths = try (0..<6).map { try self.folder.file("f\($0)", "content \($0)") }
        var form = formB()
        form.append(
            PartSequence(count: 3) { outer in
                var inner = FormData(framing: MultipartFraming(boundary: try Boundary("inner")))
                inner.append(PartSequence(count: 2) { BodyPart(name: "f\($0)", file: paths[2 * outer + $0]) })
                return BodyPart(name: "o\(outer)", multipart: inner)
            })
        let plan = try form.plan()
        let whole = try plan.bytes(upTo: 10_000)
        #expect(whole.count == Int(plan.contentLength!))
        for offset in stride(from: 0, to: whole.count, by: 97) {
            let reader = plan.makeReader()
            try reader.seek(to: Int64(offset))
            #expect(try readAll(reader, by: 100) == Array(whole[offset...]))
        }
        try Data("Content 3".utf8).write(to: URL(fileURLWithPath: paths[3].string))
        let error = #expect(throws: FormworkError.self) { try plan.bytes(upTo: 10_000) }
        #expect(error?.code == .sourceChanged)
    }
}
