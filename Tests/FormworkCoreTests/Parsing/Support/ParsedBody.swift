import FormworkCore

/// What a parser made of a body: the parts it told of, and how it ended. Equal however the body was cut.
struct ParsedBody: Equatable {
    struct Part: Equatable {
        var header: ReceivedHeader
        var content: [UInt8] = []
        var isWhole = false
    }

    var parts: [Part] = []
    /// What other receivers read differently in the type and the framing of an accepted body.
    var ambiguities: [String] = []
    /// Whether the close delimiter's line was seen to its end.
    var isFinished = false
    /// The failure's class; `nil` when the body was accepted.
    var failure: ParsingFailure?
    var failureOffset: Int64?
    /// The failure itself.
    var error: FormworkError?
    /// The most that the parser held back between chunks.
    var retained = 0

    static func == (left: Self, right: Self) -> Bool {
        left.parts == right.parts && left.isFinished == right.isFinished && left.failure == right.failure
            && left.failureOffset == right.failureOffset
    }

    /// Feeds what `chunks` gives to a parser, then its end.
    init(_ parser: MultipartParser, _ chunks: some Sequence<ArraySlice<UInt8>>) {
        var parser = parser
        do throws(FormworkError) {
            for chunk in chunks {
                var position = chunk.startIndex
                try self.take(chunk, &parser, &position)
                self.retained = max(self.retained, parser.retainedBytes)
            }
            try parser.finish()
            self.ambiguities = parser.ambiguities.map(\.name)
        } catch {
            self.failure = error.parsingFailure
            self.failureOffset = error.offset
            self.error = error
        }
    }

    private mutating func take(
        _ chunk: ArraySlice<UInt8>, _ parser: inout MultipartParser, _ position: inout Int
    ) throws(FormworkError) {
        while true {
            let event = try parser.next(in: chunk, from: &position)
            switch event {
            case .partBegan(let header): self.parts.append(Part(header: header))
            case .content(let range): self.parts[self.parts.count - 1].content += chunk[range]
            case .heldContent(let bytes): self.parts[self.parts.count - 1].content += bytes
            case .partEnded: self.parts[self.parts.count - 1].isWhole = true
            case .finished: self.isFinished = true
            case .needsInput: return
            }
        }
    }
}

extension ParsedBody: CustomStringConvertible {
    /// A line: reflection would print every byte.
    var description: String {
        let parts = self.parts.map { part in
            "\(part.header.name ?? "-")/\(part.header.filename ?? "-"): \(part.content.count) bytes"
                + (part.isWhole ? "" : ", cut off")
        }
        let end = self.error.map(\.description) ?? (self.isFinished ? "finished" : "ended on its last line")
        return "[\(parts.joined(separator: "; "))] \(end)"
    }
}

extension MultipartParser {
    func parse(_ body: [UInt8]) -> ParsedBody { ParsedBody(self, [body[...]]) }
    func parse(_ body: String) -> ParsedBody { self.parse(Array(body.utf8)) }

    /// In chunks of a size.
    func parse(_ body: [UInt8], chunk: Int) -> ParsedBody {
        ParsedBody(self, stride(from: 0, to: body.count, by: chunk).lazy.map { body[$0..<min($0 + chunk, body.count)] })
    }

    /// In two chunks.
    func parse(_ body: [UInt8], cut: Int) -> ParsedBody { ParsedBody(self, [body[..<cut], body[cut...]]) }

    /// In chunks of 1 to `most` bytes, some of them empty.
    func parse(_ body: [UInt8], upTo most: Int, using generator: inout some RandomNumberGenerator) -> ParsedBody {
        var chunks: [ArraySlice<UInt8>] = []
        var at = 0
        while at < body.count {
            let end = min(body.count, at + Int.random(in: 0...most, using: &generator))
            chunks.append(body[at..<end])
            at = end
        }
        return ParsedBody(self, chunks)
    }
}

/// A form with one part: `name` "a" and this content.
func formBody(_ content: [UInt8], boundary: String = "boundary", file: Bool = true) -> [UInt8] {
    Array("--\(boundary)\r\nContent-Disposition: form-data; name=\"a\"\(file ? "; filename=\"f\"" : "")\r\n\r\n".utf8)
        + content + Array("\r\n--\(boundary)--\r\n".utf8)
}

func parser(
    _ boundary: String = "boundary", _ profile: ParsingProfile = .default, _ limits: ParsingLimits = .default
) throws -> MultipartParser {
    try MultipartParser(contentType: "multipart/form-data; boundary=\(boundary)", profile: profile, limits: limits)
}

/// The class of the failure that `body` throws; `nil` when it throws none.
func failure(of body: () throws -> Void) -> ParsingFailure? {
    do {
        try body()
        return nil
    } catch {
        return (error as? FormworkError)?.parsingFailure
    }
}
