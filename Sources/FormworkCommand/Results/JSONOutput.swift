import Formwork
import FormworkSystem
import FormworkURLEncoded
import Synchronization

/// The result of a verb with `--json`: one object on standard output, with `exitStatus` and `error` as its last members,
/// whatever happens. Fixtures/schemas describes the objects.
package enum JSONOutput {
    private struct State {
        var isRequested = false
        var isWritten = false
    }

    private static let state = Mutex(State())

    /// Whether `--json` was given.
    static var isRequested: Bool { self.state.withLock { $0.isRequested } }

    /// Notes that `--json` was given, so that an error before any output is written as an object too.
    static func request() { self.state.withLock { $0.isRequested = true } }

    /// Writes the object.
    package static func write(
        _ members: [(name: String, value: ParameterValue)], failure: ExitStatus? = nil
    ) throws {
        self.began()
        try StandardOutput.write(self.text(.members(members + self.ending(failure))) + "\n")
    }

    /// The same object as text, which `-w %{json}` writes.
    package static func text(
        _ members: [(name: String, value: ParameterValue)], failure: ExitStatus?
    ) -> String {
        OrderedJSON.write(.members(members + self.ending(failure)), isPretty: true) + "\n"
    }

    /// The last members of every object.
    static func ending(_ failure: ExitStatus?) -> [(name: String, value: ParameterValue)] {
        [
            ("exitStatus", .integer(Int128(failure?.code ?? 0))),
            ("error", .optional(failure.map { $0.message ?? "exit status \($0.code)" })),
        ]
    }

    /// Notes that an object was begun, so that no other one follows.
    static func began() { self.state.withLock { $0.isWritten = true } }

    /// Writes an object with the error, if `--json` was given and nothing was written.
    /// - Parameter members: What is known beside the error.
    package static func fail(_ failure: ExitStatus, _ members: [(name: String, value: ParameterValue)] = []) {
        let isFirst = self.state.withLock { state in
            defer { state.isWritten = state.isWritten || state.isRequested }
            return state.isRequested && !state.isWritten
        }
        guard isFirst else { return }
        // The failure itself is reported on standard error too; a failure to write this isn't.
        try? self.write(members, failure: failure)
    }

    /// Indented text, coloured on a terminal.
    /// - Parameter indent: The columns before every line but the first.
    static func text(_ value: ParameterValue, indent: Int = 0) -> String {
        var text = OrderedJSON.write(value, isPretty: true)
        if JSONLayout.wantsColours, let coloured = JSONLayout.text(Array(text.utf8), isColoured: true) {
            text = String(coloured.dropLast())
        }
        guard indent > 0 else { return text }
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .joined(separator: "\n" + String(repeating: " ", count: indent))
    }
}

extension ExitStatus {
    /// The status of a command that a signal stopped. It has a message only where messages are objects: a shell reports
    /// the signal itself.
    package init(stoppedBy signal: StoppingSignal) {
        let isSilent = Messages.current != .events && !JSONOutput.isRequested
        self.init(signal.exitStatus, isSilent ? nil : "stopped by \(signal.name)")
    }

    /// Writes the error as an object, if that was asked for.
    func report() {
        JSONOutput.fail(self)
        if Messages.current == .events, let message = self.message { Messages.fail(message, status: self.code) }
    }
}
