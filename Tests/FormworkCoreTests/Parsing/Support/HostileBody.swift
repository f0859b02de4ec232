import FormworkCore
import Testing

extension [UInt8] {
    /// `unit` over and over, by doubling: a million single bytes joined take a debug build seconds.
    init(repeating unit: [UInt8], count: Int) {
        self = []
        var (block, left) = (unit, count)
        while left > 0 {
            if left % 2 == 1 { self += block }
            block += block
            left /= 2
        }
    }

    /// `text` over and over, as many whole times as fit.
    init(filling count: Int, with text: String) {
        let unit = Array(text.utf8)
        self.init(repeating: unit, count: count / unit.count)
    }
}

/// Big enough that a parser which keeps what it has and looks at it again for each chunk of ``hostileChunk`` bytes
/// looks at gigabytes, and runs into its suite's time limit; small enough for a debug build.
let hostileSize = 1 << 20
let hostileChunk = 64

/// Reads a file of this content and expects it back whole, in a bounded number of events for each chunk, with nothing
/// retained but what may yet become a delimiter. Both together are linear time: no byte is there to be looked at again.
func expectLinear(
    _ content: [UInt8], chunk: Int = hostileChunk, _ what: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    var parser = try parser("boundary", .default, .none)
    let body = formBody(content)
    var back: [UInt8] = []
    back.reserveCapacity(content.count)
    var (events, most, retained) = (0, 0, 0)
    for start in stride(from: 0, to: body.count, by: chunk) {
        let part = body[start..<min(start + chunk, body.count)]
        var position = start
        events = 0
        feeding: while true {
            events += 1
            switch try parser.next(in: part, from: &position) {
            case .content(let range): back += part[range]
            case .heldContent(let bytes): back += bytes
            case .needsInput: break feeding
            default: break
            }
        }
        (most, retained) = (max(most, events), max(retained, parser.retainedBytes))
    }
    try parser.finish()
    #expect(back == content, "\(what)", sourceLocation: sourceLocation)
    // Held bytes, content, the part's end, the body's end, and that there is no more.
    #expect(most <= 5, "\(what): \(most) events for a chunk", sourceLocation: sourceLocation)
    // The part's header section is 57 bytes: more than any delimiter with its padding here.
    #expect(retained <= 57, "\(what): \(retained) bytes retained", sourceLocation: sourceLocation)
}
