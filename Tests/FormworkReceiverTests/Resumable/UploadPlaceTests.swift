import FormworkHTTP
@testable import FormworkResumable
@testable import FormworkReceiver
import Foundation
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadPlaceTests {
    @Test func `A name leads only to an upload of its own folder`() async throws {
        let bench = HandlerBench()
        _ = try await bench.answer(
            .post, "/files", [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], TestBody("abc"))
        let name = String(try #require(try bench.location().split(separator: "/").last))
        #expect(try await UploadStore(bench.folder).upload(name) != nil)
        let inner = UploadStore(bench.folder.appending("inner"))
        for other in ["../\(name)", "\(bench.folder)/\(name)", "./../\(name)", "..", "", "\(name)/", "\(name)\0"] {
            #expect(try await inner.upload(other) == nil, "\(other)")
        }
    }

    @Test func `A record that can't be read is an error in plain words`() async throws {
        let bench = HandlerBench()
        _ = try await bench.answer(
            .post, "/files", [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], TestBody("abc"))
        let name = String(try #require(try bench.location().split(separator: "/").last))
        let record = "\(bench.folder)/\(name).json"
        try FileManager.default.removeItem(atPath: record)
        try FileManager.default.createDirectory(atPath: record, withIntermediateDirectories: false)
        let error = await #expect(throws: (any Error).self) { try await UploadStore(bench.folder).upload(name) }
        let text = error.map { "\($0)" }
        #expect(text?.contains("\(record): an upload's record can't be read (Is a directory)") == true, "\(text ?? "")")
    }

    @Test func `An upload exists until it expires`() async throws {
        let bench = HandlerBench()
        _ = try await bench.answer(
            .post, "/files", [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], TestBody("abc"))
        let name = String(try #require(try bench.location().split(separator: "/").last))
        let store = UploadStore(bench.folder)
        #expect(store.options.lifetime == 24 * 3600)
        #expect(try await store.upload(name, now: Date().addingTimeInterval(23 * 3600)) != nil)
        #expect(try await store.upload(name, now: Date().addingTimeInterval(25 * 3600)) == nil)
    }

    @Test func `Uploads together take the bytes that they may`() async throws {
        let bench = HandlerBench { $0.maximumTotalSize = 10 }
        func begin(_ length: Int) async throws -> Int {
            let fields: HTTPFields = [
                .uploadDraftInteropVersion: "8", .uploadComplete: "?0", .uploadLength: "\(length)",
            ]
            return try await bench.answer(.post, "/files", fields, TestBody("abc")).response.status.code
        }
        #expect(try await begin(11) == 413, "it can never fit")
        #expect(try await begin(6) == 201)
        // Three of its bytes are there, and three are to come.
        #expect(try await begin(5) == 503)
        #expect(try await begin(4) == 201)
        // One that doesn't announce its length is cut off where the bytes end.
        let fields: HTTPFields = [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"]
        #expect(try await bench.answer(.post, "/files", fields, TestBody("abc")).response.status.code == 507)
    }

    @Test func `A length that is announced late takes from the bytes that uploads may have together`() async throws {
        let bench = HandlerBench { $0.maximumTotalSize = 10 }
        let handler = try bench.handler()
        func append(_ length: Int, _ text: String) async throws -> Int {
            let tus: HTTPFields = [.tusResumable: "1.0.0", .uploadDeferLength: "1", .contentLength: "0"]
            let location = try await bench.begin(tus, by: handler)
            let fields: HTTPFields = [
                .tusResumable: "1.0.0", .uploadOffset: "0", .uploadLength: "\(length)",
                .contentType: "application/offset+octet-stream",
            ]
            return try await bench.answer(.patch, location, fields, TestBody(text), by: handler).response.status.code
        }
        #expect(try await append(11, "abc") == 507)
        #expect(try await append(6, "abc") == 204)
        #expect(try await append(5, "abcde") == 507, "six are announced, though three are there")
        #expect(try await append(4, "abc") == 204)
        // The same in the draft, whose last request shows the length.
        let fields: HTTPFields = [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"]
        _ = try await bench.answer(.post, "/files", fields, TestBody([]), by: handler)
        let last = try await bench.answer(
            .patch, bench.location(), ResumableHandlerTests.append(0, 3, complete: true), TestBody("abc"), by: handler)
        #expect(last.response.status.code == 507)
    }

    @Test func `A folder that may not be a link is neither written nor listed through one`() async throws {
        let outside = HandlerBench()
        try FileManager.default.createDirectory(atPath: outside.folder.string, withIntermediateDirectories: true)
        let link = outside.folder.removingLastComponent().appending("link-\(UUID())")
        try FileManager.default.createSymbolicLink(
            atPath: link.string, withDestinationPath: outside.folder.string)
        defer { try? FileManager.default.removeItem(atPath: link.string) }
        let uploads = try FolderUploads(folder: link, isDurable: false, mayBeLink: false)
        let name = String(repeating: "a", count: 32)
        await #expect(throws: FormworkError.self) { try await uploads.create(name, record: []) }
        await #expect(throws: FormworkError.self) { try await uploads.names() }
        await #expect(throws: FormworkError.self) { try await uploads.record(of: name) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.folder.string) == [])
        try await FolderUploads(folder: link, isDurable: false).create(name, record: [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: outside.folder.string).count == 2)
    }

    @Test func `A file system that fails is no upload without bytes`() async throws {
        let bench = HandlerBench()
        let created = try await bench.answer(
            .post, "/files", [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], TestBody("abc"))
        #expect(created.response.status.code == 201)
        let name = String(try #require(try bench.location().split(separator: "/").last))
        let path = bench.folder.appending("\(name).data")
        try FileManager.default.removeItem(atPath: path.string)
        // A link to itself can't be looked at, and isn't missing.
        try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: path.string)
        await #expect(throws: FormworkError.self) {
            try await FolderUploads(folder: bench.folder, isDurable: false).count(of: name)
        }
    }
}
