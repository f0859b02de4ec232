import ArgumentParser
import Formwork
import FormworkSystem
import FormworkURLEncoded

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "List the parts of a multipart body, or explain what is wrong with it.",
        usage: "formwork inspect [options] [FILE]",
        discussion: """
            EXAMPLES
              formwork inspect body.bin
              formwork inspect request.http --json
              formwork body -F title=Harbour -F photo=@a.jpg | formwork inspect --sha256
              formwork inspect session.har --entry 12

            The input is a body, a captured HTTP/1.x message (with its Content-Type, Content-Length and chunked coding), \
            or a capture of several requests: a HAR file, or the file of curl --trace. A body that is encoded with base64, \
            also in an event of API Gateway, is decoded. Bodies and messages of any size are streamed; captures of several \
            requests are read into memory, up to 256 MiB. The boundary comes from the options, the capture, or the body's \
            first line.

            --json prints one object with the list "parts": index (from 0), name, filename, contentType, headers, \
            offset and length of the content in bytes, and sha256. Absent values are null. Parts are printed as they \
            are read. The object ends with "warnings", "exitStatus" and "error", which is null only for a body that \
            was read whole.

            --lint prints a line for each thing that a standard forbids (departure), that receivers read differently \
            (ambiguity), that was probably changed on its way (damage), or that confuses real servers (advice). Unless \
            there is only advice, the exit status is 70. --profile is ignored. With --json the list is "findings": \
            severity, rule, section, part, offset and message.

            For a body that can't be read, the exit status is 70, and one line gives the place and the probable cause.
            """)

    @OptionGroup(title: "Parsing") var options: ParsingOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Add the SHA-256 of every part's content to the table.")
    var sha256 = false

    @Flag(help: "List all that is odd in the form.")
    var lint = false

    func run() throws {
        if self.lint {
            guard !self.sha256 else { throw ExitStatus(2, "--lint prints no parts: leave --sha256 out") }
            return try self.runLint()
        }
        var walk = try self.opened()
        let output = OutputBuffer()
        let notes = try self.json ? self.writeObject(&walk, output) : self.writeTable(&walk, output)
        try output.flush()
        notes.forEach(Messages.warn)
    }

    /// The opened body. If its start is malformed, the object has the members that it has for one malformed later.
    private func opened() throws -> PartWalk {
        do { return try self.options.open(looksOn: true) } catch {
            let status = (error as? ExitStatus) ?? (error as? FormworkError).map { ExitStatus($0) }
            if let status, status.code == 70 {
                JSONOutput.fail(status, [("parts", .array([])), ("warnings", .array([]))])
            }
            throw error
        }
    }

    private func runLint() throws {
        let (name, findings, leftOut) = try self.options.lint()
        let counts = [Oddity.Severity.departure, .ambiguity, .damage].map { severity in
            (severity, findings.count { $0.oddity.severity == severity })
        }
        let shown = counts.filter { $0.1 > 0 }.map { "\($0.1, $0.0.rawValue)" }.joined(separator: ", ")
        let failure = shown.isEmpty ? nil : ExitStatus(70, "\(name): \(shown)")
        if self.json {
            try JSONOutput.write(
                [("findings", .array(findings.map(\.json))), ("leftOut", .integer(Int128(leftOut)))], failure: failure)
        } else {
            try Self.write(findings, leftOut: leftOut)
        }
        if let failure { throw failure }
    }

    private static func write(_ findings: [Finding], leftOut: Int) throws {
        let output = OutputBuffer()
        let width = Terminal.columns(of: .standardOutput)
        for finding in findings {
            for line in Paragraph.lines("\(finding)", width: width, indent: 4) { try output.write(line + "\n") }
        }
        if leftOut > 0 { try output.write("\(leftOut) more\n") }
        try output.flush()
    }

    private func writeObject(_ walk: inout PartWalk, _ output: OutputBuffer) throws -> [String] {
        var recorder = PartRecorder(wantsDigest: true) { record in
            try output.write((record.index == 0 ? "\n    " : ",\n    ") + JSONOutput.text(record.json, indent: 4))
        }
        let interruption = Interruption(within: .seconds(1)) { signal in
            if output.interrupt(signal) { JSONOutput.began() }
        }
        defer { withExtendedLifetime(interruption) {} }
        if output.begin("{\n  \"parts\": [", { Self.ending([], ExitStatus(stoppedBy: $0)) }) { JSONOutput.began() }
        do {
            let notes = try walk.run(&recorder)
            try output.end(Self.ending(notes, nil, isEmpty: recorder.count == 0))
            return notes
        } catch let error as ExitStatus {
            // The parts so far are printed, with the reason why there are no more.
            try output.end(Self.ending([], error, isEmpty: recorder.count == 0))
            throw error
        }
    }

    /// What follows the last part.
    private static func ending(_ notes: [String], _ failure: ExitStatus?, isEmpty: Bool = false) -> String {
        let members = [("warnings", .array(notes.map { .text($0) }))] + JSONOutput.ending(failure)
        let texts = members.map { ",\n  \"\($0.name)\": \(JSONOutput.text($0.value, indent: 2))" }
        return (isEmpty ? "]" : "\n  ]") + texts.joined() + "\n}\n"
    }

    private func writeTable(_ walk: inout PartWalk, _ output: OutputBuffer) throws -> [String] {
        let table = PartTable(output, showsDigests: self.sha256, terminalWidth: Terminal.columns(of: .standardOutput))
        var recorder = PartRecorder(wantsDigest: self.sha256) { try table.append($0) }
        do {
            let notes = try walk.run(&recorder)
            try table.end()
            return notes
        } catch {
            if recorder.count > 0 { try table.end() }
            try output.flush()
            throw error
        }
    }
}
