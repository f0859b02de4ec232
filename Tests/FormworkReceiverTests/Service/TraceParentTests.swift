import HTTPTypes
import Testing

@testable import FormworkReceiver

/// The client's trace in the log. `HookTests` has its place in messages.
@Suite(.timeLimit(.minutes(10))) struct TraceParentTests {
    private static let value = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test(arguments: [
        (value, value),
        (
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00"
        ),
        // A later version may have more.
        (
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
            "cc-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
        ),
    ])
    func `A traceparent is read`(value: String, text: String) { #expect(TraceParent(value)?.text == text) }

    @Test(arguments: [
        "", "00", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331",
        "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-what",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033311-01",
        "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-+1",
    ])
    func `What isn't a traceparent is ignored`(value: String) { #expect(TraceParent(value) == nil) }

    @Test func `A traceparent that appears twice is ignored`() throws {
        let name = try #require(HTTPField.Name("traceparent"))
        var fields = HTTPFields([HTTPField(name: name, value: Self.value)])
        #expect(TraceParent(fields)?.text == Self.value)
        fields.append(HTTPField(name: name, value: Self.value))
        #expect(TraceParent(fields) == nil)
    }

    @Test func `Each line about a request has its traceparent`() async throws {
        try await TestReceiver.run { receiver in
            let stored = try await receiver.request("PUT /a.txt", ["Traceparent: \(Self.value)"], "1")
            let refused = try await receiver.request("DELETE /b", ["Traceparent: \(Self.value)"])
            let other = try await receiver.request("PUT /c.txt", ["Traceparent: nonsense"], "1")
            #expect([stored.status, refused.status, other.status] == [201, 405, 201])
            let lines = receiver.log.all.filter { $0.hasPrefix("received ") || $0.hasPrefix("refused ") }
            #expect(
                lines.map { $0.contains(" traceparent=\(Self.value)") } == [true, true, false], "\(lines)")
        }
    }
}
