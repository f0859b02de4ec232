#if Command
import CFormworkSystem
import Glibc
import SystemPackage

// The command's one door to unsafe code: starting another program with a socket for its standard input.

/// A program that reads what we write.
///
/// It reads from a socket whose other end it holds too. So our own end, however it comes, is no end of its input: only
/// ``finish()`` is, and a body that was cut is never taken for a whole one.
struct ChildProcess {
    private let id: pid_t
    /// Where to write.
    let input: FileDescriptor

    /// Starts `program`, looked for in `PATH`, with our standard output and error. It is killed when this process ends.
    /// - Throws: The `Errno` that starting gave: `noSuchFileOrDirectory` when there is no such program.
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

    /// Tells the program that its input ends here.
    func finish() {
        _ = shutdown(self.input.rawValue, CInt(SHUT_WR))
        try? self.input.close()
    }

    /// Ends the program at once, before it takes the end of its input for the end of the body.
    func kill() { _ = Glibc.kill(self.id, SIGKILL) }

    /// Waits for the end.
    /// - Returns: The exit status, or 128 and the number of the signal that ended it.
    func wait() -> Int32 {
        var status: Int32 = 0
        // SAFETY: the pointer is to this frame's variable.
        while unsafe waitpid(self.id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
#endif
