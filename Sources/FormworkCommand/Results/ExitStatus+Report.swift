#if Command
import FormworkSystem

extension ExitStatus {
    /// The status of a command that a signal stopped. It has a message only where messages are objects: a shell reports
    /// the signal itself.
    package init(stoppedBy signal: StoppingSignal) {
        let isSilent = Messages.current != .events && !JSONOutput.isRequested
        self.init(signal.exitStatus, isSilent ? nil : "formwork: stopped by \(signal.name)")
    }

    /// Writes the error as an object, if that was asked for.
    package func report() {
        JSONOutput.fail(self)
        if Messages.current == .events, let message = self.message { Messages.fail(message, status: self.code) }
    }
}
#endif
