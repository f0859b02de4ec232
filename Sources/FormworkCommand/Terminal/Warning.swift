#if Command
import Formwork
import FormworkFiles
import SystemPackage

/// Lines on standard error that don't change the exit status.
package enum Warning {
    package static func write(_ lines: [String]) {
        for line in lines {
            let text = "formwork: warning: \(line.withControlCharactersEscaped)\n"
            StandardError.write(text)
        }
    }
}
#endif
