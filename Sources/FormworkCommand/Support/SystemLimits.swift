import FormworkSystem
import SystemPackage

/// What the system has to allow before a command begins. Libraries stop the process, or wait for ever, if it doesn't.
package enum SystemLimits {
    /// Checks what a verb needs before another executable is loaded for it, and raises the limit on open files.
    /// - Throws: `ExitStatus` if a limit is too low.
    static func check(for verb: String?) throws(ExitStatus) {
        let usesNetwork = ["send", "receive"].contains(verb)
        // The network's libraries start a thread for each core and a few more; each reserves 64 MiB of addresses.
        let needed: UInt64 = usesNetwork ? 384 + 64 * UInt64(ThisProcess.cores) : 64
        let addresses = ThisProcess.addressLimit >> 20
        guard addresses >= needed else {
            throw ExitStatus(
                71, "this process may use \(addresses) MiB of address space (ulimit -v): it needs \(needed) or more")
        }
        let least: UInt64 = usesNetwork ? 64 : 16
        let limit = ThisProcess.fileLimit(atLeast: usesNetwork ? .max : least)
        guard limit < least else { return }
        throw ExitStatus(71, "this process may have \(limit) files open (ulimit -n): it needs \(least) or more")
    }

    /// Checks that the network's libraries can start their threads.
    package static func checkThreads() throws(ExitStatus) {
        let count = 8 + ThisProcess.cores
        do { try ThisProcess.tryThreads(count) } catch {
            throw ExitStatus(71, "this process can't start \(count) threads (\(error)): allow more (ulimit -u)")
        }
    }
}
