import Formwork

/// Standard error, for a command's messages.
package enum StandardError {
    /// The queue of standard error.
    package static let output = OutputQueue(.standardError)

    /// Writes text. If it can't be written, nothing happens: a closed pipe doesn't raise a signal or stop the command.
    /// If the text isn't read, this waits for 5 seconds, and then not again until it is.
    package static func write(_ text: String) {
        self.output.enqueue(text)
        self.output.flush(within: 5)
    }
}
