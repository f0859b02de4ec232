import FormworkCore
import Synchronization

/// Compares what one reader sees with what others saw before.
struct StreamComparison {
    private let history: StreamHistory
    private let before: StreamHistory.Beginning
    private var position: Int64
    /// Of all bytes; `nil` for a reader that began at an offset, of which only the end is compared.
    private var checksum: CRC32C?

    /// `nil` for a stream that is read once, or whose declared length is compared.
    init?(_ source: StreamSource, at offset: Int64) {
        guard source.isReplayable, source.length == nil else { return nil }
        self.history = source.history
        self.before = source.history.longest.withLock { $0 }
        self.position = offset
        self.checksum = offset == 0 ? CRC32C() : nil
    }

    /// - Returns: Whether these bytes are those that came here before, as far as that is known.
    mutating func take(_ bytes: RawSpan) -> Bool {
        let rest = self.before.count - self.position
        self.position += Int64(bytes.byteCount)
        guard var checksum = self.checksum else { return true }
        defer { self.checksum = checksum }
        guard rest > 0, rest <= bytes.byteCount else {
            checksum.update(bytes)
            return !self.before.isWhole || self.position <= self.before.count
        }
        checksum.update(bytes.extracting(0..<Int(rest)))
        guard checksum.value == self.before.checksum else { return false }
        checksum.update(bytes.extracting(Int(rest)..<bytes.byteCount))
        return !self.before.isWhole || self.position == self.before.count
    }

    /// - Returns: Whether the stream ended here before, as far as that is known.
    func end() -> Bool {
        self.history.longest.withLock { longest in
            let endsHere = longest.isWhole ? self.position == longest.count : self.position >= longest.count
            guard endsHere else { return false }
            guard let checksum = self.checksum?.value else { return true }
            guard self.position > longest.count || checksum == longest.checksum else { return false }
            longest = StreamHistory.Beginning(count: self.position, checksum: checksum, isWhole: true)
            return true
        }
    }

    /// Keeps what was seen, for a reader that leaves before the end.
    func leave() {
        guard let checksum = self.checksum?.value else { return }
        self.history.longest.withLock { longest in
            guard self.position > longest.count, !longest.isWhole else { return }
            longest = StreamHistory.Beginning(count: self.position, checksum: checksum)
        }
    }
}
