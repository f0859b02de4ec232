@testable import FormworkClient
import Testing

extension NIOTests {
    /// What one exchange has sent, by the order of its events.
    @Suite("What an exchange has sent", .timeLimit(.minutes(10)))
    struct ExchangeLedgerTests {
        /// Of a body of `count` bytes, all of them read.
        private func ledger(_ count: Int = 10, _ monitor: UploadMonitor? = nil) throws -> ExchangeLedger {
            let plan = try BodyPlan(copying: .bytes([UInt8](repeating: 1, count: count)))
            let ledger = ExchangeLedger(ExchangeBody(plan), monitor)
            ledger.produce(count)
            return ledger
        }

        @Test("A request without a body is complete")
        func noBody() {
            let ledger = ExchangeLedger(nil, nil)
            #expect(ledger.isComplete)
            ledger.answer(takesBody: true, endsSending: true)
            #expect(ledger.answered?.isBodyComplete == true)
            #expect(!ledger.endsSending)
        }

        @Test("An answer after the last byte is not early")
        func complete() throws {
            let ledger = try self.ledger()
            ledger.write(6)
            #expect(!ledger.isComplete)
            ledger.write(4)
            #expect(ledger.isComplete && ledger.written == 10)
            ledger.answer(takesBody: true, endsSending: true)
            #expect(ledger.answered?.bytesSent == 10 && ledger.answered?.isBodyComplete == true)
            #expect(ledger.answered?.isAllSent == true)
            #expect(!ledger.endsSending && ledger.answerTakesBody)
        }

        @Test("An early answer stays as it was, whatever is sent later")
        func early() throws {
            let ledger = try self.ledger()
            ledger.write(4)
            ledger.answer(takesBody: false, endsSending: true)
            ledger.write(6)
            ledger.answer(takesBody: true, endsSending: false)
            #expect(ledger.answered?.bytesSent == 4 && ledger.answered?.isBodyComplete == false)
            #expect(ledger.endsSending && !ledger.answerTakesBody)
        }

        @Test("A short body counts as complete if a server that answered early accepts no more of it")
        func believed() async throws {
            for (count, isComplete) in [
                (Int(EarlySuccess.believedLength), true), (Int(EarlySuccess.believedLength) + 1, false),
            ] {
                let ledger = try self.ledger(count)
                ledger.write(4)
                ledger.answer(takesBody: true, endsSending: false)
                ledger.stop()
                let settled = await ledger.settled()
                #expect(settled.isBodyComplete == isComplete && settled.bytesSent == 4 && !settled.isAllSent)
            }
        }

        @Test("A long body isn't complete because its end was read after the connection accepted no more of it")
        func longBody() async throws {
            let ledger = try self.ledger(5_000_000)
            ledger.write(1_000_000)
            ledger.answer(takesBody: true, endsSending: false)
            ledger.breakOff()
            ledger.reachEnd()
            ledger.stop()
            let settled = await ledger.settled()
            #expect(!settled.isBodyComplete && !settled.isAllSent && settled.bytesSent == 1_000_000)
        }

        @Test("The monitor shows what was sent, and all of it once the server has answered")
        func monitor() throws {
            let monitor = UploadMonitor()
            let ledger = try self.ledger(10, monitor)
            #expect(monitor.current.sent == 10 && monitor.current.acknowledged == 0 && monitor.current.total == 10)
            ledger.write(10)
            monitor.update { $0.acknowledged = 5 }
            ledger.answer(takesBody: true, endsSending: false)
            #expect(monitor.current.acknowledged == 10 && monitor.current.phase == .receiving)
        }

        @Test("What waits in this process isn't sent, and what waits in the system isn't acknowledged")
        func measured() throws {
            let monitor = UploadMonitor()
            let ledger = try self.ledger(10, monitor)
            ledger.enter(.sending)
            ledger.measure(buffered: 12)
            #expect(ledger.written == 0)
            ledger.measure(buffered: 4, unacknowledged: 5)
            #expect(ledger.written == 6 && monitor.current.acknowledged == 1)
            // Fewer bytes than before are never sent.
            ledger.measure(buffered: 9, unacknowledged: 6)
            #expect(ledger.written == 6 && monitor.current.acknowledged == 1)
            ledger.measure(buffered: 0, unacknowledged: 7)
            #expect(ledger.isComplete && ledger.written == 10 && monitor.current.acknowledged == 3)
            #expect(monitor.current.phase == .sending)
            let before = monitor.current.lastActivity
            ledger.measure(buffered: 0, unacknowledged: 7)
            #expect(monitor.current.lastActivity == before)
            // After the last byte was written, what the peer acknowledges still moves.
            ledger.measure(buffered: 0, unacknowledged: 0)
            #expect(monitor.current.acknowledged == 10 && monitor.current.phase == .waiting)
            #expect(monitor.current.lastActivity > before)
        }

        @Test("When the peer ended the connection, what was sent counts as acknowledged")
        func ended() throws {
            let monitor = UploadMonitor()
            let ledger = try self.ledger(10, monitor)
            ledger.measure(buffered: 4, unacknowledged: 5)
            ledger.takeAllAccepted()
            #expect(monitor.current.acknowledged == 6)
        }

        @Test("Over HTTP/2, bytes for which there was no window aren't sent")
        func windows() throws {
            let ledger = try self.ledger()
            ledger.usesWindows()
            ledger.measure(buffered: 0, unacknowledged: 0)
            #expect(ledger.written == 0)
            ledger.pass(7)
            ledger.measure(buffered: 2, unacknowledged: 0)
            #expect(ledger.written == 5 && !ledger.isComplete)
        }

        @Test("A request without a body doesn't change how much was sent")
        func measuredWithoutBody() {
            let monitor = UploadMonitor()
            monitor.update { $0.acknowledged = 7 }
            let ledger = ExchangeLedger(nil, monitor)
            ledger.measure(buffered: 0, unacknowledged: 0)
            #expect(monitor.current.acknowledged == 7)
        }

        @Test("The first failure stays")
        func failure() throws {
            struct First: Error {}
            let ledger = try self.ledger()
            ledger.fail(First())
            ledger.fail(CancellationError())
            #expect(ledger.failure is First)
        }
    }
}
