import CFormworkSystem
import FormworkLibc
import SystemPackage

// Unsafe code in this file: starting another program with a socket as its standard input.

/// A program that reads the bytes that this process writes.
///
/// It reads from a socket and holds the other end open too. So its input doesn't end when this process dies, only
/// with ``finish()``. A cut body is never taken for a complete one.
package struct ChildProcess {
    private let id: CInt
    /// Where to write.
    package let input: FileDescriptor

    /// Starts `program`, found in `PATH`, with this process's standard output and error. On Linux it is killed when this
    /// process exits. Darwin can't do that: if this process is killed, the program waits for input until it is killed
    /// too.
    /// - Parameter inherited: A descriptor that the program gets too, under the same number. The caller closes its own.
    /// - Throws: The `Errno` of the failed start: `noSuchFileOrDirectory` if there is no such program.
    package init(_ program: String, _ arguments: [String], inheriting inherited: FileDescriptor? = nil) throws {
        // SAFETY: the C strings outlive the call that reads them and are freed once.
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var input: CInt = -1
        let id = unsafe fw_start(program, &words, inherited?.rawValue ?? -1, &input)
        guard id > 0 else { throw Errno(rawValue: -id) }
        self.id = id
        self.input = FileDescriptor(rawValue: input)
    }

    /// Ends the program's input.
    package func finish() {
        _ = shutdown(self.input.rawValue, CInt(SHUT_WR))
        try? SystemCalls.close(self.input)
    }

    /// Kills the program at once, before it takes the end of its input for the end of the body.
    package func kill() { _ = FormworkLibc.kill(self.id, SIGKILL) }

    /// Waits until the program exits.
    /// - Returns: The exit status, or 128 plus the number of the signal that ended it.
    package func wait() -> Int32 {
        var status: Int32 = 0
        // SAFETY: the pointer is to this frame's variable.
        while unsafe waitpid(self.id, &status, 0) < 0, errno == EINTR {}
        let signal = status & 0x7F
        return signal == 0 ? (status >> 8) & 0xFF : 128 + signal
    }
}
