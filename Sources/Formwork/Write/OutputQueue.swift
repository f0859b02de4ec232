import Dispatch
import FormworkCore
import Synchronization
import SystemPackage

/// Writes text to a descriptor from a thread of its own, so that who writes never waits for a reader that doesn't read: a
/// pager, a terminal that was told to stop, a log shipper that hangs.
package final class OutputQueue: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        /// Whether somebody waited in vain, and nothing was written since.
        var isStalled = false
        /// Texts that found no room since the last report.
        var dropped = 0
        var droppedInAll = 0
        var report: (@Sendable (Int) -> String)?
        /// Bytes, since the beginning.
        var taken = 0
        var written = 0
        /// Who waits until so many bytes are written.
        var waiters: [(position: Int, semaphore: DispatchSemaphore)] = []
    }

    private let descriptor: FileDescriptor
    private let limit: Int
    private let queue = DispatchQueue(label: "formwork.output")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: Stays open as long as the queue is used.
    ///   - limit: Bytes that wait; half as many lines of a log as a second of floods makes are no loss. Default 1 MiB: ours.
    package init(_ descriptor: FileDescriptor, limit: Int = 1 << 20) {
        (self.descriptor, self.limit) = (descriptor, limit)
    }

    /// Texts that were dropped since the beginning.
    package var dropped: Int { self.state.withLock { $0.droppedInAll } }

    /// Has a text written, whole, behind those before it. One that finds no room is dropped.
    /// - Parameter report: What is written, once there is room again, for so many that were dropped.
    package func enqueue(_ text: String, report: @escaping @Sendable (Int) -> String = OutputQueue.report) {
        let begins = self.state.withLock { state in
            let bytes = text.utf8
            guard state.waiting.count + bytes.count <= self.limit else {
                state.dropped += 1
                state.droppedInAll += 1
                state.report = report
                return false
            }
            state.waiting += bytes
            state.taken += bytes.count
            defer { state.isWriting = true }
            return !state.isWriting
        }
        if begins { self.queue.async { self.drain() } }
    }

    /// Waits until everything before this call is written, but no longer than a time, and not at all while nobody reads.
    package func flush(within seconds: Double) {
        let semaphore = DispatchSemaphore(value: 0)
        let isDone = self.state.withLock { state in
            guard state.written < state.taken, !state.isStalled else { return true }
            state.waiters.append((state.taken, semaphore))
            return false
        }
        guard !isDone, semaphore.wait(timeout: .now() + seconds) == .timedOut else { return }
        self.state.withLock { $0.isStalled = true }
    }

    private func drain() {
        while let batch = self.nextBatch() {
            // A closed pipe or a full disk is no reason to end: who can't be told isn't.
            try? SystemCalls.withoutWriteSignals { () throws(FormworkError) in
                try FormworkError.writing("/dev/stderr") { () throws(Errno) in
                    try batch.withRawSpan { bytes throws(Errno) in try SystemCalls.writeAll(self.descriptor, bytes) }
                }
            }
            self.state.withLock { state in
                state.written += batch.count
                state.isStalled = false
                let written = state.written
                for waiter in state.waiters where waiter.position <= written { waiter.semaphore.signal() }
                state.waiters.removeAll { $0.position <= written }
            }
        }
    }

    private func nextBatch() -> [UInt8]? {
        self.state.withLock { state in
            if state.dropped > 0, let report = state.report {
                let text = Array(report(state.dropped).utf8)
                state.waiting += text
                state.taken += text.count
                (state.dropped, state.report) = (0, nil)
            }
            guard !state.waiting.isEmpty else {
                state.isWriting = false
                return nil
            }
            let batch = state.waiting
            state.waiting = []
            return batch
        }
    }

    /// What says that texts were dropped.
    package static let report: @Sendable (Int) -> String = { count in
        "formwork: \(count) \(count == 1 ? "message was" : "messages were") dropped here: nobody read them\n"
    }
}
