/// Reads content and encodes it.
final class EncodedCursor: SourceCursor {
    private let reader: BodyReader
    private var encoder: TransferEncoder
    private var encoded: [UInt8] = []
    private var used = 0
    /// The number of characters to skip before the first requested one.
    private var surplus: Int64
    private var isRawAtEnd = false

    init(_ content: EncodedContent, at offset: Int64) throws(FormworkError) {
        let place = content.place(of: offset)
        self.encoder = place.encoder
        self.surplus = place.surplus
        self.reader = try content.raw.makeReader(from: place.raw)
    }

    var isFinished: Bool { self.isRawAtEnd && self.used == self.encoded.count }
    var mayWait: Bool { self.used == self.encoded.count && self.reader.mayWait }
    var needsChunk: Bool { self.used == self.encoded.count && self.reader.awaitsChunk }

    func read(into buffer: inout MutableRawSpan) throws(FormworkError) -> Int {
        while self.used == self.encoded.count, !self.isRawAtEnd {
            guard try self.encodeMore() else { return 0 }
        }
        let count = RawBytes.copy(self.encoded, self.used..<self.encoded.count, to: &buffer)
        self.used += count
        return count
    }

    func fetch(isolation: isolated (any Actor)?) async throws(FormworkError) {
        do throws(FormworkError) { try await self.reader.fetchChunk(isolation: isolation) } catch {
            throw error.withoutPlace
        }
    }

    func verify() throws(FormworkError) {
        do throws(FormworkError) { try self.reader.verify() } catch { throw error.withoutPlace }
    }

    /// - Returns: `false` if it has to wait for a chunk first.
    private func encodeMore() throws(FormworkError) -> Bool {
        self.encoded.removeAll(keepingCapacity: true)
        self.used = 0
        do throws(FormworkError) {
            var needsChunk = false
            var raw: [UInt8] = []
            try raw.append(upTo: 48 << 10) { room throws(FormworkError) in
                let result = try self.reader.fill(&room)
                needsChunk = result.needsChunk
                return result.count
            }
            if raw.isEmpty, needsChunk { return false }
            self.isRawAtEnd = raw.isEmpty
            try self.encoder.encode(raw, isEnd: raw.isEmpty, into: &self.encoded)
        } catch {
            throw error.withoutPlace
        }
        self.used = Int(min(self.surplus, Int64(self.encoded.count)))
        self.surplus -= Int64(self.used)
        return true
    }
}
