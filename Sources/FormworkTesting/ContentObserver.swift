import FormworkCore

/// Observes content as it passes: its length, its checksum, checksums along the way that locate a difference, and the
/// bytes themselves if there is room.
struct ContentObserver: Sendable {
    /// The precision with which a difference is located in content that isn't kept.
    static let markDistance = 64 << 10

    private(set) var count: Int64 = 0
    private(set) var checksum = CRC32C()
    /// The checksum of all bytes so far, at every whole multiple of ``markDistance``.
    private(set) var marks: [UInt32] = []
    /// `nil` after more than `room` bytes.
    private(set) var bytes: [UInt8]? = []
    private let room: Int

    init(room: Int) { self.room = room }

    mutating func take(_ piece: RawSpan) {
        self.keep(piece)
        var place = 0
        while place < piece.byteCount {
            let toMark = Self.markDistance - Int(self.count % Int64(Self.markDistance))
            let step = min(toMark, piece.byteCount - place)
            self.checksum.update(piece.extracting(place..<place + step))
            self.count += Int64(step)
            if step == toMark { self.marks.append(self.checksum.value) }
            place += step
        }
    }

    /// Counts and keeps bytes without a checksum.
    mutating func takeUnchecked(_ piece: RawSpan) {
        self.keep(piece)
        self.count += Int64(piece.byteCount)
    }

    private mutating func keep(_ piece: RawSpan) {
        if let count = self.bytes?.count {
            if piece.byteCount > self.room - count {
                self.bytes = nil
            } else {
                self.bytes?.append(piece, 0..<piece.byteCount)
            }
        }
    }
}
