import FormworkHTTP
import FormworkResumable
import NIOCore
import TestSupport
import Testing

@testable import FormworkReceiver

/// Memory for the fields of all forms.
@Suite(.timeLimit(.minutes(10))) struct FieldMemoryTests {
    private static func take(_ value: String, _ intake: UploadIntake) async throws -> UploadReceipt {
        let body = TestBody(formBody([("n", value)]))
        return try await intake.take(
            IncomingUpload(.parts(contentType: "multipart/form-data; boundary=b", isForm: true), length: nil), body)
    }

    @Test func `All forms share it, and give it back`() async throws {
        let folder = TemporaryFolder()
        let intake = UploadIntake(
            storage: try FolderStorage(folder.path), limits: ReceivingLimits(), keeping: .init(keepsFields: false),
            memory: ReceiverMemory(held: 100)
        )
        let text = String(repeating: "x", count: 60)
        for _ in 0..<3 {
            let receipt = try await Self.take(text, intake)
            let refusal = await #expect(throws: ProblemDetails.self) { try await Self.take(text, intake) }
            #expect(refusal?.status == 503)
            #expect(receipt.fields == [UploadReceipt.Field(name: "n", value: text)])
            #expect(receipt.jsonBytes.starts(with: Array(#"{"fields":[{"name":"n","value":"xx"#.utf8)))
        }
        // As long as they are in the answer: 6 bytes each, and the name.
        _ = try await Self.take(String(repeating: "\u{1}", count: 16), intake)
        await #expect(throws: ProblemDetails.self) {
            try await Self.take(String(repeating: "\u{1}", count: 17), intake)
        }
        #expect(folder.names == [])
    }

    @Test func `There is room for the largest form that is allowed`() throws {
        var limits = ReceivingLimits()
        limits.allFieldBytes = 100 << 20
        try ReceiverMemory.Lease(of: ReceiverMemory(limits)).hold(600 << 20)
        #expect(throws: ProblemDetails.self) {
            try ReceiverMemory.Lease(of: ReceiverMemory(ReceivingLimits())).hold(65 << 20)
        }
        limits.allFieldBytes = .max
        try ReceiverMemory.Lease(of: ReceiverMemory(limits)).hold(.max)
    }

    @Test func `The client is asked to try again`() async throws {
        try await TestReceiver.run { receiver in
            // Ten unread answers, each of one field with a MiB of control characters, use 60 of the 64 MiB.
            let body = formBody([("n", String(repeating: "\u{1}", count: (1 << 20) - 64))])
            let head = [
                "POST / HTTP/1.1", "Host: localhost:\(receiver.port)", "Content-Length: \(body.utf8.count)",
                "Content-Type: multipart/form-data; boundary=b",
            ]
            var waiting: [RawConnection] = []
            for _ in 0..<12 {
                let connection = try receiver.connect()
                await connection.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
                waiting.append(connection)
            }
            var statuses: [Int] = []
            for connection in waiting {
                let answer = RawAnswer(await connection.receive(until: "\r\n\r\n"))
                statuses.append(answer.status)
                if answer.status == 503 { #expect(answer.field("Retry-After") == "5") }
            }
            #expect(Set(statuses) == [201, 503])
        }
    }
}
