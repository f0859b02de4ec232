import FormworkDigests
import NIOCore
import Synchronization

/// How many parts of an upload are sent at once: as many as make it quicker.
///
/// Where the store is far away, twice as many parts take hardly longer than one. Where it is near, or the line is full, they
/// wait for each other. So the number is doubled as long as that makes the rate at least a quarter higher, and else it
/// goes back. Only what waits for its turn counts: a slow client needs no more parts.
struct PartConcurrency: Sendable {
    private enum State {
        /// Measures with this many, to compare with a number that was tried before.
        case probing(before: (number: Int, rate: Double)?)
        /// Keeps the number for ``settledParts``.
        case settled
    }

    /// Conditions change during long uploads.
    private static let settledParts = 64
    private static let leastGain = 1.25

    private let range: ClosedRange<Int>
    private(set) var number: Int
    private var state = State.probing(before: nil)
    /// Parts that were begun with the number before, and don't count.
    private var begunBefore = 0
    /// Parts and bytes that count, and since when.
    private var (parts, bytes, start): (Int, Int, ContinuousClock.Instant)
    private var hasWaited = false

    /// - Parameter range: 1 or more; it begins with the lower bound.
    init(_ range: ClosedRange<Int>, at start: ContinuousClock.Instant = .now) {
        (self.range, self.number) = (range, range.lowerBound)
        (self.parts, self.bytes, self.start) = (0, 0, start)
    }

    /// Notes that a part had to wait because of the number.
    mutating func waited() { self.hasWaited = true }

    /// Notes that a part was stored.
    mutating func stored(_ count: Int, at now: ContinuousClock.Instant = .now) {
        if self.begunBefore > 0 {
            self.begunBefore -= 1
            self.start = now
            return
        }
        self.parts += 1
        self.bytes += count
        switch self.state {
        case .settled where self.parts >= Self.settledParts: self.measure(.probing(before: nil), at: now)
        case .probing(let before) where self.parts >= self.number: self.compare(before, at: now)
        default: break
        }
    }

    private mutating func compare(_ before: (number: Int, rate: Double)?, at now: ContinuousClock.Instant) {
        let time = self.start.duration(to: now) / .seconds(1)
        guard self.hasWaited, time > 0 else { return self.measure(.probing(before: nil), at: now) }
        let rate = Double(self.bytes) / time
        if let before, rate < before.rate * Self.leastGain {
            self.number = before.number
            return self.measure(.settled, at: now)
        }
        let more = min(2 * self.number, self.range.upperBound)
        guard more > self.number else { return self.measure(.settled, at: now) }
        self.measure(.probing(before: (self.number, rate)), at: now)
        self.begunBefore = self.number - 1
        self.number = more
    }

    private mutating func measure(_ state: State, at now: ContinuousClock.Instant) {
        self.state = state
        (self.parts, self.bytes, self.start, self.hasWaited) = (0, 0, now, false)
    }
}

/// The bytes of a part while it is filled.
struct PartBuffer {
    var bytes = ByteBuffer()
    /// The digest of the bytes, if their request is signed with it; `nil` for bytes that were read from the store, too.
    var payload: SHA256Digest?
    /// Bytes of the request's memory that the buffer has.
    var leased = 0

    /// Hands over what it has, and is empty then.
    mutating func take() -> PartBuffer {
        defer { self = PartBuffer() }
        return self
    }
}

/// Buffers of parts that have been sent, reused for the next parts of any upload.
///
/// If each thread returned them to the system's allocator and requested new ones, they would use several times the
/// memory.
final class PartBuffers: Sendable {
    private let buffers = Mutex<[ByteBuffer]>([])
    private let size: Int
    private let limit: Int

    /// - Parameters:
    ///   - size: Bytes of a part: smaller buffers aren't kept.
    ///   - limit: Buffers that are kept at most.
    init(of size: Int, limit: Int) { (self.size, self.limit) = (size, limit) }

    /// An empty buffer, with reserved space if one is available.
    func take() -> ByteBuffer {
        var buffer = self.buffers.withLock { $0.popLast() } ?? ByteBuffer()
        buffer.clear()
        return buffer
    }

    func give(_ buffer: ByteBuffer) {
        guard buffer.capacity >= self.size else { return }
        self.buffers.withLock { if $0.count < self.limit { $0.append(buffer) } }
    }

    /// Keeps at most `count`, until more are given.
    func trim(to count: Int) { self.buffers.withLock { $0 = Array($0.prefix(count)) } }
}
