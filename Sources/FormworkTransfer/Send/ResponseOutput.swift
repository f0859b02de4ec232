import FormworkClient
import FormworkCommand
import FormworkSystem

/// Where an answer goes: streamed to a file or to standard output, or into the report.
struct ResponseOutput: Sendable {
    /// The most bytes of a body that a report holds, or of JSON that a terminal indents.
    static let limit = 1 << 20

    /// `nil` and `-` for standard output.
    var file: String?
    var includesHead: Bool
    var isJSON: Bool
    /// What an answer of 400 or more is.
    var failure: FailureOption
    /// Gets the answer's head at once, and its body as far as it has arrived.
    var record: SendRecord

    func take(_ answer: ExchangeResponse, _ trace: FormSender.Trace) async throws -> SendReport {
        var report = SendReport(answer, trace)
        var begun = report
        begun.isBodyTruncated = true
        self.note(begun)
        let path = self.file == "-" ? nil : self.file
        let isHidden = self.failure == .fail && answer.head.status.code >= 400
        if let path, !isHidden {
            let file = try Self.writing(to: path) { try AtomicFile(FilePath(path), replacing: true, inPlace: true) }
            report.bytesReceived = try await self.write(answer, report) { bytes in
                try Self.writing(to: path) { try file.write(bytes) }
            }
            if !answer.body.isCut {
                try Self.writing(to: path) { try file.publish() }
                report.file = path
            }
        } else if self.isJSON || isHidden {
            let limit = isHidden ? 0 : Self.limit
            do {
                // What a report has no room for is read, too: only then is it known that the answer wasn't cut. The status
                // of a hidden one says enough.
                while !(isHidden && report.isBodyTruncated), let bytes = try await answer.body.nextBytes() {
                    let room = limit - report.body.count
                    if bytes.count > room { report.isBodyTruncated = true }
                    report.body += bytes.prefix(room)
                    report.bytesReceived += Int64(bytes.count)
                }
            } catch {
                report.isBodyTruncated = true
                self.note(report)
                throw error
            }
        } else if self.file == nil, Terminal.isTerminal(.standardOutput) {
            report.bytesReceived = try await self.show(answer, report)
        } else {
            report.bytesReceived = try await self.write(answer, report) { bytes in
                try Self.writing { _ = try BodyPlan(copying: .bytes(bytes)).write(to: .standardOutput) }
            }
        }
        if answer.body.isCut {
            report.isBodyTruncated = true
            // Another answer of 400 or more is a failure already.
            guard report.status >= 400, self.failure != .noFail else {
                self.note(report)
                throw answer.body.cutError ?? TransferError(.receive, "the connection ended inside the answer")
            }
        }
        return report
    }

    /// Keeps what has arrived for the report of a transfer that fails.
    private func note(_ report: SendReport) { self.record.update { $0.report = report } }

    /// - Returns: The number of bytes of the answer's body.
    private func write(
        _ answer: ExchangeResponse, _ report: SendReport, _ write: ([UInt8]) throws -> Void
    ) async throws -> Int64 {
        var count: Int64 = 0
        if self.includesHead { try write(Array(report.headText.utf8)) }
        while let bytes = try await answer.body.nextBytes() {
            try write(bytes)
            count += Int64(bytes.count)
        }
        return count
    }

    /// Reports a failed write as a failure to write the answer.
    /// - Parameter path: `nil` for standard output.
    static func writing<Result>(to path: String? = nil, _ work: () throws -> Result) throws -> Result {
        do { return try work() } catch {
            let failure = error as? FormworkError
            guard path != nil || failure?.code == .writeFailed else { throw error }
            throw FormworkError(
                .writeFailed, "the answer can't be written to \(path == nil ? "standard output" : "this file")",
                path: path, cause: failure == nil ? error : failure?.cause)
        }
    }

    /// Shows the whole answer on a terminal: JSON with colours and indented, unless it is long, other text as it arrives,
    /// without control characters. As in curl, a NUL means that it isn't text, and isn't shown.
    /// - Returns: The number of bytes of the answer's body.
    private func show(_ answer: ExchangeResponse, _ report: SendReport) async throws -> Int64 {
        var text = TerminalText()
        if self.includesHead { try Self.show(text.next(Array(report.headText.utf8))) }
        var count: Int64 = 0
        // Bytes of JSON that aren't shown yet.
        var held: [UInt8] = []
        var isBinary = false
        do {
            while let bytes = try await answer.body.nextBytes() {
                count += Int64(bytes.count)
                if !isBinary, bytes.contains(0) {
                    isBinary = true
                    held = []
                    Messages.warn(
                        "the answer is binary, and isn't shown on a terminal: -o FILE keeps it, -o - shows it")
                }
                guard !isBinary else { continue }
                held += bytes
                guard !report.isJSON || count > Self.limit else { continue }
                try Self.show(text.next(held))
                held = []
            }
        } catch {
            try Self.show(text.next(held) + text.end())
            throw error
        }
        if !held.isEmpty, !answer.body.isCut, let layout = JSONLayout.shown(held) {
            return try Self.show(layout, count)
        }
        return try Self.show(text.next(held) + text.end(), count)
    }

    @discardableResult
    private static func show(_ text: String, _ count: Int64 = 0) throws -> Int64 {
        try self.writing { try StandardOutput.write(text) }
        return count
    }
}
