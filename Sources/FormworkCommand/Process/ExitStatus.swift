import Formwork
import FormworkSystem

import FormworkEssentials

/// How the command exits: with curl's status where curl has one, and a line on standard error.
package struct ExitStatus: Error {
    package var code: Int32
    /// One line that can't move the cursor, without the program's name; `nil` exits without a message.
    package var message: String? {
        get { self.text }
        set { self.text = newValue.map { String($0.trimmingPrefix(Self.name)).withControlCharactersEscaped } }
    }
    private var text: String?
    /// What every message begins with.
    private static let name = "formwork: "

    package init(_ code: Int32, _ message: String? = nil) {
        self.code = code
        self.message = message
    }

    /// A status with a text of several lines.
    init(_ code: Int32, lines: String) {
        let lines = lines.trimmingPrefix(Self.name).split(separator: "\n", omittingEmptySubsequences: false)
        self.code = code
        self.text = lines.map { String($0).withControlCharactersEscaped }.joined(separator: "\n")
    }

    package init(_ error: FormworkError) {
        let isClosedPipe = error.code == .writeFailed && error.cause as? Errno == .brokenPipe
        var shown = error
        let curl = error.cause as? CurlStatus
        if curl != nil { shown.cause = nil }
        // Foundation's texts name its domains and keys; only the system's error in them is shown.
        if let error = shown.cause as? CocoaError {
            shown.cause = (error.underlying as? POSIXError).map { Errno($0.code) }
        }
        self.init(curl?.code ?? Self.code(for: error.code), isClosedPipe ? nil : "\(shown)")
    }

    private static func code(for code: FormworkError.Code) -> Int32 {
        switch code {
        case .writeFailed: 23
        case .sourceUnavailable, .lengthMismatch, .contentNotEncodable: 26
        case .limitExceeded: 63
        case .sourceChanged, .notReplayable, .lengthUnknown: 65
        case .malformedBody, .truncatedBody: 70
        default: 2
        }
    }

    /// Refuses wrong arguments.
    package static func refuse(if isWrong: Bool, _ reason: @autoclosure () -> String) throws(ExitStatus) {
        if isWrong { throw ExitStatus(2, reason()) }
    }

    /// The same, with what it is about in front of its message.
    package func about(_ subject: String) -> ExitStatus {
        ExitStatus(self.code, "\(subject): \(self.message ?? "it failed")")
    }

    func leave() -> Never {
        if let message = self.message { Messages.fail(message, status: self.code) }
        ThisProcess.exit(self.code)
    }
}
