/// Standard error, for what a command says beside its result.
package enum StandardError {
    /// All that is written there.
    package static let output = OutputQueue(.standardError)

    /// Writes text. Nothing happens where it can't be written: a closed pipe is no signal, and ends no command. Where nobody
    /// reads, it is waited for 5 seconds, and no more until somebody does.
    package static func write(_ text: String) {
        self.output.enqueue(text)
        self.output.flush(within: 5)
    }
}
