import Dispatch
import Formwork
import FormworkSystem
import Synchronization

/// Writes text to a descriptor on a separate thread, so that the caller never waits for a reader that doesn't read,
/// such as a pager, a stopped terminal or a hanging log shipper.
package final class OutputQueue: Sendable {
    private struct State {
        var waiting: [UInt8] = []
        var isWriting = false
        /// Whether a flush timed out, and nothing was written since.
        var isStalled = false
        /// The number of texts dropped since the last report.
        var dropped = 0
        var droppedInAll = 0
        var report: (@Sendable (Int) -> String)?
    }

    private let descriptor: FileDescriptor
    private let limit: Int
    private let queue = DispatchQueue(label: "formwork.output")
    private let state = Mutex(State())

    /// - Parameters:
    ///   - descriptor: The descriptor. Keep it open as long as the queue is used.
    ///   - limit: The most bytes that wait. Default 1 MiB.
    package init(_ descriptor: FileDescriptor, limit: Int = 1 << 20) {
        (self.descriptor, self.limit) = (descriptor, limit)
    }

    /// The number of texts dropped since the beginning.
    package var dropped: Int { self.state.withLock { $0.droppedInAll } }

    /// Adds a text to the queue. It is dropped if there is no room for all of it.
    /// - Parameter report: Makes the text for a number of dropped texts, which is written once there is room again.
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
            defer { state.isWriting = true }
            return !state.isWriting
        }
        guard begins else { return }
        // Without a thread, waiting for the reader is better than writing nothing.
        if ThisProcess.canStartThread { self.queue.async { self.drain() } } else { self.drain() }
    }

    /// Waits until all texts before this call are written, up to a time limit. It doesn't wait while the reader is
    /// stalled.
    package func flush(within seconds: Double) {
        guard self.state.withLock({ $0.isWriting && !$0.isStalled }) else { return }
        let semaphore = DispatchSemaphore(value: 0)
        self.queue.async { semaphore.signal() }
        guard semaphore.wait(timeout: .now() + seconds) == .timedOut else { return }
        self.state.withLock { $0.isStalled = $0.isWriting }
    }

    private func drain() {
        while let batch = self.nextBatch() {
            // A closed pipe or a full disk must not stop the process; the text is lost.
            try? SystemCalls.withoutWriteSignals(to: self.descriptor) { () throws(FormworkError) in
                try FormworkError.writing("/dev/stderr") { () throws(Errno) in
                    try batch.withRawSpan { bytes throws(Errno) in try SystemCalls.writeAll(self.descriptor, bytes) }
                }
            }
            self.state.withLock { $0.isStalled = false }
        }
    }

    private func nextBatch() -> [UInt8]? {
        self.state.withLock { state in
            if state.dropped > 0, let report = state.report {
                state.waiting += report(state.dropped).utf8
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

    /// The default report of dropped texts.
    package static let report: @Sendable (Int) -> String = { count in
        "formwork: \(count, "message") \(count == 1 ? "was" : "were") dropped here: nothing read them in time\n"
    }
}

/// Standard error, for a command's messages.
package enum StandardError {
    /// The queue of standard error.
    package static let output = OutputQueue(.standardError)

    /// Writes text. If it can't be written, nothing happens: a closed pipe doesn't raise a signal or stop the command.
    /// If the text isn't read, this waits for 5 seconds, and then not again until it is.
    package static func write(_ text: String) {
        self.output.enqueue(text)
        self.output.flush(within: 5)
    }
}
