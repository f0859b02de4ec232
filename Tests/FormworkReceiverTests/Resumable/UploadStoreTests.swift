import Foundation
import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import NIOCore
import TestSupport
import Testing

/// Which uploads a store removes, and which it keeps.
@Suite(.timeLimit(.minutes(10))) struct UploadStoreTests {
    /// Begins an upload of three bytes, and more to come.
    private func begin(_ bench: HandlerBench) async throws -> (location: String, record: String) {
        let location = try await bench.begin([.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], TestBody("abc"))
        let name = try #require(location.split(separator: "/").last)
        return (location, bench.folder.appending("\(name).json").string)
    }

    private func files(_ bench: HandlerBench) throws -> Int {
        try FileManager.default.contentsOfDirectory(atPath: bench.folder.string).count
    }

    @Test func `A record that another version wrote is kept for as long as an upload is`() async throws {
        let bench = HandlerBench()
        let (location, record) = try await self.begin(bench)
        try Data(#"{"schema":9}"#.utf8).write(to: URL(filePath: record))
        let store = UploadStore(bench.folder)
        #expect(await store.removeExpired() == 0)
        #expect(try self.files(bench) == 2)
        // It can't be gone on with here.
        let ask = ResumableHandlerTests.ask
        #expect(try await bench.answer(.head, location, ask).response.status == .notFound)
        #expect(await store.removeExpired(now: Date().addingTimeInterval(23 * 3600)) == 0)
        #expect(try self.files(bench) == 2)
        #expect(await store.removeExpired(now: Date().addingTimeInterval(25 * 3600)) == 1)
        #expect(try self.files(bench) == 0)
    }

    @Test(arguments: ["1e300", "-1e300", "9.3e18"])
    func `A record may name any time`(time: String) async throws {
        let bench = HandlerBench()
        let (location, record) = try await self.begin(bench)
        let text = try String(contentsOfFile: record, encoding: .utf8)
        let changed = text.replacing(/"expires":[-0-9.e+]+/, with: "\"expires\":\(time)")
        #expect(changed != text)
        try Data(changed.utf8).write(to: URL(filePath: record))
        let ask = ResumableHandlerTests.ask
        let status = try await bench.answer(.head, location, ask).response.status
        #expect(status == (time.hasPrefix("-") ? .notFound : .noContent))
        let store = UploadStore(bench.folder)
        #expect(await store.removeExpired() == (time.hasPrefix("-") ? 1 : 0))
    }

    @Test func `Uploads may be larger together than a number holds`() async throws {
        let bench = HandlerBench { $0.maximumTotalSize = .max }
        _ = try await self.begin(bench)
        _ = try await self.begin(bench)
        for name in try FileManager.default.contentsOfDirectory(atPath: bench.folder.string)
        where name.hasSuffix(".data") {
            let file = try FileDescriptor.open(bench.folder.appending(name), .writeOnly)
            // If the file system allows such a size; tmpfs does.
            try file.closeAfter { try? file.resize(to: 8_000_000_000_000_000_000) }
        }
        _ = try await self.begin(bench)
        #expect(await UploadStore(bench.folder).list().count == 3)
    }

    @Test func `A record that can't be read at the moment is neither missing nor removed`() async throws {
        let bench = HandlerBench()
        let (location, record) = try await self.begin(bench)
        let manager = FileManager.default
        // Reading a directory fails, as any file does where descriptors run out.
        try manager.moveItem(atPath: record, toPath: record + ".aside")
        try manager.createDirectory(atPath: record, withIntermediateDirectories: false)
        let store = UploadStore(bench.folder)
        #expect(await store.removeExpired(now: Date().addingTimeInterval(25 * 3600)) == 0)
        let ask = ResumableHandlerTests.ask
        let told = try await bench.answer(.head, location, ask)
        #expect(told.response.status == .serviceUnavailable)
        #expect(told.response.headerFields[.retryAfter] != nil)
        let more = try await bench.answer(.patch, location, ResumableHandlerTests.append(3, 1), TestBody("d"))
        #expect(more.response.status == .serviceUnavailable)

        try manager.removeItem(atPath: record)
        try manager.moveItem(atPath: record + ".aside", toPath: record)
        #expect(try await bench.answer(.head, location, ask).response.headerFields[.uploadOffset] == "3")
    }

    @Test func `Finished uploads leave their places to others, the oldest first`() async throws {
        let bench = HandlerBench { $0.maximumCount = 3 }
        let whole: HTTPFields = [
            .tusResumable: "1.0.0", .uploadLength: "2", .contentLength: "2",
            .contentType: "application/offset+octet-stream",
        ]
        var locations: [String] = []
        for _ in 0..<5 {
            let answer = try await bench.answer(.post, "/files", whole, TestBody("hi"))
            #expect(answer.response.status == .created)
            locations.append(try #require(answer.response.headerFields[.location]))
        }
        #expect(bench.contents.count == 5)
        let tus: HTTPFields = [.tusResumable: "1.0.0"]
        var statuses: [Int] = []
        for location in locations {
            statuses.append(try await bench.answer(.head, location, tus).response.status.code)
        }
        #expect(statuses == [404, 404, 200, 200, 200])
        // Those under way stay.
        let begun: HTTPFields = [.tusResumable: "1.0.0", .uploadLength: "2", .contentLength: "0"]
        for _ in 0..<3 {
            #expect(try await bench.answer(.post, "/files", begun).response.status == .created)
        }
        #expect(try await bench.answer(.post, "/files", begun).response.status == .serviceUnavailable)
        #expect(try await bench.answer(.post, "/files", whole).response.status == .serviceUnavailable)
    }
}
