import Synchronization

/// A body in chunks, which counts how many were asked for and knows whether anybody still holds it.
struct ChunkSource: AsyncSequence, Sendable {
    final class Log: Sendable {
        private let state = Mutex((pulled: 0, iterators: 0))
        var pulled: Int { self.state.withLock { $0.pulled } }
        /// Iterators that live.
        var iterators: Int { self.state.withLock { $0.iterators } }
        func pull() { self.state.withLock { $0.pulled += 1 } }
        func opened() { self.state.withLock { $0.iterators += 1 } }
        func closed() { self.state.withLock { $0.iterators -= 1 } }
    }

    let chunks: [[UInt8]]
    /// What comes behind the last chunk; the end, unless said otherwise.
    var failure: (any Error)?
    /// Whether nothing more comes behind the last chunk, not even the end.
    var stops = false
    let log = Log()

    init(_ chunks: [[UInt8]], failure: (any Error)? = nil, stops: Bool = false) {
        (self.chunks, self.failure, self.stops) = (chunks, failure, stops)
    }

    /// Cuts a body.
    init(_ body: String, every size: Int, failure: (any Error)? = nil, stops: Bool = false) {
        self.init(Array(body.utf8), every: size, failure: failure, stops: stops)
    }

    /// Cuts a body.
    init(_ bytes: [UInt8], every size: Int, failure: (any Error)? = nil, stops: Bool = false) {
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
        self.init(chunks, failure: failure, stops: stops)
    }

    final class Iterator: AsyncIteratorProtocol {
        private var rest: ArraySlice<[UInt8]>
        private let source: ChunkSource

        init(_ source: ChunkSource) {
            (self.rest, self.source) = (source.chunks[...], source)
            source.log.opened()
        }

        deinit { self.source.log.closed() }

        func next() async throws -> [UInt8]? {
            self.source.log.pull()
            if let chunk = self.rest.popFirst() { return chunk }
            if let failure = self.source.failure { throw failure }
            // Longer than any test: who waits for it is cancelled.
            if self.source.stops { try await Task.sleep(for: .seconds(600)) }
            return nil
        }
    }

    func makeAsyncIterator() -> Iterator { Iterator(self) }
}
