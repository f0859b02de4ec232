/// A body in memory, as a source that is always ready.
struct MemoryChunks: AsyncSequence, Sendable {
    let body: [UInt8]
    let size: Int

    struct Iterator: AsyncIteratorProtocol {
        let body: [UInt8]
        let size: Int
        var position = 0

        mutating func next() async -> ArraySlice<UInt8>? {
            guard self.position < self.body.count else { return nil }
            let start = self.position
            self.position = Swift.min(start + self.size, self.body.count)
            return self.body[start..<self.position]
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(body: self.body, size: self.size) }
}
