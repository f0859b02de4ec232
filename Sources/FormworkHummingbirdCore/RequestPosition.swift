/// The state of an HTTP/1 connection, shared by its decoder and its framing.
final class RequestPosition {
    enum Phase: Equatable {
        /// Between requests, or in a head.
        case head
        /// In a body with this many bytes left; `nil` for one in chunks.
        case body(remaining: Int64?)
        /// The request is complete; its answer hasn't been sent completely.
        case answering
        /// Nothing more is accepted.
        case over
    }

    var phase = Phase.head
    /// Whether the request offers to switch protocols after it, which stops NIO's decoder for good.
    var offersUpgrade = false
    /// Whether the connection ends after the request's answer.
    var isLast = false
    /// Whether the answer to the current request was written before the request was complete.
    private var isAnsweredEarly = false
    /// Continues with the bytes after the request that was answered.
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

/// The overhead of chunks besides their content: extensions can be endless, and no limit of a body counts them.
struct ChunkOverhead {
    /// The overhead that a body may have in total: a trailer section, which the decoder limits, and some more.
    private static let allowance = 96 << 10
    /// The overhead per piece of content: the digits of its size, and line ends.
    private static let perPiece = 32

    private var wire = 0
    private var content = 0
    private var pieces = 0

    /// Counts bytes of content.
    mutating func took(_ count: Int) {
        self.content += count
        self.pieces += 1
    }

    /// Counts all bytes, content included.
    /// - Returns: Whether they are more than the content justifies.
    mutating func read(_ count: Int) -> Bool {
        self.wire += count
        return self.wire > 3 * self.content + Self.perPiece * self.pieces + Self.allowance
    }
}

@available(*, unavailable)
extension RequestPosition: Sendable {}
