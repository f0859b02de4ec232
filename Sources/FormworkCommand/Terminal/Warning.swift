#if Command
/// Lines on standard error that don't change the exit status.
package enum Warning {
    package static func write(_ lines: [String]) {
        for line in lines { Messages.warn(line) }
    }
}
#endif
