import Foundation
import Testing

/// Mistakes that had a misleading answer, or none.
@Suite("Errors and warnings that name the true cause", .timeLimit(.minutes(10)))
struct PlainWordsTests {
    @Test("A proxy that answers nonsense, or closes the connection, is named so")
    func proxies() throws {
        let closed = "the proxy closed the connection while the tunnel was made"
        // Its end may be noticed before its answer is read.
        for (answer, messages) in [
            ("nonsense\r\n\r\n", ["the proxy's answer isn't HTTP", closed]), ("", [closed]),
            // A TLS alert.
            (
                "\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{28}",
                ["the proxy speaks TLS on this port: write https:// before its name", closed]
            ),
            ("HTTP/1.1 200 OK\r\nX", ["the proxy closed the connection inside its answer", closed]),
        ] {
            let receiver = try Receiver(raw: answer, after: 10)
            let result = try Command.shell(
                "timeout 60 \"$F\" send https://h.example/ -x http://127.0.0.1:\(receiver.port) -F a=1 -q")
            #expect(result.status == 56, "\(result)")
            let isNamed = messages.contains { result.errors == "formwork: 127.0.0.1:\(receiver.port): \($0)\n" }
            #expect(isNamed, "\(result)")
        }
    }

    @Test("An answer whose head is too long, or has two lengths or blanks without end, is named so, and not kept")
    func heads() throws {
        let blanks = String(repeating: " ", count: 1_000_000)
        let long = "the head of the server's answer is too long, or has too many fields [59 bytes sent]"
        for (rest, message) in [
            ("X-A: \(String(repeating: "a", count: 100_000))\r\nContent-Length: 0\r\n\r\n", long),
            ("X-A: \(blanks)", long),
            (
                "Content-Length: 2\r\nContent-Length: 3\r\n\r\nok",
                "the server's answer has an invalid Content-Length, or several [59 bytes sent]"
            ),
            (
                "Transfer-Encoding: chunked\r\n\r\n0\r\nX-A: \(blanks)",
                "the server's answer isn't HTTP: its body is malformed"
            ),
        ] {
            let receiver = try Receiver(raw: "HTTP/1.1 200 OK\r\n\(rest)")
            let result = try Command.shell(
                "timeout 60 \"$F\" send http://127.0.0.1:\(receiver.port) -F a=1 --boundary b -q")
            #expect(result.status == 56 && result.errors == "formwork: \(message)\n", "\(result)")
        }
    }
}
