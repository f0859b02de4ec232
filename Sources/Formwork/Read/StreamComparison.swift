import Synchronization

/// Compares what one reader sees with what others saw before.
struct StreamComparison {
    private let history: StreamHistory
    private let before: StreamHistory.Beginning
    private var count: Int64 = 0
    private var checksum = CRC32C()

    /// `nil` for a stream that is read once, or whose declared length is compared. Only a reader that begins at offset 0
    /// can reach another.
    init?(_ source: StreamSource, at offset: Int64) {
        guard source.isReplayable, source.length == nil, offset == 0 else { return nil }
        self.history = source.history
        self.before = source.history.longest.withLock { $0 }
    }

    /// - Returns: Whether these bytes are those that came here before, as far as that is known.
    mutating func take(_ bytes: RawSpan) -> Bool {
        let rest = self.before.count - self.count
        self.count += Int64(bytes.byteCount)
        guard rest > 0, rest <= bytes.byteCount else {
            self.checksum.update(bytes)
            return !self.before.isWhole || self.count <= self.before.count
        }
        self.checksum.update(bytes.extracting(0..<Int(rest)))
        guard self.checksum.value == self.before.checksum else { return false }
        self.checksum.update(bytes.extracting(Int(rest)..<bytes.byteCount))
        return !self.before.isWhole || self.count == self.before.count
    }

    /// - Returns: Whether the stream ended here before, as far as that is known.
    func end() -> Bool {
        self.history.longest.withLock { longest in
            let isSame = self.count == longest.count && self.checksum.value == longest.checksum
            guard isSame || (self.count > longest.count && !longest.isWhole) else { return false }
            longest = StreamHistory.Beginning(count: self.count, checksum: self.checksum.value, isWhole: true)
            return true
        }
    }

    /// Keeps what was seen, for a reader that leaves before the end.
    func leave() {
        self.history.longest.withLock { longest in
            guard self.count > longest.count, !longest.isWhole else { return }
            longest = StreamHistory.Beginning(count: self.count, checksum: self.checksum.value)
        }
    }
}
