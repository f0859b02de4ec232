import CFormworkSystem
import FormworkCore
import FormworkLibc
import SystemPackage

// Unsafe code in this file: system calls. Every call is typed, is retried on EINTR, and throws an `Errno`.

/// The event to wait for on a non-blocking descriptor.
package enum Readiness { case read, write }

extension SystemCalls {
    /// Waits until a non-blocking descriptor is ready.
    /// - Parameter limit: The longest wait, less than a few hundred years; `nil` for no limit.
    /// - Returns: Whether it is ready. It is `false` after a signal too.
    @discardableResult
    package static func wait(
        _ descriptor: FileDescriptor, for readiness: Readiness, atMost limit: Duration? = nil
    ) throws(Errno) -> Bool {
        let events = readiness == .read ? CShort(POLLIN) : CShort(POLLOUT)
        return try self.wait(descriptor, events, limit) != 0
    }

    /// Whether a task runs this code, and can be cancelled.
    // SAFETY: the task is only compared.
    package static var isInTask: Bool { unsafe withUnsafeCurrentTask { unsafe $0 != nil } }

    /// Waits until a descriptor is ready, or the task that runs this code is cancelled, which is noticed within 50 ms.
    /// - Throws: `canceled` in a cancelled task.
    package static func waitUnlessCancelled(
        _ descriptor: FileDescriptor, for readiness: Readiness
    ) throws(Errno) {
        let limit = self.isInTask ? Duration.milliseconds(50) : nil
        repeat {
            if Task.isCancelled { throw .canceled }
        } while try !self.wait(descriptor, for: readiness, atMost: limit)
    }

    /// Waits until a pipe's reader has read every byte in it.
    ///
    /// There is no event for an empty pipe, so it is checked after 50 µs, then after twice that, up to 10 ms. The wait
    /// uses almost no processor time, and is at most twice as long as the reader needs.
    /// - Throws: `brokenPipe` if the pipe has no reader any more, `canceled` in a cancelled task.
    package static func waitUntilEmpty(_ pipe: FileDescriptor) throws(Errno) {
        var pause = Duration.microseconds(50)
        while true {
            if Task.isCancelled { throw .canceled }
            let queued = fw_queued(pipe.rawValue)
            guard queued >= 0 else { throw Errno(rawValue: -queued) }
            if queued == 0 { return }
            if try self.wait(pipe, 0, pause) & CInt(POLLERR) != 0 { throw .brokenPipe }
            pause = min(pause * 2, .milliseconds(10))
        }
    }

    /// - Returns: The events; 0 for none within the limit, or a signal.
    private static func wait(
        _ descriptor: FileDescriptor, _ events: CShort, _ limit: Duration?
    ) throws(Errno) -> CInt {
        let parts = limit?.components
        let nanoseconds = parts.map { $0.seconds * 1_000_000_000 + $0.attoseconds / 1_000_000_000 } ?? -1
        let result = fw_wait(descriptor.rawValue, events, nanoseconds)
        guard result >= 0 || -result == EINTR else { throw Errno(rawValue: -result) }
        return max(result, 0)
    }

    /// Sleeps until the clock's next tick if `time`, a file's modification time, is in the current tick. A write in the
    /// same tick would leave the same time.
    ///
    /// A tick is 1 to 10 ms on Linux and 1 µs on Darwin, as the kernel reports it. File systems with whole seconds (ext3; FAT has every other
    /// second) are recognised by a time without a fraction.
    package static func waitForTick(after time: FileTime) {
        let tick = time.nanoseconds > 0 ? self.clockTick : time.seconds % 2 == 0 ? 2_000_000_000 : 1_000_000_000
        // A time ahead of the clock wasn't set by a write now: a write would change it.
        while let (seconds, nanoseconds) = self.passed(since: time), (0...2).contains(seconds) {
            let passed = seconds * 1_000_000_000 + nanoseconds
            guard passed >= 0, passed < tick else { return }
            self.sleep(.nanoseconds(tick - passed))
        }
    }

    /// Waits until a `write` call that another program is making on this file has ended. It set the modification time when it
    /// began, so its later bytes would not be noticed.
    ///
    /// The kernel is asked where the file has data: for the answer ext4, Btrfs, tmpfs, F2FS and FUSE take the lock that
    /// such a call holds. XFS and NFS take it for each read. Darwin has no such lock.
    /// - Parameters:
    ///   - time: The file's modification time. There is no wait if it is more than an hour ago: one call writes at most
    ///     2 GiB.
    ///   - keepsPosition: Whether the descriptor's position must stay, because it is a caller's. Btrfs doesn't wait then.
    package static func waitForWrite(to descriptor: FileDescriptor, modified time: FileTime, keepsPosition: Bool) {
        #if os(Linux) || os(Android)
        guard let (seconds, _) = self.passed(since: time), seconds < 3600 else { return }
        // Beyond the file's end there is no data, so the position stays.
        _ = lseek(descriptor.rawValue, keepsPosition ? off_t.max : 0, 3 /* SEEK_DATA */)
        #endif
    }

    /// The time since `time`, in two summands, by the clock that file systems use; `nil` for a time that is too far away.
    private static func passed(since time: FileTime) -> (seconds: Int64, nanoseconds: Int64)? {
        var now = timespec()
        // SAFETY: the pointer is to this frame's variable.
        guard unsafe clock_gettime(self.fileClock, &now) == 0 else { return nil }
        let (seconds, isFar) = Int64(now.tv_sec).subtractingReportingOverflow(time.seconds)
        return isFar ? nil : (seconds, Int64(now.tv_nsec) - time.nanoseconds)
    }

    /// The clock that file systems use.
    #if canImport(Darwin)
    private static let fileClock = CLOCK_REALTIME
    #else
    private static let fileClock = CLOCK_REALTIME_COARSE
    #endif

    /// The nanoseconds of one tick of the clock that file systems use.
    private static let clockTick: Int64 = {
        var tick = timespec()
        // SAFETY: the pointer is to this frame's variable.
        let isKnown = unsafe clock_getres(SystemCalls.fileClock, &tick) == 0 && tick.tv_sec == 0
        return isKnown ? Int64(tick.tv_nsec) : 10_000_000
    }()

    /// Sleeps this thread.
    package static func sleep(_ duration: Duration) {
        let (whole, attoseconds) = duration.asWait.components
        var wanted = timespec(tv_sec: time_t(whole), tv_nsec: Int(attoseconds / 1_000_000_000))
        var rest = timespec()
        // SAFETY: both pointers are to this frame's variables.
        while unsafe nanosleep(&wanted, &rest) != 0, errno == EINTR { wanted = rest }
    }
}

// Unsafe code in this file: the signals that writing can raise.

extension SystemCalls {
    /// Runs `body`, which writes to `descriptor` or only to regular files, while a closed pipe or a size limit can't
    /// kill the process. The calls return EPIPE and EFBIG instead.
    ///
    /// Linux sends SIGPIPE and SIGXFSZ to the thread that writes, so this thread blocks them. Darwin sends them to the
    /// process: there the open file itself is set to raise no SIGPIPE, and SIGXFSZ (a limit on file sizes) stays a
    /// signal, which only a program can ignore for all of its threads: ``ThisProcess/prepareSignals()``.
    ///
    /// `body` only makes system calls. The mask would be inherited by a process that a caller's code starts.
    package static func withoutWriteSignals<Result, Failure: Error>(
        to descriptor: FileDescriptor? = nil, _ body: () throws(Failure) -> Result
    ) throws(Failure) -> Result {
        #if canImport(Darwin)
        // 1 if the caller has set it, and then it stays.
        guard let descriptor, fcntl(descriptor.rawValue, F_GETNOSIGPIPE) == 0 else { return try body() }
        _ = fcntl(descriptor.rawValue, F_SETNOSIGPIPE, 1)
        defer { _ = fcntl(descriptor.rawValue, F_SETNOSIGPIPE, 0) }
        return try body()
        #else
        // SAFETY: the guard is a plain C struct of this frame, given to begin and end in this order on this thread.
        var state = fw_signal_guard()
        unsafe fw_signal_guard_begin(&state)
        defer { unsafe fw_signal_guard_end(&state) }
        return try body()
        #endif
    }
}
