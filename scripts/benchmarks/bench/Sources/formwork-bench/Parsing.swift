import Formwork
import Glibc
import SystemPackage

// Received bodies, by their rates for each second of CPU time, as `scripts/bench` asks for them.

/// What a parser found in a body: compared with what is in it.
struct Findings: Equatable {
    var parts = 0
    var bytes = 0
    /// The most that the parser held back at a chunk's end.
    var retained = 0
}

func findings(byMachine parser: MultipartParser, in body: [UInt8], _ size: Int) throws -> Findings {
    var parser = parser
    var found = Findings()
    var start = 0
    while start < body.count {
        let chunk = body[start..<min(start + size, body.count)]
        var position = start
        reading: while true {
            switch try parser.next(in: chunk, from: &position) {
            case .partBegan: found.parts += 1
            case .content(let range): found.bytes += range.count
            case .heldContent(let bytes): found.bytes += bytes.count
            case .partEnded, .finished: break
            case .needsInput: break reading
            }
        }
        found.retained = max(found.retained, parser.retainedBytes)
        start = chunk.endIndex
    }
    try parser.finish()
    return found
}

func findings<Chunks>(in parts: ReceivedParts<Chunks>, collected: Bool) async throws -> Findings {
    var found = Findings()
    for try await part in parts {
        found.parts += 1
        if collected {
            found.bytes += try await part.collect(upTo: .max).count
        } else {
            for try await piece in part.content { found.bytes += piece.byteCount }
        }
    }
    return found
}

func findings(byForm parts: ReceivedParts<MemoryChunks>) async throws -> Findings {
    var limits = CollectingLimits()
    limits.memoryBytes = .max
    let entries = try await ReceivedForm(collecting: parts, limits: limits)
    return entries.reduce(into: Findings()) { found, entry in
        found.parts += 1
        found.bytes += Int(entry.content.count)
    }
}

/// The CPU seconds of one run, as the median of rounds of a twentieth of a second, and what the runs found.
func measured(_ work: () async throws -> Findings) async throws -> (seconds: Double, found: Findings) {
    func now() -> Double { Double(clock()) / 1_000_000 }  // CLOCKS_PER_SEC, everywhere
    let found = try await work()
    var rounds: [Double] = []
    while rounds.count < 5 {
        let start = now()
        var runs = 0
        repeat {
            guard try await work() == found else { throw Failure(reason: "two runs differ") }
            runs += 1
        } while now() - start < 0.05
        rounds.append((now() - start) / Double(runs))
    }
    return (rounds.sorted()[rounds.count / 2], found)
}

/// Parses the body in a file, HOW one of: machine, async (each part collected), pieces, form; or `disk`, once and without
/// having it in memory.
func parse(_ path: String, how: String, boundary: String, chunkSize size: Int) async throws -> String {
    let parser = MultipartParser(boundary: try Boundary(boundary), limits: .none)
    if how == "disk" {
        let chunks = try BodySource.file(FilePath(path)).chunks(of: size)
        let found = try await findings(in: ReceivedParts(chunks, parser: parser), collected: false)
        return "parts \(found.parts)\nbytes \(found.bytes)\n"
    }
    var content: [UInt8] = []
    for try await chunk in try BodySource.file(FilePath(path)).chunks(of: 1 << 20) { content += chunk }
    let body = content
    let (seconds, found) = try await measured {
        let chunks = MemoryChunks(body: body, size: size)
        let parts = ReceivedParts(chunks, parser: parser)
        switch how {
        case "machine": return try findings(byMachine: parser, in: body, size)
        case "form": return try await findings(byForm: parts)
        default: return try await findings(in: parts, collected: how == "async")
        }
    }
    let rate = Int(Double(body.count) / seconds / 1e6)
    return "parts \(found.parts)\nbytes \(found.bytes)\nretained \(found.retained)\nrate \(rate)\n"
}
