#if Transfer
import Glibc

// Unsafe code in this file: getrlimit and setrlimit.

/// The limit on open files of this process.
enum OpenFiles {
    /// Raises the limit to the highest allowed value: each upload needs a connection and at least one file.
    static func raiseLimit() {
        var limit = rlimit()
        // SAFETY: both pointers are to this frame's variable.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
}
#endif
