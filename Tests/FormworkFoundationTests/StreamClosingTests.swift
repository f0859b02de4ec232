import Foundation
import FormworkFoundation
import FormworkMigration
import Synchronization
import Testing

@Suite("Closing a stream", .timeLimit(.minutes(10)))
struct StreamClosingTests {
    /// Gives a chunk, then waits until it is cancelled, and says that it was.
    private struct Waiting: AsyncSequence, Sendable {
        let events: AsyncStream<String>.Continuation

        struct Iterator: AsyncIteratorProtocol {
            let events: AsyncStream<String>.Continuation
            var isFirst = true

            mutating func next() async throws -> [UInt8]? {
                if self.isFirst {
                    self.isFirst = false
                    return [1, 2, 3]
                }
                self.events.yield("waits")
                do { try await Task.sleep(for: .seconds(86_400)) } catch {
                    self.events.yield("cancelled")
                    throw error
                }
                return nil
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(events: self.events) }
    }

    @Test("Cancels what it fetches ahead, whether or not anybody waits for it", arguments: [true, false])
    func cancels(isReading: Bool) async throws {
        let (events, continuation) = AsyncStream.makeStream(of: String.self)
        let plan = try await form(.chunks { _ in Waiting(events: continuation) }).plan()
        let closed = Mutex(false)
        let reading = Task {
            try await onThread {
                let stream = plan.makeInputStream()
                stream.open()
                var room = [UInt8](repeating: 0, count: 1000)
                var count = 0
                // Up to the sequence's own bytes: what comes behind them is fetched from then on.
                repeat { count = stream.read(&room, maxLength: 1000) } while count > 0 && room[count - 1] != 3
                guard isReading else {
                    while !closed.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
                    stream.close()
                    return
                }
                // The stream may not cross threads, unless by those who know that it can.
                nonisolated(unsafe) let other = stream
                Thread.detachNewThread {
                    while !closed.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
                    other.close()
                }
                #expect(stream.read(&room, maxLength: 1000) == -1)
            }
        }
        var seen: [String] = []
        for await event in events {
            seen.append(event)
            if event == "waits" { closed.withLock { $0 = true } }
            if event == "cancelled" { break }
        }
        try await reading.value
        #expect(seen == ["waits", "cancelled"])
    }
}
