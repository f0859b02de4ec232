#if os(Linux)
import Foundation
import Synchronization

/// Runs every task of the process on one thread, and knows when all of them wait.
///
/// For a process that does nothing else: the runtime's global executor is replaced while ``take()`` is in effect.
final class ModelLoop: @unchecked Sendable {
    static let shared = ModelLoop()

    /// An actor's own executor: its jobs are run here, too.
    final class Executor: SerialExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            ModelLoop.shared.add { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
        }

        func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
    }

    private let condition = NSCondition()
    private var jobs: [() -> Void] = []

    private func add(_ job: @escaping () -> Void) {
        self.condition.lock()
        self.jobs.append(job)
        self.condition.signal()
        self.condition.unlock()
    }

    /// Runs all jobs, and those that they add.
    func drain() {
        while true {
            self.condition.lock()
            let jobs = self.jobs
            self.jobs = []
            self.condition.unlock()
            if jobs.isEmpty { return }
            for job in jobs { job() }
        }
    }

    /// Waits until another thread has added a job.
    /// - Returns: `false` if none did within five seconds.
    func wait() -> Bool {
        self.condition.lock()
        defer { self.condition.unlock() }
        let end = Date(timeIntervalSinceNow: 5)
        while self.jobs.isEmpty { if !self.condition.wait(until: end) { return false } }
        return true
    }

    // MARK: The runtime

    /// How the runtime runs a job that belongs to no actor.
    private static let nobody = unsafeBitCast((UInt(0), UInt(0)), to: UnownedSerialExecutor.self)

    private typealias Hook = @convention(thin) (UnownedJob, UnsafeRawPointer) -> Void
    private static func hook<Function>(_ name: String, _: Function.Type) -> UnsafeMutablePointer<Function?>? {
        dlsym(dlopen(nil, RTLD_NOW), name)?.assumingMemoryBound(to: Function?.self)
    }

    /// Runs `body` while this loop has all tasks.
    static func taking<Result>(_ body: () -> Result) -> Result? {
        guard let hook = self.hook("swift_task_enqueueGlobal_hook", Hook.self) else { return nil }
        hook.pointee = { job, _ in ModelLoop.shared.add { job.runSynchronously(on: ModelLoop.nobody) } }
        defer { hook.pointee = nil }
        return body()
    }
}
#endif
