@testable import FormworkReceiver
import NIOCore
import Testing

/// Whether a client sends fast enough: 500 bytes a second, over 30 seconds in which bytes were wanted.
@Suite(.timeLimit(.minutes(10)))
struct PaceMeterTests {
    private func at(_ seconds: Int) -> NIODeadline { .uptimeNanoseconds(UInt64(seconds) * 1_000_000_000) }

    private func isLate(_ meter: inout PaceMeter, _ second: Int) -> Bool { meter.isLate(at: self.at(second)) }

    private func meter() -> PaceMeter { PaceMeter(ReceivingPace(), now: self.at(0)) }

    @Test func `Nothing for the idle time is late`() {
        var meter = self.meter()
        meter.wants(at: self.at(0))
        let checks = [7, 15, 22, 29, 30].map { self.isLate(&meter, $0) }
        #expect(checks == [false, false, false, false, true])
    }

    @Test(arguments: [(1, true), (499, true), (500, false), (100_000, false)])
    func `Bytes in each second`(count: Int, isLate: Bool) {
        var meter = self.meter()
        for second in 0..<30 {
            meter.wants(at: self.at(second))
            meter.took(count, at: self.at(second + 1))
        }
        #expect(self.isLate(&meter, 30) == isLate)
    }

    @Test func `A new window begins after each check`() {
        var meter = self.meter()
        meter.wants(at: self.at(0))
        meter.took(1_000_000, at: self.at(30))
        #expect(!self.isLate(&meter, 30))
        for second in 30..<60 {
            meter.wants(at: self.at(second))
            meter.took(1, at: self.at(second + 1))
        }
        #expect(self.isLate(&meter, 60))
    }

    @Test func `Time in which no bytes are wanted doesn't count`() {
        var meter = self.meter()
        meter.wants(at: self.at(0))
        meter.took(1, at: self.at(1))
        #expect(!self.isLate(&meter, 1000))
        meter.wants(at: self.at(1000))
        #expect(!self.isLate(&meter, 1028))
        #expect(self.isLate(&meter, 1029), "29 seconds, and the first one")
    }
}
