#if Transfer
import Formwork
import FormworkCommand
import FormworkFiles
import FormworkNIO
import FormworkClient
import FormworkSystem
import SystemPackage

/// Where an answer goes: streamed to a file or to standard output, or into the report.
struct AnswerOutput: Sendable {
    /// The most bytes of a body that a report holds or a terminal shows.
    static let limit = 1 << 20

    /// `nil` and `-` for standard output.
    var file: String?
    var includesHead: Bool
    var isJSON: Bool
    /// Whether the body of an answer of 400 or more is left out.
    var hidesFailures: Bool
    /// Gets the answer's head at once, and its body as far as it has arrived.
    var record: SendRecord

    func take(_ answer: ExchangeAnswer, _ trace: FormSender.Trace) async throws -> SendReport {
        var report = SendReport(answer, trace)
        var begun = report
        begun.isBodyTruncated = true
        self.record.answer(begun)
        let path = self.file == "-" ? nil : self.file
        let isHidden = self.hidesFailures && answer.head.status.code >= 400
        if let path, !isHidden {
            let file = try Self.writing(to: path) { try OutputFile(FilePath(path)) }
            report.bytesReceived = try await self.write(answer, report) { bytes in
                try Self.writing(to: path) { try file.write(bytes) }
            }
            if !answer.body.isCut {
                try Self.writing(to: path) { try file.publish() }
                report.file = path
            } else if report.status < 400 {
                throw TransferError(.receive, "the connection ended inside the answer")
            }
        } else if self.isJSON || isHidden || Terminal.isTerminal(.standardOutput) {
            // A report needs the whole body, and on a terminal control characters are escaped.
            let limit = isHidden ? 0 : Self.limit
            do {
                while !report.isBodyTruncated, let bytes = try await answer.body.nextBytes() {
                    report.isBodyTruncated = bytes.count > limit - report.body.count
                    report.body += bytes.prefix(limit - report.body.count)
                    report.bytesReceived += Int64(bytes.count)
                }
            } catch {
                report.isBodyTruncated = true
                self.record.answer(report)
                throw error
            }
            if !self.isJSON, !isHidden {
                try Self.writing { try StandardOutput.write(self.terminalText(report)) }
                if report.isBodyTruncated {
                    Warning.write(["the terminal shows only the first 1 MiB of the answer: -o FILE writes all of it"])
                }
            }
        } else {
            report.bytesReceived = try await self.write(answer, report) { bytes in
                try Self.writing { try BodyPlan(copying: .bytes(bytes)).write(to: .standardOutput) }
            }
        }
        if answer.body.isCut { report.isBodyTruncated = true }
        return report
    }

    /// - Returns: The number of bytes of the answer's body.
    private func write(
        _ answer: ExchangeAnswer, _ report: SendReport, _ write: ([UInt8]) throws -> Void
    ) async throws -> Int64 {
        var count: Int64 = 0
        if self.includesHead { try write(Array(report.headText.utf8)) }
        while let bytes = try await answer.body.nextBytes() {
            try write(bytes)
            count += Int64(bytes.count)
        }
        return count
    }

    /// Reports a failed write to standard output as a failure to write the answer.
    static func writing(_ work: () throws -> Void) throws {
        do { try work() } catch let error as FormworkError where error.code == .writeFailed {
            throw FormworkError(
                .writeFailed, "the answer can't be written to standard output", cause: error.cause)
        }
    }

    private static func writing<Result>(to path: String, _ work: () throws -> Result) throws -> Result {
        do { return try work() } catch let error as FormworkError {
            throw FormworkError(
                .writeFailed, "the answer can't be written to this file", path: path, cause: error.cause)
        }
    }

    private func terminalText(_ report: SendReport) -> String {
        let head = self.includesHead ? Self.shown(report.headText) : ""
        if report.isJSON, !report.isBodyTruncated,
            let body = JSONLayout.text(report.body, isColoured: TerminalColours.areWanted)
        {
            return head + body
        }
        let body = Self.shown(String(decoding: report.body, as: UTF8.self))
        let text = head + body
        return text.isEmpty || text.hasSuffix("\n") ? text : text + "\n"
    }

    /// Text without control characters, other than tabs and line ends.
    private static func shown(_ text: String) -> String {
        // By scalars: "\r\n" is one Character, which is neither of the two.
        let lines = text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0.last == "\r" ? $0.dropLast() : $0) }
        return lines.map { $0.split(separator: "\t", omittingEmptySubsequences: false) }
            .map { $0.map { String($0).withControlCharactersEscaped }.joined(separator: "\t") }
            .joined(separator: "\n")
    }
}
#endif
