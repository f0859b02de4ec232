@testable import FormworkReceiver
import TestSupport
import Testing

/// Answers for which there is no memory.
@Suite(.timeLimit(.minutes(10))) struct AnswerMemoryTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"
    private static let short = "The upload was stored. There is no memory for the list of its files.\n"

    @Test(arguments: [[], ["Accept: text/html"]])
    func `An upload that is stored isn't answered with try again`(fields: [String]) async throws {
        // There is memory for the form's field, and not for the answer.
        let body = formBody((10..<60).map { ("f;\($0).txt", "1") } + [("t", String(repeating: "x", count: 5_000))])
        try await TestReceiver.run({ $0.memory = ReceiverMemory(held: 5_500) }) { receiver in
            let answer = try await receiver.request("POST /", [Self.form] + fields, body)
            #expect(answer.status == 201 && answer.body == Self.short)
            #expect(answer.field("Content-Type") == "text/plain" && answer.field("Retry-After") == nil)
            #expect(receiver.folder.names.count == 51)
            #expect(!receiver.log.all.contains { $0.hasPrefix("refused") })
            // A list is nothing that was done.
            let list = try await receiver.request("GET /files.json")
            #expect(list.status == 503 && list.field("Retry-After") == "5")
        }
    }

    @Test func `With room for it the answer lists the files`() async throws {
        let body = formBody((10..<60).map { ("f;\($0).txt", "1") })
        try await TestReceiver.run { receiver in
            let answer = try await receiver.request("POST /", [Self.form], body)
            #expect(answer.status == 201 && answer.body.contains(#""name":"59.txt""#))
        }
    }
}
