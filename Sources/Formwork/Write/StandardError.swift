import FormworkCore
import SystemPackage

/// What a command says beside its output.
package enum StandardError {
    /// Writes text. Nothing happens where it can't be written: a closed pipe is no signal, and ends no command.
    package static func write(_ text: String) {
        try? SystemCalls.withoutWriteSignals { () throws(FormworkError) in
            try FormworkError.writing("/dev/stderr") { () throws(Errno) in
                try Array(text.utf8).withRawSpan { bytes throws(Errno) in
                    try SystemCalls.writeAll(.standardError, bytes)
                }
            }
        }
    }
}
