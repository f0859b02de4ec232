#if Transfer
import Formwork
import FormworkHTTP
import FormworkResumable
@testable import FormworkReceiver
import Foundation
import HTTPTypes
import NIOCore
import SystemPackage
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
        #expect(try await begin(11) == 503)
        #expect(try await begin(10) == 201)
        // Three bytes are there.
        #expect(try await begin(8) == 503)
        #expect(try await begin(7) == 201)
    }
}
#endif
