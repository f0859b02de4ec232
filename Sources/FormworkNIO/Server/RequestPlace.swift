#if NIO
/// Where a connection of HTTP/1 is in its requests: what its decoder and its framing know of each other.
final class RequestPlace {
    enum Phase: Equatable {
        /// Between requests, or in a head.
        case head
        /// In a body of so many bytes still; `nil` for one in chunks.
        case body(remaining: Int64?)
        /// The request is whole, its answer isn't out.
        case answering
        /// Nothing more is taken.
        case over
    }

    var phase = Phase.head
    /// Whether the request offers to speak something else behind it, by which NIO's decoder stops for good.
    var offersUpgrade = false
    /// Whether the connection ends behind the request's answer.
    var isLast = false
    /// Whether the answer to the request under way was written before the request was whole.
    private var isAnsweredEarly = false
    /// Goes on with what waits behind the request that was answered.
    var resume: () -> Void = {}
    var overhead = ChunkOverhead()

    func began(remaining: Int64?, offersUpgrade: Bool, isLast: Bool) {
        (self.offersUpgrade, self.isLast, self.isAnsweredEarly) = (offersUpgrade, isLast, false)
        self.phase = .body(remaining: remaining)
        self.overhead = ChunkOverhead()
    }

    func took(_ count: Int) {
        guard case .body(let remaining) = self.phase else { return }
        if let remaining {
            self.phase = .body(remaining: remaining - Int64(count))
        } else {
            self.overhead.took(count)
        }
    }

    func requestEnded() {
        guard case .body = self.phase else { return }
        self.phase = .answering
        if self.isAnsweredEarly { self.answered() }
    }

    func answered() {
        switch self.phase {
        case .answering:
            self.phase = self.isLast ? .over : .head
            self.resume()
        case .body: self.isAnsweredEarly = true
        case .head, .over: break
        }
    }
}

/// What chunks take besides their content: extensions may come without end, and no limit of a body counts them.
struct ChunkOverhead {
    /// Bytes besides content that a body may have in all: a trailer section, which the decoder bounds, and some.
    private static let allowance = 96 << 10
    /// The same for each piece of content: the digits of its size, and line ends.
    private static let perPiece = 32

    private var wire = 0
    private var content = 0
    private var pieces = 0

    /// Bytes of content came.
    mutating func took(_ count: Int) {
        self.content += count
        self.pieces += 1
    }

    /// Bytes came, of content or not.
    /// - Returns: Whether they are more than the content can account for.
    mutating func read(_ count: Int) -> Bool {
        self.wire += count
        return self.wire > 3 * self.content + Self.perPiece * self.pieces + Self.allowance
    }
}

@available(*, unavailable)
extension RequestPlace: Sendable {}
#endif
