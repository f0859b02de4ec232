import Formwork
import FormworkSystem
import FormworkURLEncoded
import Synchronization

/// The form of warnings and errors on standard error.
package enum Messages {
    package enum Form: Sendable {
        /// `formwork: warning: …`
        case text
        /// The same after the time of day, as in a log. Errors have no time.
        case timed
        /// One JSON object per line, as `--progress json` promises.
        case events
    }

    private static let form = Mutex(Form.text)
    private static let isSilent = Mutex(false)
    /// Whether the error was written. A signal reports it while the body is still being written.
    private static let hasEnded = Mutex(false)

    package static var current: Form { self.form.withLock { $0 } }

    /// Changes the form of all later messages.
    static func use(_ form: Form) { self.form.withLock { $0 = form } }

    /// Leaves out all later messages except errors.
    package static func silence() { self.isSilent.withLock { $0 = true } }

    /// Writes a line that doesn't change the exit status.
    package static func warn(_ message: String) {
        self.report("warning", "warning: \(message)", [("message", .text(message))])
    }

    /// Writes what has happened, when it is neither progress nor a warning.
    /// - Parameters:
    ///   - event: Its name in the object.
    ///   - text: The line in the other forms.
    package static func report(_ event: String, _ text: String, _ members: [(String, ParameterValue)]) {
        guard !self.isSilent.withLock({ $0 }) else { return }
        let line = "formwork: \(text.withControlCharactersEscaped)\n"
        switch self.current {
        case .text: StandardError.write(line)
        case .timed: StandardError.write("\(WallClock.timeOfDay()) \(line)")
        case .events: self.write(event: event, members)
        }
    }

    /// Writes why a request failed that is sent again.
    /// - Parameters:
    ///   - attempt: The number of the next try, from 1.
    ///   - seconds: The pause before it.
    package static func retry(_ reason: String, attempt: Int, after seconds: Double) {
        let pause = seconds > 0.05 ? " in \((seconds * 10).rounded() / 10) s" : ""
        self.report(
            "retry", "warning: \(reason); try \(attempt)\(pause)",
            [
                ("reason", .text(reason)), ("attempt", .integer(Int128(attempt))),
                ("delay_s", .double((seconds * 1000).rounded() / 1000)),
            ])
    }

    /// Writes the head of a request or an answer, if messages are objects.
    /// - Parameters:
    ///   - direction: `request` or `answer`.
    ///   - line: Its first line.
    /// - Returns: Whether it was written.
    package static func head(_ direction: String, _ line: String, _ fields: [(name: String, value: String)]) -> Bool {
        guard self.current == .events else { return false }
        self.write(
            event: "head", [("direction", .text(direction)), ("line", .text(line)), ("headers", .fields(fields))])
        return true
    }

    /// Writes the message that the command exits with.
    static func fail(_ message: String, status: Int32) {
        guard self.current == .events else { return StandardError.write("formwork: \(message)\n") }
        self.write(event: "error", [("error", .text(message)), ("exitStatus", .integer(Int128(status)))], isLast: true)
    }

    /// Writes an object on a line of its own, unless the last one has been written.
    static func write(event: String, _ members: [(String, ParameterValue)], isLast: Bool = false) {
        let all = [("event", .text(event)), ("time", .text(WallClock.timestamp()))] + members
        self.hasEnded.withLock { hasEnded in
            guard !hasEnded else { return }
            hasEnded = isLast
            StandardError.write(OrderedJSON.write(.members(all)) + "\n")
        }
    }
}

/// Standard input, output and error.
enum StandardDescriptors {
    /// Opens the standard descriptors that are closed when the process starts. Otherwise the next file or socket would
    /// get their number.
    ///
    /// They are opened for the opposite direction, so that reading or writing them fails.
    static func fill() {
        for descriptor in [FileDescriptor.standardInput, .standardOutput, .standardError]
        where !SystemCalls.isOpen(descriptor) {
            // The system uses the lowest free number.
            _ = try? FileDescriptor.open(FilePath("/dev/null"), descriptor == .standardInput ? .writeOnly : .readOnly)
        }
    }
}

/// Writes results to standard output. A full disk or closed pipe is an error.
package enum StandardOutput {
    package static func write(_ text: String) throws { try self.write(.text(text)) }

    /// - Throws: `writeFailed`, with the system's error.
    static func write(_ source: BodySource, to output: FileDescriptor = .standardOutput) throws {
        do { try BodyPlan(copying: source).write(to: output) } catch {
            guard error.code == .writeFailed else { throw error }
            let name = output == .standardOutput ? "standard output" : "the output"
            throw FormworkError(.writeFailed, "\(name) can't be written", cause: error.cause)
        }
    }
}
