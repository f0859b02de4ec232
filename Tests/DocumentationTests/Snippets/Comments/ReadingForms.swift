import Formwork

// The examples in the comments of ReceivedPart, ParsingLimits, MultipartParser and FormworkError.

func readingFiles<Chunks>(_ parts: ReceivedParts<Chunks>) async throws {
    for try await part in parts where part.isFile {
        try part.limit(to: 20 << 20)
        if let path = try await part.write(into: "uploads") { print(part.name ?? "", path) }
    }
}

private struct NotAPNG: Error {}

func readingHeads<Chunks>(_ part: ReceivedPart<Chunks>) async throws {
    guard try await part.peek(8).starts(with: [0x89, 0x50, 0x4E, 0x47]) else { throw NotAPNG() }
    try await part.write(into: "uploads")
}

func readingJSON<Chunks>(_ part: ReceivedPart<Chunks>) async throws -> Metadata {
    let metadata = try await part.decode(Metadata.self, upTo: 64 << 10)
    return metadata
}

func readingWithLimits(_ body: BodyChunks, _ contentType: String) async throws -> ReceivedParts<BodyChunks> {
    var limits = ParsingLimits()
    (limits.totalBytes, limits.fileBytes, limits.files) = (50 << 20, 20 << 20, 5)
    let parts = try ReceivedParts(body, contentType: contentType, limits: limits)
    return parts
}

func readingEvents(_ chunks: [[UInt8]], _ contentType: String) async throws -> (names: [String], content: [UInt8]) {
    var (names, content): ([String], [UInt8]) = ([], [])
    var parser = try MultipartParser(contentType: contentType)
    for chunk in chunks {
        var position = chunk.startIndex
        reading: while true {
            switch try parser.next(in: chunk, from: &position) {
            case .partBegan(let header): names.append(header.name ?? "")
            case .content(let range): content += chunk[range]
            case .heldContent(let bytes): content += bytes
            case .partEnded, .finished: break
            case .needsInput: break reading
            }
        }
    }
    try parser.finish()
    return (names, content)
}

func readingErrors(_ form: FormData) async throws {
    do {
        let plan = try await form.plan()
        try await plan.write(toFile: "body.bin")
    } catch let error as FormworkError {
        guard error.code == .sourceUnavailable else { throw error }
        print(error.part?.name ?? "", error.path ?? "", error.message)
    }
}
