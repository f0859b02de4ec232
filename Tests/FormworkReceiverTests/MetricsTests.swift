@testable import FormworkReceiver
import FormworkResumable
import Foundation
import Logging
import TestSupport
import Testing

/// What `/metrics` shows.
@Suite(.timeLimit(.minutes(10))) struct MetricsTests {
    /// The article's table: name, type, labels and meaning.
    private static func documented() throws -> [[String]] {
        let article = Checkout.url("Sources/Formwork/Formwork.docc/Running-a-receiver.md")
        let text = try String(contentsOf: article, encoding: .utf8)
        return text.split(separator: "\n").filter { $0.hasPrefix("| `formwork_") }.map { line in
            line.split(separator: "|").map { $0.trimmingCharacters(in: CharacterSet(charactersIn: " `")) }
        }
    }

    @Test func `The article lists every metric that the receiver prints`() async throws {
        let documented = try Self.documented()
        try await TestReceiver.run(metrics: MemoryMetrics()) { receiver in
            let lines = try await receiver.request("GET /metrics").body.split(separator: "\n").map(String.init)
            #expect(
                lines.filter { $0.hasPrefix("# TYPE ") } == documented.map { "# TYPE \($0[0]) \($0[1])" })
            #expect(
                lines.filter { $0.hasPrefix("# HELP ") } == documented.map { "# HELP \($0[0]) \($0[3])" })
            for line in [
                "formwork_upload_slots_limit 256", "formwork_connections_limit 1088", "formwork_connections_open 1",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
        }
        #expect(
            ReceiverMetric.all.map { $0.labels.joined(separator: ", ") }.sorted()
                == documented.map { $0[2] }.sorted())
    }

    @Test func `Refused uploads of the resumable protocols are counted and logged too`() async throws {
        let folder = TemporaryFolder()
        var options = UploadStoreOptions()
        options.limits.maxSize = 10
        let store = UploadStore(folder.path.appending(".formwork-resumable"), options: options)
        try await TestReceiver.run(in: folder, store: store, metrics: MemoryMetrics()) { receiver in
            let fields = ["Tus-Resumable: 1.0.0", "Upload-Length: 11", "Content-Length: 0"]
            #expect(try await receiver.request("POST /", fields).status == 413)
            let missing = "\(UnfinishedUploads.path)none"
            #expect(try await receiver.request("HEAD \(missing)", ["Tus-Resumable: 1.0.0"]).status == 404)
            let text = try await receiver.request("GET /metrics").body
            #expect(text.contains("formwork_requests_refused_total{code=\"413\",reason=\"size\"} 1\n"))
            #expect(!text.contains("code=\"404\""))
        }
    }

    @Test func `Refusals have a reason, and uploads that hold a slot are counted`() async throws {
        try await TestReceiver.run({ $0.limits.uploads = 1 }, metrics: MemoryMetrics()) { receiver in
            let slow = try receiver.connect()
            await slow.send("PUT /a HTTP/1.1\r\nHost: localhost:\(receiver.port)\r\nContent-Length: 5\r\n\r\nhe")
            #expect(
                try await receiver.eventually {
                    (try? await receiver.request("GET /metrics").body.contains("formwork_upload_slots_used 1\n"))
                        ?? false
                })
            #expect(try await receiver.request("PUT /b", [], "x").status == 503)
            let text = try await receiver.request("GET /metrics").body
            #expect(text.contains("formwork_requests_refused_total{code=\"503\",reason=\"uploads_limit\"} 1\n"))
            await slow.send("llo")
            #expect(
                try await receiver.eventually {
                    (try? await receiver.request("GET /metrics").body.contains("formwork_upload_slots_used 0\n"))
                        ?? false
                })
        }
    }

    @Test func `Requests to the store are timed, and errors and retries counted`() async throws {
        let store = try FakeStore { $0 == "Put" && $1 == 1 ? .answer(503, "SlowDown") : nil }
        let metrics = MemoryMetrics()
        var options = S3Storage.Options()
        options.patience.delay = .milliseconds(1)
        options.metrics = metrics
        let storage = try S3Storage(testing: store.endpoint, options)
        let uploads = BucketUploads(storage)
        try await uploads.create("0123456789abcdef0123456789abcdef", record: [1])
        // The store says that the name is free: that is no error.
        let file = try await storage.begin(IncomingFile(name: #require(SafeFilename("a.bin"))))
        _ = try await storage.finish(file)
        await storage.close()
        store.close()
        #expect(store.count("Head") > 0)
        let lines = metrics.prometheusText.split(separator: "\n").map(String.init)
        for line in [
            "formwork_store_request_seconds_count{operation=\"PutObject\"} 3",
            "formwork_store_request_seconds_bucket{operation=\"PutObject\",le=\"60\"} 3",
            "formwork_store_request_seconds_bucket{operation=\"PutObject\",le=\"+Inf\"} 3",
            "formwork_store_errors_total{operation=\"PutObject\",reason=\"503\"} 1",
            "formwork_store_retries_total{operation=\"PutObject\"} 1",
        ] {
            #expect(lines.contains(line), "\(line)")
        }
        #expect(lines.filter { $0.hasPrefix("formwork_store_errors_total{") }.count == 1)
    }

    @Test func `An addition to an unfinished upload is a resumption`() async throws {
        try await TestReceiver.resuming(metrics: MemoryMetrics()) { receiver, _ in
            let path = try await receiver.begin("POST /", ["Tus-Resumable: 1.0.0", "Upload-Length: 5"])
            func fields(_ offset: Int) -> [String] {
                ["Tus-Resumable: 1.0.0", "Upload-Offset: \(offset)", "Content-Type: application/offset+octet-stream"]
            }
            #expect(try await receiver.request("PATCH \(path)", fields(0), "he").status == 204)
            #expect(try await receiver.request("GET /metrics").body.contains("formwork_resumptions_total 0\n"))
            #expect(try await receiver.request("PATCH \(path)", fields(2), "llo").status == 204)
            #expect(try await receiver.request("GET /metrics").body.contains("formwork_resumptions_total 1\n"))
        }
    }
}
