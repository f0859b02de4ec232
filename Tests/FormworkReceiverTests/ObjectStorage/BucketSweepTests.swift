@testable import FormworkResumable
import Foundation
import TestSupport
import Testing

@testable import FormworkReceiver

/// What many unfinished uploads in a bucket cost.
@Suite(.timeLimit(.minutes(10))) struct BucketSweepTests {
    private static func create(_ receiver: TestReceiver) async throws -> Int {
        try await receiver.request("POST /", ["Tus-Resumable: 1.0.0", "Upload-Length: 5"]).status
    }

    @Test func `Uploads are listed for the first that begins, and not for each`() async throws {
        let store = try FakeStore()
        try await S3StorageTests.with(store) { storage in
            let uploads = UploadStore(storage: BucketUploads(storage))
            try await TestReceiver.run(storage: storage, store: uploads) { receiver in
                // The first sweep comes with the start. While it runs, the pause is a minute and not less.
                let hasSwept = try await receiver.eventually {
                    store.count("ListObjects") == 1 && uploads.pauseBeforeSweep != .seconds(60)
                }
                #expect(hasSwept)
                for _ in 0..<20 {
                    let status = try await Self.create(receiver)
                    #expect(status == 201)
                }
            }
        }
        #expect(store.count("ListObjects") == 1)
    }

    @Test func `The number of uploads is limited all the same`() async throws {
        let store = try FakeStore()
        var options = UploadStoreOptions()
        // None is displaced: the store's clock is a day later than its objects.
        (options.maximumCount, options.idleTime) = (3, 1_000_000)
        try await S3StorageTests.with(store) { [options] storage in
            let uploads = UploadStore(storage: BucketUploads(storage), options: options)
            try await TestReceiver.run(storage: storage, store: uploads) { receiver in
                var statuses: [Int] = []
                for _ in 0..<4 { statuses.append(try await Self.create(receiver)) }
                #expect(statuses == [201, 201, 201, 503])
            }
        }
    }

    @Test func `An upload that begins while uploads are swept doesn't wait for that`() async throws {
        let store = try FakeStore { operation, count in operation == "ListObjects" && count == 1 ? .hold : nil }
        try await S3StorageTests.with(store) { storage in
            let uploads = UploadStore(storage: BucketUploads(storage))
            try await TestReceiver.run(storage: storage, store: uploads) { receiver in
                #expect(try await receiver.eventually { store.held == 1 })
                let status = try await Self.create(receiver)
                let held = store.held
                store.release()
                #expect(status == 201)
                #expect(held == 1)
            }
        }
    }
}
