#if Transfer
    import FormworkHTTP
    @testable import FormworkReceiver
    import Foundation
    import HTTPTypes
    import NIOCore
    import SystemPackage
    import Testing

    @Suite(.timeLimit(.minutes(10))) struct UploadNameTests {
        @Test func `A name leads to an upload of its own folder alone`() async throws {
            let bench = HandlerBench()
            _ = try await bench.answer(
                .post, "/files", [.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], TestBody("abc"))
            let name = String(try #require(try bench.location().split(separator: "/").last))
            #expect(try UploadStore(bench.folder).upload(name) != nil)
            let inner = try UploadStore(bench.folder.appending("inner"))
            for other in ["../\(name)", "\(bench.folder)/\(name)", "./../\(name)", "..", "", "\(name)/", "\(name)\0"] {
                #expect(try inner.upload(other) == nil, "\(other)")
            }
        }
    }
#endif
