import Glibc

// The thread sanitizer doesn't know Synchronization.Mutex, which uses futexes directly: it reports every value that such a
// lock protects as a race. scripts/fuzz/sanitize adds this file to each module that uses the lock, where it hides the original.
// The sanitizer knows POSIX's locks.

/// `Synchronization.Mutex` with a POSIX lock.
@safe struct Mutex<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<pthread_mutex_t>
    private let value: UnsafeMutablePointer<Value>

    init(_ initialValue: consuming sending Value) {
        unsafe self.lock = .allocate(capacity: 1)
        unsafe self.lock.initialize(to: pthread_mutex_t())
        unsafe pthread_mutex_init(self.lock, nil)
        unsafe self.value = .allocate(capacity: 1)
        unsafe self.value.initialize(to: initialValue)
    }

    deinit {
        unsafe self.value.deinitialize(count: 1)
        unsafe self.value.deallocate()
        unsafe pthread_mutex_destroy(self.lock)
        unsafe self.lock.deallocate()
    }

    borrowing func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        unsafe pthread_mutex_lock(self.lock)
        defer { unsafe pthread_mutex_unlock(self.lock) }
        return try unsafe body(&self.value.pointee)
    }
}
