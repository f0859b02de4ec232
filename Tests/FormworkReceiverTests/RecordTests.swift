import Formwork
import FormworkCommand
@testable import FormworkReceiver
import Foundation
import Logging
import TestSupport
import Testing

/// Logs and metrics.
@Suite(.timeLimit(.minutes(10)))
struct RecordTests {
    @Test func `Uploads and failures are counted`() async throws {
        try await TestReceiver.run({ $0.limits.fileBytes = 10 }, metrics: MemoryMetrics()) { receiver in
            #expect(try await receiver.request("PUT /a", [], "hello").status == 201)
            #expect(try await receiver.request("PUT /b", [], "more").status == 201)
            let chunked = ["Transfer-Encoding: chunked"]
            #expect(try await receiver.request("PUT /c", chunked, "b\r\nhello hello\r\n0\r\n\r\n").status == 413)
            let text = try await receiver.request("GET /metrics").body
            let lines = text.split(separator: "\n").map(String.init)
            for line in [
                "# TYPE formwork_uploads_total counter", "formwork_uploads_total{code=\"201\"} 2",
                "formwork_upload_failures_total{code=\"413\"} 1", "formwork_received_bytes_total 9",
                "formwork_received_files_total 2", "formwork_uploads_in_flight 0",
                "# TYPE formwork_upload_seconds summary", "formwork_upload_seconds_count 3",
            ] {
                #expect(lines.contains(line), "\(line)")
            }
        }
    }

    @Test func `A file is one line of the log`() async throws {
        try await TestReceiver.run { receiver in
            #expect(try await receiver.request("PUT /a", [], "hello").status == 201)
            let line = try #require(receiver.log.all.first { $0.hasPrefix("received ") })
            #expect(line.contains(" name=a ") && line.contains(" size=5 ") && line.contains(" status=201"))
            #expect(
                line.contains(" sha256=2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"))
            #expect(line.contains(" peer=127.0.0.1:"))
        }
    }

    @Test(arguments: [
        (LineLog.Form.text, #" warning up\n a="x \"\\ y" b=1 c=2 d=0.5"#),
        (.json, #"{"a":"x \"\\ y","b":"1","c":2,"d":0.5,"#),
    ])
    func `A line stays a line`(form: LineLog.Form, expected: String) throws {
        let folder = TemporaryFolder()
        let path = folder.path.appending("log")
        let file = try FileDescriptor.open(
            path, .writeOnly, options: [.create], permissions: [.ownerReadWrite])
        let output = OutputQueue(file)
        let logger = Logger(label: "test") { _ in LineLog(form, to: output) }
        logger.warning(
            "up\n",
            metadata: [
                "b": "1", "a": "x \"\\ y", "c": .stringConvertible(2), "d": .stringConvertible(0.5),
            ])
        logger.debug("unseen")
        output.flush(within: 300)
        try file.close()
        let text = try folder.text(of: "log")
        #expect(text.contains(expected))
        #expect(text.split(separator: "\n").count == 1)
    }

    /// Lines that are there, and those that a line says were dropped.
    private static func accounted(_ text: String) -> Int {
        text.split(separator: "\n").reduce(0) { count, line in
            guard let mark = line.firstRange(of: "dropped lines=") else { return count + 1 }
            return count + (Int(line[mark.upperBound...]) ?? 0)
        }
    }

    @Test func `A log without a reader delays nothing, and reports what it dropped`() async throws {
        let pipe = try FileDescriptor.pipe()
        let output = OutputQueue(pipe.writeEnd, limit: 1_000)
        let logger = Logger(label: "test") { _ in LineLog(.text, to: output) }
        // Far more than a pipe holds.
        for number in 1...10_000 { logger.warning("line", metadata: ["number": "\(number)"]) }
        #expect(output.dropped > 0)
        output.flush(within: 0.01)
        // Read by a thread of its own until all are accounted for, written or dropped.
        let text = try await withCheckedThrowingContinuation { (done: CheckedContinuation<String, any Error>) in
            Thread.detachNewThread {
                done.resume(
                    with: Result {
                        var text = ""
                        var buffer = [UInt8](repeating: 0, count: 4_096)
                        while !text.hasSuffix("\n") || Self.accounted(text) < 10_000 {
                            let count = try buffer.withUnsafeMutableBytes { try pipe.readEnd.read(into: $0) }
                            text += String(decoding: buffer.prefix(count), as: UTF8.self)
                        }
                        return text
                    })
            }
        }
        #expect(Self.accounted(text) == 10_000)
        #expect(text.split(separator: "\n").first?.hasSuffix(" warning line number=1") == true)
        #expect(text.contains(" warning lines of the log dropped lines="))
        try pipe.readEnd.close()
        try pipe.writeEnd.close()
    }
}
