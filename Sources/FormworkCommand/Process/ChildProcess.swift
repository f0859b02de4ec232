#if Command
import CFormworkSystem
import Glibc
import SystemPackage

// Unsafe code in this file: starting another program with a socket as its standard input.

/// A program that reads the bytes that this process writes.
///
/// It reads from a socket and holds the other end open too. So its input doesn't end when this process dies, only
/// with ``finish()``. A cut body is never taken for a complete one.
struct ChildProcess {
    private let id: pid_t
    /// Where to write.
    let input: FileDescriptor

    /// Starts `program`, found in `PATH`, with this process's standard output and error. It is killed when this process
    /// exits.
    /// - Throws: The `Errno` of the failed start: `noSuchFileOrDirectory` if there is no such program.
    init(_ program: String, _ arguments: [String]) throws {
        var ends: [CInt] = [-1, -1]
        // SAFETY: two descriptors are written into an array of two.
        guard unsafe socketpair(AF_UNIX, CInt(SOCK_STREAM.rawValue), 0, &ends) == 0 else {
            throw Errno(rawValue: errno)
        }
        let (readEnd, writeEnd) = (FileDescriptor(rawValue: ends[0]), FileDescriptor(rawValue: ends[1]))
        defer { try? readEnd.close() }
        _ = fcntl(readEnd.rawValue, F_SETFD, FD_CLOEXEC)
        // SAFETY: the C strings outlive the call that reads them and are freed once.
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        let id = unsafe fw_start(program, &words, readEnd.rawValue)
        guard id > 0 else {
            try? writeEnd.close()
            throw Errno(rawValue: -id)
        }
        self.id = id
        self.input = writeEnd
    }

    /// Ends the program's input.
    func finish() {
        _ = shutdown(self.input.rawValue, CInt(SHUT_WR))
        try? self.input.close()
    }

    /// Kills the program at once, before it takes the end of its input for the end of the body.
    func kill() { _ = Glibc.kill(self.id, SIGKILL) }

    /// Waits until the program exits.
    /// - Returns: The exit status, or 128 plus the number of the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        // SAFETY: the pointer is to this frame's variable.
        while unsafe waitpid(self.id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
#endif
