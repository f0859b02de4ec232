#if Transfer
import FormworkResumable
import Foundation
import InMemoryTracing
import Logging
import TestSupport
import Testing
import Tracing

@testable import FormworkReceiver

/// The trace spans of uploads and of requests to a store.
@Suite(.timeLimit(.minutes(10))) struct UploadSpanTests {
    /// A span's attributes as text.
    private static func attributes(_ span: FinishedInMemorySpan) -> [String: String] {
        var all: [String: String] = [:]
        span.attributes.forEach { key, value in
            switch value {
            case .string(let text): all[key] = text
            case .int64(let number): all[key] = "\(number)"
            default: all[key] = "\(value)"
            }
        }
        return all
    }

    @Test func `An upload has one span, and a page has none`() async throws {
        let tracer = InMemoryTracer()
        try await withTracer(tracer) { () async throws -> Void in
            try await TestReceiver.run { receiver in
                #expect(try await receiver.request("GET /").status == 200)
                let answer = try await receiver.request("PUT /a.txt?b=1", ["User-Agent: test/1"], "1234")
                #expect(answer.status == 201)
                let spans = tracer.finishedSpans
                #expect(spans.map(\.operationName) == ["PUT"])
                #expect(spans.map(\.kind) == [.server])
                #expect(spans.map(\.parentSpanID) == [nil])
                #expect(
                    spans.map(Self.attributes) == [
                        [
                            "http.request.method": "PUT", "url.path": "/a.txt", "url.scheme": "http",
                            "network.protocol.version": "1.1", "client.address": "127.0.0.1",
                            "user_agent.original": "test/1", "http.request.body.size": "4",
                            "server.address": "localhost", "server.port": "\(receiver.port)",
                            "http.response.status_code": "201",
                        ]
                    ])
                #expect(spans.map(\.status) == [nil])
            }
        }
    }

    @Test func `A refused upload is no error of the server's, and a failed storage is`() async throws {
        let tracer = InMemoryTracer()
        let store = try FakeStore { operation, _ in operation == "Put" ? .answer(403, "AccessDenied") : nil }
        try await withTracer(tracer) { () async throws -> Void in
            try await S3StorageTests.with(store) { storage in
                try await TestReceiver.run(storage: storage) { receiver in
                    let coded = try await receiver.request("PUT /a.txt", ["Content-Encoding: gzip"], "1")
                    #expect(coded.status == 415)
                    // Refused because of its head: it isn't an upload.
                    #expect(tracer.popFinishedSpans().isEmpty)
                    let damaged = try await receiver.request(
                        "PUT /a.txt", ["Content-MD5: xMpCOKC5I4INzFCab3WEmw=="], "2")
                    let failed = try await receiver.request("PUT /a.txt", [], "1")
                    #expect(damaged.status == 400)
                    #expect(failed.status == 502)
                    let spans = tracer.finishedSpans
                    #expect(
                        spans.filter { $0.status != nil }.map(\.operationName) == ["S3/PutObject", "PUT"],
                        "\(spans.map(\.operationName))")
                    let errors = spans.map { Self.attributes($0)["error.type"] }.compactMap { $0 }
                    #expect(errors == ["AccessDenied", "502"])
                }
            }
        }
    }

    @Test func `A request to a store has one span for all its tries, below that of the upload`() async throws {
        let tracer = InMemoryTracer()
        let store = try FakeStore { operation, count in
            operation == "Put" && count == 1 ? .answer(503, "SlowDown") : nil
        }
        let port = store.port
        try await withTracer(tracer) { () async throws -> Void in
            try await S3StorageTests.with(store) { storage in
                try await TestReceiver.run(storage: storage) { receiver in
                    #expect(try await receiver.request("PUT /a.txt", [], "1234").status == 201)
                    let spans = tracer.finishedSpans
                    #expect(
                        spans.map(\.operationName)
                            == ["S3/ListMultipartUploads", "S3/HeadObject", "S3/PutObject", "PUT"])
                    let upload = try #require(spans.last)
                    #expect(spans.dropLast().allSatisfy { $0.parentSpanID == upload.spanID && $0.kind == .client })
                    #expect(spans.allSatisfy { $0.traceID == upload.traceID })
                    // 404 is the answer that the name is free.
                    #expect(spans.map(\.status) == [nil, nil, nil, nil])
                    #expect(
                        Self.attributes(spans[2]) == [
                            "rpc.system": "aws-api", "rpc.service": "S3", "rpc.method": "PutObject",
                            "http.request.method": "PUT", "server.address": "127.0.0.1", "server.port": "\(port)",
                            "aws.s3.bucket": "bucket", "aws.s3.key": "in/a.txt", "http.request.body.size": "4",
                            "http.response.status_code": "200", "http.request.resend_count": "1",
                        ])
                    #expect(Self.attributes(spans[1])["http.response.status_code"] == "404")
                }
            }
        }
    }

    @Test func `A part's span has its number and the store's upload`() async throws {
        let tracer = InMemoryTracer()
        let store = try FakeStore()
        try await withTracer(tracer) { () async throws -> Void in
            try await S3StorageTests.with(store) { storage in
                _ = try await S3StorageTests.store(S3StorageTests.bytes(S3StorageTests.part + 1), in: storage)
            }
        }
        let parts = tracer.finishedSpans.filter { $0.operationName == "S3/UploadPart" }.map(Self.attributes)
        #expect(parts.map { $0["aws.s3.part_number"] }.sorted { $0 ?? "" < $1 ?? "" } == ["1", "2"])
        #expect(parts.map { $0["aws.s3.upload_id"] } == ["u1", "u1"])
    }

    @Test func `Requests of an unfinished upload have a route, and no span shows a link`() async throws {
        let tracer = InMemoryTracer()
        let uploads = TemporaryFolder()
        let keys = try LinkKeys(UploadLinkTests.key)
        let link = UploadLink(expires: 4_102_444_800, folders: [], id: "0000000000000001")
        let token = keys.token(for: link)
        try await withTracer(tracer) { () async throws -> Void in
            try await TestReceiver.run(
                { $0.linkKeys = keys }, store: UploadStore(uploads.path)
            ) { receiver in
                let tus = "Tus-Resumable: 1.0.0"
                let created = try await receiver.request("POST /.link/\(token)/", [tus, "Upload-Length: 1"])
                let path = try #require(created.field("Location"))
                let fields = [tus, "Content-Type: application/offset+octet-stream", "Upload-Offset: 0"]
                #expect(try await receiver.request("PATCH \(path)", fields, "1").status == 204)
                let spans = tracer.finishedSpans
                #expect(
                    spans.map(\.operationName) == ["POST", "PATCH /.link/{link}/.uploads/{upload}"])
                #expect(Self.attributes(spans[1])["http.route"] == "/.link/{link}/.uploads/{upload}")
                #expect(Self.attributes(spans[0])["url.path"] == "/.link/***/")
                _ = try await receiver.request("PUT //.link/\(token)/f", [], "1")
                _ = try await receiver.request("PUT /.link/\(token)/.link/\(token)/f", [], "1")
                #expect(
                    tracer.finishedSpans.dropFirst(2).map { Self.attributes($0)["url.path"] }
                        == ["/.link/***", "/.link/***/.link/***/f"])
                for span in tracer.finishedSpans { #expect(!"\(Self.attributes(span))".contains(token)) }
            }
        }
        withExtendedLifetime(uploads) {}
    }
}
#endif
