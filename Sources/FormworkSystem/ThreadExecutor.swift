import Dispatch

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
