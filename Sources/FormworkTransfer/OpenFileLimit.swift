#if Transfer
import FormworkCommand
import FormworkSystem

/// How many files and connections this process may have open.
enum OpenFileLimit {
    /// What the network library needs for itself, and some files. It crashes when it can't open its own.
    private static let least: UInt64 = 64

    /// - Throws: ``ExitStatus`` 2 if the limit is too low.
    static func raise() throws(ExitStatus) {
        let limit = ThisProcess.raiseFileLimit()
        guard limit < self.least else { return }
        throw ExitStatus(
            2, "formwork: this process may have \(limit) files open (ulimit -n): it needs \(self.least) or more")
    }
}
#endif
