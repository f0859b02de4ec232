#if Command
import Glibc
import SystemPackage

// The command's one door to unsafe code: starting another program with a pipe for its standard input.

/// A program that reads from a pipe of ours.
struct ChildProcess {
    private let id: pid_t
    /// The pipe's end to write to.
    let input: FileDescriptor

    /// Starts `program`, looked for in `PATH`, with our standard output and error.
    /// - Throws: The `Errno` that starting gave: `noSuchFileOrDirectory` when there is no such program.
    init(_ program: String, _ arguments: [String]) throws {
        let (readEnd, writeEnd) = try FileDescriptor.pipe()
        defer { try? readEnd.close() }
        // The child must not hold the writing end, or it would never see the end of its input.
        _ = fcntl(writeEnd.rawValue, F_SETFD, FD_CLOEXEC)
        var actions = unsafe posix_spawn_file_actions_t()
        // SAFETY: the actions are initialised here, used by one call, and destroyed once; the C strings outlive the call
        // that reads them and are freed once.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, readEnd.rawValue, FileDescriptor.standardInput.rawValue)
        if readEnd != .standardInput { unsafe posix_spawn_file_actions_addclose(&actions, readEnd.rawValue) }
        var words = unsafe ([program] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var id: pid_t = 0
        let result = unsafe posix_spawnp(&id, program, &actions, nil, &words, environ)
        guard result == 0 else {
            try? writeEnd.close()
            throw Errno(rawValue: result)
        }
        self.id = id
        self.input = writeEnd
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
