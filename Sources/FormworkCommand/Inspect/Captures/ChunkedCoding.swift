import Formwork

/// Decodes HTTP's chunked transfer coding (RFC 9112 §7.1), in pieces of any size. Bytes after the end are ignored.
struct ChunkedCoding {
    private enum State {
        /// → extension, data, trailer
        case size(UInt64, digits: Int)
        case `extension`(UInt64)
        /// → dataEnd
        case data(left: UInt64)
        /// → size
        case dataEnd
        /// After the last chunk, on a line with that many bytes so far. → finished
        case trailer(lineBytes: Int)
        case finished
    }

    private var state = State.size(0, digits: 0)
    private var offset: Int64 = 0
    private var previous: UInt8 = 0
    /// The first thing that was read, although receivers read it differently; `nil` for none.
    private(set) var slip: String?
    /// Why it can't be read any further, as half a sentence with the place in the coded body; `nil` if it can.
    private(set) var fault: String?
    /// Whether bytes follow the last chunk.
    private(set) var hasSurplus = false

    /// Whether the last chunk was read, so the body is complete.
    var isWhole: Bool {
        switch self.state {
        case .finished: true
        default: false
        }
    }

    /// - Returns: The content that `coded` holds, up to a ``fault``.
    mutating func decode(_ coded: [UInt8]) -> [UInt8] {
        var content: [UInt8] = []
        var at = 0
        while at < coded.count, self.fault == nil {
            if case .data(let left) = self.state {
                let count = Int(min(UInt64(coded.count - at), left))
                content += coded[at..<at + count]
                at += count
                self.previous = 0
                self.state = left == UInt64(count) ? .dataEnd : .data(left: left - UInt64(count))
                continue
            }
            if case .finished = self.state {
                self.hasSurplus = true
                break
            }
            self.slip = self.slip ?? self.slip(at: coded[at])
            self.previous = coded[at]
            do throws(Unexpected) {
                self.state = try Self.next(self.state, coded[at])
            } catch {
                let place = self.offset + Int64(at)
                self.fault = "the capture's chunked coding is broken at byte \(place): expected \(error.wanted)"
            }
            at += 1
        }
        self.offset += Int64(coded.count)
        return content
    }

    private func slip(at byte: UInt8) -> String? {
        switch (self.state, byte) {
        case (_, 0x0A) where self.previous != 0x0D: "LF without CR"
        case (.trailer, _): nil
        case (_, _) where self.previous == 0x0D && byte != 0x0A: "CR without LF"
        case (.size(_, 1...), 0x20): "a blank after a chunk's size"
        case (.size(_, 1...), 0x3B): "a chunk's extension"
        default: nil
        }
    }

    private struct Unexpected: Error { var wanted: String }

    private static func next(_ state: State, _ byte: UInt8) throws(Unexpected) -> State {
        switch (state, byte) {
        // LF alone ends a line: a capture that was saved as text has lost its CRs.
        case (.size(let size, 1...), 0x0A), (.extension(let size), 0x0A):
            return size == 0 ? .trailer(lineBytes: 0) : .data(left: size)
        case (.size(let size, 1...), 0x0D), (.size(let size, 1...), 0x20), (.size(let size, 1...), 0x3B):
            return .extension(size)
        case (.size(let size, let digits), _):
            guard let digit = byte.hexDigit else { throw Unexpected(wanted: "a chunk's size") }
            guard size < 1 << 59 else { throw Unexpected(wanted: "a chunk's size below 2^63") }
            return .size(size << 4 | UInt64(digit), digits: digits + 1)
        case (.dataEnd, 0x0D), (.extension, _), (.trailer, 0x0D): return state
        case (.dataEnd, 0x0A): return .size(0, digits: 0)
        case (.trailer(0), 0x0A): return .finished
        case (.trailer, 0x0A): return .trailer(lineBytes: 0)
        case (.trailer(let count), _): return .trailer(lineBytes: count + 1)
        case (.dataEnd, _): throw Unexpected(wanted: "a line end after a chunk")
        case (.data, _), (.finished, _): return state
        }
    }
}
