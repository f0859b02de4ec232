#if Command
import FormworkSystem
import SystemPackage

/// What the system has to allow before a command begins. Libraries stop the process, or wait for ever, if it doesn't.
package enum SystemLimits {
    /// Raises the limit on open files as far as the verb may need it.
    /// - Throws: `ExitStatus` if it stays too low.
    static func allowFiles(for verb: String?) throws(ExitStatus) {
        let usesNetwork = ["send", "receive"].contains(verb)
        let least: UInt64 = usesNetwork ? 64 : 16
        let limit = usesNetwork || ThisProcess.fileLimit < least ? ThisProcess.raiseFileLimit() : least
        guard limit < least else { return }
        throw ExitStatus(
            71, "formwork: this process may have \(limit) files open (ulimit -n): it needs \(least) or more")
    }

    /// Checks what the network's libraries need, and exits if too few threads can be started, or too few addresses be used.
    package static func checkThreads() {
        // There is a thread for each, and each thread reserves 64 MiB of addresses.
        let cores = ThisProcess.cores
        let needed = UInt64(384 + 64 * cores)
        let limit = ThisProcess.addressLimit >> 20
        guard limit >= needed else {
            self.leave("this process may use \(limit) MiB of address space (ulimit -v): it needs \(needed) or more")
        }
        do { try ThisProcess.tryThreads(8 + cores) } catch {
            self.leave("this process can't start \(8 + cores) threads (\(error)): allow more (ulimit -u)")
        }
    }

    /// Errors are written by a thread, which is what is missing.
    private static func leave(_ reason: String) -> Never {
        _ = try? FileDescriptor.standardError.writeAll("formwork: \(reason)\n".utf8)
        ThisProcess.exit(71)
    }
}
#endif
