import Synchronization

/// A body in chunks, which counts how many were asked for and knows whether anybody still holds it.
package struct ChunkSource: AsyncSequence, Sendable {
    package final class Log: Sendable {
        private let state = Mutex((pulled: 0, iterators: 0))
        package init() {}
        package var pulled: Int { self.state.withLock { $0.pulled } }
        /// Iterators that live.
        package var iterators: Int { self.state.withLock { $0.iterators } }
        package func pull() { self.state.withLock { $0.pulled += 1 } }
        fileprivate func opened() { self.state.withLock { $0.iterators += 1 } }
        fileprivate func closed() { self.state.withLock { $0.iterators -= 1 } }
    }

    package let chunks: [[UInt8]]
    /// What comes behind the last chunk; the end, unless said otherwise.
    var failure: (any Error)?
    /// Whether nothing more comes behind the last chunk, not even the end.
    var stops = false
    /// The time before each chunk and the end.
    var pause = Duration.zero
    package let log = Log()

    package init(
        _ chunks: [[UInt8]], failure: (any Error)? = nil, stops: Bool = false, pause: Duration = .zero
    ) {
        (self.chunks, self.failure, self.stops, self.pause) = (chunks, failure, stops, pause)
    }

    package init(texts: [String], failure: (any Error)? = nil, stops: Bool = false) {
        self.init(texts.map { Array($0.utf8) }, failure: failure, stops: stops)
    }

    /// Cuts a body.
    package init(_ body: String, every size: Int, failure: (any Error)? = nil, stops: Bool = false) {
        self.init(Array(body.utf8), every: size, failure: failure, stops: stops)
    }

    /// Cuts a body.
    package init(_ bytes: [UInt8], every size: Int, failure: (any Error)? = nil, stops: Bool = false) {
        let chunks = stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0...].prefix(size)) }
        self.init(chunks, failure: failure, stops: stops)
    }

    package final class Iterator: AsyncIteratorProtocol {
        private var rest: ArraySlice<[UInt8]>
        private let source: ChunkSource

        fileprivate init(_ source: ChunkSource) {
            (self.rest, self.source) = (source.chunks[...], source)
            source.log.opened()
        }

        deinit { self.source.log.closed() }

        package func next() async throws -> [UInt8]? {
            self.source.log.pull()
            if self.source.pause > .zero { try await Task.sleep(for: self.source.pause) } else { await Task.yield() }
            if let chunk = self.rest.popFirst() { return chunk }
            if let failure = self.source.failure { throw failure }
            // Longer than any test: who waits for it is cancelled.
            if self.source.stops { try await Task.sleep(for: .seconds(600)) }
            return nil
        }
    }

    package func makeAsyncIterator() -> Iterator { Iterator(self) }
}
