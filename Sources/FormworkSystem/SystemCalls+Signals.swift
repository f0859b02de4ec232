import CFormworkSystem
import FormworkCore
import SystemPackage

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

// Unsafe code in this file: the signals that writing can raise.

extension SystemCalls {
    /// Runs `body`, which writes to `descriptor` or only to regular files, while a closed pipe or a size limit can't
    /// kill the process. The calls return EPIPE and EFBIG instead.
    ///
    /// Linux sends SIGPIPE and SIGXFSZ to the thread that writes, so this thread blocks them. Darwin sends them to the
    /// process: there the open file itself is set to raise no SIGPIPE, and SIGXFSZ (a limit on file sizes) stays a
    /// signal, which only a program can ignore for all of its threads: ``ThisProcess/ignoreSizeSignal()``.
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
