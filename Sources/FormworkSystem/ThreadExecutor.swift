import Dispatch
import Synchronization

/// Runs an actor's jobs on a separate queue, so that blocking calls don't block the pool that all tasks share.
package final class ThreadExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "formwork.reader")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // SAFETY: the queued closure holds the executor until the job has run, once.
        self.queue.async { unsafe job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    package func asUnownedSerialExecutor() -> UnownedSerialExecutor { unsafe UnownedSerialExecutor(ordinary: self) }
}

/// Runs a task on a separate queue, for work that a blocked thread waits for. The pool that all tasks share may itself
/// be blocked by tasks that wait for that thread.
package final class TaskThread: TaskExecutor {
    private let queue = DispatchQueue(label: "formwork.task")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // SAFETY: the queued closure holds the executor until the job has run, once.
        self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}

/// Asynchronous work that the main thread waits for.
///
/// An asynchronous `main()` ends the main thread on Linux: its stack is unwound, and for that the runtime sorts the unwind
/// tables of the whole executable, which costs more than most forms take to be composed.
package enum MainTask {
    private final class Outcome<Success: Sendable>: Sendable {
        let value = Mutex<Result<Success, any Error>?>(nil)
        let ended = DispatchSemaphore(value: 0)
    }

    /// Runs work on the pool that all tasks share, and blocks this thread until it has ended.
    /// - Throws: What the work throws.
    package static func run<Success: Sendable>(_ work: sending @escaping () async throws -> Success) throws -> Success {
        let outcome = Outcome<Success>()
        Task {
            let result: Result<Success, any Error>
            do { result = .success(try await work()) } catch { result = .failure(error) }
            outcome.value.withLock { $0 = result }
            outcome.ended.signal()
        }
        while true {
            outcome.ended.wait()
            if let result = outcome.value.withLock({ $0 }) { return try result.get() }
        }
    }
}
