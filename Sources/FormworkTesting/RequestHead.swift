import Formwork

/// A request line and the header fields after it, and what they say of the body (RFC 9112 §3, §6).
struct RequestHead: Sendable {
    /// How the end of the body is determined.
    enum Framing: Sendable, Equatable {
        case none
        case length(Int64)
        case chunked
    }

    var method: String
    var target: String
    var fields: [HeaderField]
    var framing: Framing
    var closesAfterwards: Bool
    var waitsForContinue: Bool

    init(_ head: MessageHead) throws(FormworkError) {
        let words = head.startLine
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            throw FormworkError(
                .malformedBody,
                "\"\(words.joined(separator: " "))\" is not a request line of HTTP/1.1, which is all that is understood here"
            )
        }
        (self.method, self.target, self.fields) = (words[0], words[1], head.fields)
        switch (head.value("Transfer-Encoding")?.lowercased(), try head.contentLength()) {
        case (nil, let length): self.framing = length.map { .length($0) } ?? .none
        case ("chunked", nil): self.framing = .chunked
        case ("chunked", _?):
            throw FormworkError(.malformedBody, "a request has Content-Length and Transfer-Encoding: drop one of them")
        case (let coding?, _):
            throw FormworkError(
                .malformedBody, "Transfer-Encoding is \"\(coding)\": \"chunked\" is all that is understood here")
        }
        self.closesAfterwards = head.value("Connection")?.lowercased() == "close" || words[2] == "HTTP/1.0"
        self.waitsForContinue = head.value("Expect")?.lowercased() == "100-continue"
    }
}
