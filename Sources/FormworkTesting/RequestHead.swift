import FormworkCore

/// A request line and the header fields after it.
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

    /// Reads a section without the empty line after it (RFC 9112 §3, §5, §6).
    init(_ section: ArraySlice<UInt8>) throws(FormworkError) {
        var lines = String(decoding: section, as: UTF8.self).split(
            omittingEmptySubsequences: false, whereSeparator: { $0 == "\r\n" || $0 == "\n" })
        let words = lines.removeFirst().split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1.") else {
            throw FormworkError(
                .malformedBody,
                "\"\(words.joined(separator: " "))\" is not a request line of HTTP/1.1, which is all that is understood here"
            )
        }
        (self.method, self.target) = (String(words[0]), String(words[1]))
        var fields: [HeaderField] = []
        for line in lines {
            guard let field = try? HeaderField(line: String(line)) else {
                throw FormworkError(.malformedBody, "\"\(line)\" is not a header field")
            }
            fields.append(field)
        }
        self.fields = fields
        // Several fields of a name are one list (RFC 9110 section 5.3).
        func value(_ name: String) -> String? {
            let values = fields.filter { $0.isNamed(name) }.map(\.value)
            return values.isEmpty ? nil : values.joined(separator: ", ")
        }
        switch (value("Transfer-Encoding")?.lowercased(), value("Content-Length")) {
        case (nil, nil): self.framing = .none
        case (nil, let length?):
            guard length.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let count = Int64(length) else {
                throw FormworkError(.malformedBody, "Content-Length is \"\(length)\", not a count of bytes")
            }
            self.framing = .length(count)
        case ("chunked", nil): self.framing = .chunked
        case ("chunked", _?):
            throw FormworkError(.malformedBody, "a request has Content-Length and Transfer-Encoding: drop one of them")
        case (let coding?, _):
            throw FormworkError(
                .malformedBody, "Transfer-Encoding is \"\(coding)\": \"chunked\" is all that is understood here")
        }
        self.closesAfterwards =
            value("Connection")?.lowercased() == "close" || (words[2] == "HTTP/1.0")
        self.waitsForContinue = value("Expect")?.lowercased() == "100-continue"
    }
}
