#if Command
import ArgumentParser
import Formwork
import SystemPackage

struct InspectCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "inspect",
        abstract: "List the parts of a multipart body, or explain what is wrong with it.",
        discussion: """
            EXAMPLES
              formwork inspect body.bin
              formwork inspect request.http --json
              formwork body -F title=Harbour -F photo=@a.jpg | formwork inspect --sha256
              formwork inspect session.har --entry 12

            The input is a body, a captured HTTP/1.x message (with its Content-Type, Content-Length and chunked coding),
            or a HAR file of at most 256 MiB, which is read into memory. Bodies and messages of any size are streamed.
            The boundary comes from the options, the capture, or the body's first line.

            --json prints {"parts":[{"index","name","filename","contentType","headers":[[name,value],…],"offset",
            "length","sha256"},…]}: absent values are null, index counts from 0, offset and length of the
            content are in bytes. Parts are printed as they are read: the object is complete only if the exit status
            is 0.
            --lint prints a line for each departure from RFC 7578, with its section, and for each thing that confuses
            real servers. With a departure it exits with 70. It ignores --profile and --limit.
            For a body that can't be read, the exit status is 70, and one line gives the place and the probable cause.
            """)

    @OptionGroup var options: ParsingOptions

    @Flag(help: "Print one JSON object.")
    var json = false

    @Flag(help: "Add the SHA-256 of every part's content to the table.")
    var sha256 = false

    @Flag(help: "List where the form departs from RFC 7578.")
    var lint = false

    func run() throws {
        if self.lint {
            guard !self.json, !self.sha256 else {
                throw ExitStatus(2, "formwork: --lint prints no parts: leave --json and --sha256 out")
            }
            return try self.runLint()
        }
        var walk = try self.options.open(looksOn: true)
        let output = OutputBuffer()
        let notes = try self.json ? self.writeObject(&walk, output) : self.writeTable(&walk, output)
        try output.flush()
        Warning.write(notes)
    }

    private func runLint() throws {
        let (input, contentType) = try self.options.openUnparsed()
        var lint = FormLint(contentType: contentType)
        while true {
            let chunk = try input.next()
            if chunk.isEmpty { break }
            lint.take(chunk)
        }
        let findings = lint.finish()
        let output = OutputBuffer()
        for finding in findings { try output.write("\(finding)\n") }
        if lint.leftOut > 0 { try output.write("\(lint.leftOut) more\n") }
        try output.flush()
        let departures = findings.count { $0.severity == .departure }
        guard departures > 0 else { return }
        let what = departures == 1 ? "1 departure" : "\(departures) departures"
        throw ExitStatus(70, "formwork: \(input.name.withControlCharactersEscaped): \(what) from RFC 7578")
    }

    private func writeObject(_ walk: inout PartWalk, _ output: OutputBuffer) throws -> [String] {
        var recorder = PartRecorder(wantsDigest: true) { record in
            try output.write(record.index == 0 ? "\n" : ",\n")
            try output.write(OrderedJSON.write(record.json))
        }
        try output.write("{\"parts\":[")
        do {
            let notes = try walk.run(&recorder)
            try output.write("\n]}\n")
            return notes
        } catch {
            // The parts so far are printed, and the object is left open, so that it isn't taken for complete.
            try output.write("\n")
            try output.flush()
            throw error
        }
    }

    private func writeTable(_ walk: inout PartWalk, _ output: OutputBuffer) throws -> [String] {
        let table = PartTable(output, showsDigests: self.sha256, terminalWidth: TerminalWidth.of(.standardOutput))
        var recorder = PartRecorder(wantsDigest: self.sha256) { try table.append($0) }
        do {
            let notes = try walk.run(&recorder)
            try table.flush()
            return notes
        } catch {
            if recorder.count > 0 { try table.flush() }
            try output.flush()
            throw error
        }
    }
}
#endif
