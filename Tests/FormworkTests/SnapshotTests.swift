import Foundation
@testable import Formwork
import Synchronization
import TestSupport
import Testing

@Suite("Snapshots of files", .timeLimit(.minutes(10)))
struct SnapshotTests {
    private let folder = TemporaryFolder()

    private func write(_ byte: UInt8, _ count: Int, to path: FilePath) throws {
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path.string))
        try handle.write(contentsOf: Data(repeating: byte, count: count))
        try handle.close()
    }

    @Test("Whatever happens to the files later, the body is what it was", arguments: Meddling.allCases)
    func unmoved(meddling: Meddling) throws {
        let path = try self.folder.file("photo.png", [UInt8](repeating: 0x41, count: 300_000))
        var inner = FormData(framing: MultipartFraming(boundary: try Boundary("i")))
        inner.append(name: "inner", file: path)
        var form = formB()
        form.append(name: "whole", file: path)
        form.append(name: "slice", source: .file(path, offset: 10, length: 20))
        form.append(name: "both", source: .concatenation([.text("x"), .file(path, offset: 299_990)]))
        form.append(
            BodyPart(
                header: PartHeader(name: "coded", transferEncoding: .base64(columns: nil)),
                source: .file(path, offset: 0, length: 3)))
        form.append(BodyPart(name: "nested", multipart: inner))
        let expected = try form.plan().bytes(upTo: 1 << 20)
        try form.snapshotFiles()
        let plan = try form.plan()
        try meddling.apply(to: path)
        #expect(try plan.bytes(upTo: 1 << 20) == expected)
        #expect(try plan.bytes(upTo: 1 << 20) == expected, "again")
        #expect(plan.isReplayable && plan.contentLength == Int64(expected.count))
        #expect(self.folder.names.allSatisfy { $0.hasPrefix("photo.png") }, "no copy with a name")
        expect(.notReplayable) { try plan.describe() }
    }

    @Test("Mapped writes, which move no time, don't show")
    func mapped() throws {
        let path = try self.folder.file("f", [UInt8](repeating: 0x41, count: 1 << 20))
        let descriptor = open(path.string, O_RDWR)
        defer { close(descriptor) }
        let map = try #require(unsafe mmap(nil, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
        defer { unsafe munmap(map, 1 << 20) }
        unsafe map.storeBytes(of: 0x41, toByteOffset: 0, as: UInt8.self)
        var form = formB()
        form.append(name: "f", source: .file(path))
        try form.snapshotFiles()
        let plan = try form.plan()
        let expected = try plan.bytes(upTo: 2 << 20)
        unsafe memset(map, 0x42, 1 << 20)
        #expect(try plan.bytes(upTo: 2 << 20) == expected && !expected.contains(0x42))
    }

    @Test("A file that is written all the time gives one state of it, or an error")
    func busy() throws {
        let size = 4 << 20
        let path = try self.folder.file("f", [UInt8](repeating: 0, count: size))
        let descriptor = open(path.string, O_RDWR)
        defer { close(descriptor) }
        let map = try #require(unsafe mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0))
        defer { unsafe munmap(map, size) }
        let writer = MapWriter(map, size)
        for _ in 0..<30 {
            do throws(FormworkError) {
                var form = formB()
                form.append(name: "f", source: try BodySpool(snapshotOf: path).source)
                let body = try form.plan().bytes(upTo: size + 100)
                let content = body[49..<body.count - 9]
                let (first, last) = (number(content.prefix(8)), number(content.suffix(8)))
                // The writer writes the first number, then the last: no state of the file has a last one that is ahead.
                #expect(first == last || first == last + 1, "the content of several moments: \(first), \(last)")
            } catch {
                #expect(error.code == .sourceChanged && error.path == path.string)
            }
        }
        writer.stop()
        #expect(try BodySpool(snapshotOf: path).count == Int64(size), "and when it has stopped")
    }

    @Test("A slice that the file doesn't have is the same error as without a snapshot")
    func slices() throws {
        let path = try self.folder.file("f", [UInt8](repeating: 0x41, count: 50))
        for (offset, length) in [(51, nil), (100, nil), (10, 41)] as [(Int64, Int64?)] {
            var form = formB()
            form.append(name: "f", source: .file(path, offset: offset, length: length))
            expect(.invalidArgument) { try form.plan() }
            expect(.invalidArgument) { try form.snapshotFiles() }
        }
        var form = formB()
        form.append(name: "f", source: .file(path, offset: 50))
        try form.snapshotFiles()
        #expect(try form.plan().bytes(upTo: 100).count == 58)
    }

    @Test("Only a regular file has a snapshot; the part is named")
    func others() throws {
        expect(.sourceUnavailable) { try BodySpool(snapshotOf: self.folder.path) }
        expect(.sourceUnavailable) { try BodySpool(snapshotOf: "/dev/null") }
        var inner = FormData(framing: MultipartFraming(boundary: try Boundary("i")))
        inner.append(name: "gone", source: .file(self.folder.path.appending("gone")))
        var form = formB()
        form.append(name: "a", value: "1")
        form.append(BodyPart(name: "nested", multipart: inner))
        let error = #expect(throws: FormworkError.self) { try form.snapshotFiles() }
        #expect(error?.part == PartReference(index: 0, name: "gone", enclosing: [1]))
        let path = try self.folder.file("f", "content")
        let full = #expect(throws: FormworkError.self) { try BodySpool(snapshotOf: path, in: "/proc") }
        #expect(full?.code == .writeFailed && full?.path == "/proc")
    }

    @Test("The type is found as without it: by the file's own name where the receiver gets another one")
    func types() throws {
        let path = try self.folder.file("photo.png", "no picture")
        var form = formB()
        form.append(name: "f", file: path, filename: "upload")
        try form.snapshotFiles()
        #expect(try form.plan().layout[0].contentType?.mediaType == "image/png")
        #expect(try form.plan().layout[0].filename == "upload")
    }

    @Test("A description's file that has changed has no snapshot")
    func described() throws {
        let path = try self.folder.file("f", "content")
        var form = formB()
        form.append(name: "f", source: .file(path))
        let description = try form.plan().describe()
        try self.write(0x42, 3, to: path)
        var later = description.form
        expect(.sourceChanged) { try later.snapshotFiles() }
    }
}

@Suite("A file's state across processes", .timeLimit(.minutes(10)))
struct FingerprintTests {
    private let folder = TemporaryFolder()

    private func description(of path: FilePath) throws -> PlanDescription {
        var form = formB()
        form.append(name: "f", source: .file(path))
        return try form.plan().describe()
    }

    /// Gives a file the times that it had.
    private func keepingTime(of path: FilePath, _ change: () throws -> Void) throws {
        let time = TemporaryFolder()
        let reference = try time.file("time", "")
        try reference.touch("-r", path.string)
        try change()
        try path.touch("-r", reference.string)
    }

    @Test("Another inode with the same content and time is the same file", arguments: [0, 7, 65_536, 65_537, 300_000])
    func otherInode(count: Int) throws {
        let path = try self.folder.file("f", (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) })
        let description = try self.description(of: path)
        try self.keepingTime(of: path) {
            let content = try contents(of: path)
            _ = try self.folder.file("new", content)
            try FileManager.default.removeItem(atPath: path.string)
            try FileManager.default.moveItem(atPath: self.folder.path.appending("new").string, toPath: path.string)
        }
        #expect(try description.form.plan().contentLength == Int64(count) + 58)
    }

    @Test("Other content at either end is another file, of whatever size", arguments: [1, 65_536, 65_537, 300_000])
    func otherContent(count: Int) throws {
        let path = try self.folder.file("f", [UInt8](repeating: 7, count: count))
        for (round, place) in [0, count - 1].enumerated() {
            let description = try self.description(of: path)
            try self.keepingTime(of: path) {
                let handle = try FileHandle(forUpdating: URL(fileURLWithPath: path.string))
                try handle.seek(toOffset: UInt64(place))
                try handle.write(contentsOf: Data([UInt8(8 + round)]))
                try handle.close()
            }
            let error = #expect(throws: FormworkError.self) { try description.form.plan() }
            #expect(error?.code == .sourceChanged && error?.path == path.string)
            #expect(error?.message.contains("was replaced by another file of the same size and time") == true)
        }
    }

    @Test("Another time or size is another state", arguments: Meddling.allCases)
    func changed(meddling: Meddling) throws {
        let path = try self.folder.file("f", [UInt8](repeating: 7, count: 1_000_000))
        let description = try self.description(of: path)
        try meddling.apply(to: path)
        let error = #expect(throws: FormworkError.self) { try description.form.plan() }
        #expect(error?.code == .sourceChanged || error?.cause as? Errno == .noSuchFileOrDirectory)
    }

    @Test("A file that changed before it is described can't be described")
    func changedBefore() throws {
        let path = try self.folder.file("f", "content")
        var form = formB()
        form.append(name: "f", source: .file(path))
        let plan = try form.plan()
        try Data("other".utf8).write(to: URL(fileURLWithPath: path.string))
        let error = #expect(throws: FormworkError.self) { try plan.describe() }
        #expect(error?.code == .sourceChanged && error?.part == PartReference(index: 0, name: "f"))
    }
}

/// Counts in the first eight bytes of a mapped file, then in its last eight, over and over, with pauses.
private final class MapWriter: Sendable {
    private let isStopped = Atomic(false)
    private let done = DispatchSemaphore(value: 0)

    init(_ map: UnsafeMutableRawPointer, _ size: Int) {
        // SAFETY: the map outlives the thread, since `stop` waits for it; both numbers are aligned.
        nonisolated(unsafe) let first = unsafe map.bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        nonisolated(unsafe) let last = unsafe (map + size - 8).bindMemory(to: Atomic<UInt64>.self, capacity: 1)
        Thread.detachNewThread {
            var count: UInt64 = 0
            while !self.isStopped.load(ordering: .acquiring) {
                count += 1
                unsafe first.pointee.store(count, ordering: .sequentiallyConsistent)
                unsafe last.pointee.store(count, ordering: .sequentiallyConsistent)
                if count % 100_000 == 0 { usleep(20_000) }
            }
            self.done.signal()
        }
    }

    func stop() {
        self.isStopped.store(true, ordering: .releasing)
        self.done.wait()
    }
}

private func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
