import Synchronization

/// Runs tasks on the thread that calls ``run(_:)``. So there is one thread only: its instructions are the same in every run,
/// and valgrind, which libdispatch's threads crash, can count them.
final class CallingThread: TaskExecutor, SerialExecutor {
    private let jobs = Mutex<[UnownedJob]>([])

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        self.jobs.withLock { $0.append(job) }
    }

    /// Runs work, which may wait only for its own tasks.
    static func run(_ work: @escaping @Sendable () async throws -> Void) throws {
        let thread = CallingThread()
        let failure = Mutex<(any Error)?>(nil)
        Task(executorPreference: thread) {
            do { try await work() } catch { failure.withLock { $0 = error } }
        }
        while let job = thread.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
            job.runSynchronously(on: thread.asUnownedTaskExecutor())
        }
        if let failure = failure.withLock({ $0 }) { throw failure }
    }
}
