#if Transfer
import Glibc

// A door to unsafe code: the process's own limit on open files.

/// Open files of this process.
enum OpenFiles {
    /// Allows as many as the system lets this process have: each upload holds a connection and a file or more.
    static func raiseLimit() {
        var limit = rlimit()
        // SAFETY: both pointers are to this frame's variable.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
#endif
