import Dispatch

/// Runs an actor's jobs on a queue of its own, off the pool that all tasks share: what blocks there blocks nobody.
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

/// Runs a task on a queue of its own, for work that somebody's thread waits for: the pool that all tasks share may be
/// held up by others who wait for that same thread.
package final class TaskThread: TaskExecutor {
    private let queue = DispatchQueue(label: "formwork.task")

    package init() {}

    package func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        // SAFETY: the queued closure holds the executor until the job has run, once.
        self.queue.async { unsafe job.runSynchronously(on: self.asUnownedTaskExecutor()) }
    }
}
