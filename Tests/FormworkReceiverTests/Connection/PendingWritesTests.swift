@testable import FormworkReceiver
import NIOCore
import NIOEmbedded
import Testing

/// When everything written has been sent.
@Suite(.timeLimit(.minutes(10)))
struct PendingWritesTests {
    private final class Told { var words: [String] = [] }

    private func at(_ seconds: Int) -> NIODeadline { .uptimeNanoseconds(UInt64(seconds) * 1_000_000_000) }

    private func promise(_ told: Told) -> EventLoopPromise<Void> {
        let promise = EmbeddedEventLoop().makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { result in
            switch result {
            case .success: told.words.append("sent")
            case .failure: told.words.append("failed")
            }
        }
        return promise
    }

    @Test func `A promise is kept with the last write`() {
        let told = Told()
        var writes = PendingWrites()
        writes.whenAllEnded(self.promise(told))
        #expect(told.words == ["sent"], "nothing is written")
        writes.began(at: self.at(0))
        writes.began(at: self.at(1))
        writes.whenAllEnded(self.promise(told))
        writes.ended(at: self.at(2))
        writes.whenAllEnded(self.promise(told))
        #expect(told.words == ["sent"])
        writes.ended(at: self.at(3))
        #expect(told.words == ["sent", "sent", "sent"])
    }

    @Test func `A promise fails with the connection`() {
        let told = Told()
        var writes = PendingWrites()
        writes.began(at: self.at(0))
        writes.whenAllEnded(self.promise(told))
        writes.fail(ChannelError.ioOnClosedChannel)
        #expect(told.words == ["failed"])
        writes.ended(at: self.at(1))
        #expect(told.words == ["failed"])
    }

    @Test func `Writes are stuck if none was sent for some time`() {
        var writes = PendingWrites()
        func areStuck(_ second: Int) -> Bool { writes.areStuck(for: .seconds(10), at: self.at(second)) }
        #expect(!areStuck(100))
        writes.began(at: self.at(100))
        writes.began(at: self.at(105))
        #expect(!areStuck(109) && areStuck(110))
        writes.ended(at: self.at(109))
        #expect(!areStuck(118) && areStuck(119))
        writes.ended(at: self.at(119))
        #expect(!areStuck(200))
    }
}
