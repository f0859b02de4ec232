import ArgumentParser
import Formwork
import FormworkSystem

struct BodyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "body",
        abstract: "Write the body to standard output or a file.",
        usage: "formwork body [options] -F NAME=VALUE -F NAME=@FILE",
        discussion: """
            EXAMPLES
              formwork body -F title=Harbour -F photo=@a.jpg -o body.bin
              formwork body -F photo=@a.jpg --boundary b1 | sha256sum
              formwork body -F photo=@a.jpg --boundary b1 --offset 1000000
              formwork body -F photo=@a.jpg --as request -o request.http
              formwork body -F photo=@a.jpg --as curl --url http://localhost:8080/
            """)

    @OptionGroup(title: "Form") var parts: PartOptions

    @OptionGroup(title: "Details of the form") var form: FormOptions

    @OptionGroup(title: "Details of the form") var composing: ComposingOptions

    @Option(.shortAndLong, file: "Write to this file. It appears only when it is complete; '-' is standard output.")
    var output: String?

    @Option(
        .customLong("as"), value: "curl|request",
        "Write the whole request, or the command for curl, instead of the body.",
        discussion: """
            'inspect' reads the request. curl makes the form itself, from the same parts, with a boundary of its own.
            """)
    var shape: Shape?

    @Option(help: "The URL in the request or command of --as.")
    var url: String?

    @Option(parsing: .unconditional, help: "Begin at this byte of the body, without reading the bytes before it.")
    var offset: Int64 = 0

    @Option(parsing: .unconditional, help: "Write at most this many bytes. (default: to the end of the body)")
    var length: Int64?

    @Flag(help: "While writing, fail if any content contains the boundary.")
    var check = false

    @Flag(
        help: ArgumentHelp(
            "Read files instead of passing references to their content to a pipe.",
            discussion: "Slower. Needed if the pipe's reader forwards content without reading it, as pv does."))
    var readFiles = false

    @Option(help: ProgressOption.help)
    var progress: ProgressOption = .auto

    enum Shape: String, ChoiceOption { case curl, request }

    func validate() throws {
        try GivenPath.check(["-o": self.output])
        guard self.url == nil || self.shape != nil else { throw ValidationError("--url: has no use without --as") }
    }

    func run() throws {
        for (name, value) in [("--offset", self.offset), ("--length", self.length ?? 0)] where value < 0 {
            throw ExitStatus(2, "\(name) \(value): give 0 or more")
        }
        try GivenPath.checkOutput("-o", self.output)
        try ExitStatus.refuse(
            if: self.shape != nil && (self.offset != 0 || self.length != nil),
            "--as is for the whole body: leave out --offset and --length")
        let plan = try self.form.makePlan(self.composing, passesHeaders: self.shape != nil)
        try SeparateOutput.check("-o", self.output, inputs: self.form.inputs(of: plan))
        let file = self.output == "-" ? nil : self.output
        if self.shape == .curl { return try self.writeCurlCommand(plan, to: file) }
        let head = self.shape == .request ? try self.requestHead(plan) : nil
        let isTerminal = file == nil && Terminal.isTerminal(.standardOutput)
        try ExitStatus.refuse(
            if: isTerminal && self.output == nil && !plan.isPlainText,
            "the body may hold binary data and standard output is a terminal: use -o FILE, a pipe, or -o - to "
                + "write it anyway")
        let style = self.progress.style(bodyGoesToTerminal: isTerminal)
        let options = ReaderOptions(checksFraming: self.check, readsFiles: self.readFiles)
        try ProgressLine.shown(style, from: self.offset, options) { options in
            let reader =
                try head.map { try Self.request($0, plan, options).makeReader() }
                ?? plan.makeReader(from: self.offset, count: self.length, options: options)
            if let file {
                try reader.write(toFile: FilePath(file), replacing: true)
            } else {
                try reader.write(to: .standardOutput)
            }
        }
    }

    /// The head of a request. A body of unknown length can't be written: the head comes first.
    private func requestHead(_ plan: BodyPlan) throws -> String {
        guard let length = plan.contentLength else {
            let reason = plan.lengthBlocker.map { ": \($0)\($0.lengthRemedy)" } ?? ""
            throw ExitStatus(2, "--as request needs the body's length\(reason)")
        }
        let target = RequestTarget(try self.checkedURL() ?? "http://localhost/")
        let given = try self.checkedHeaders()
        if let length = given.first(where: { $0.isNamed("content-length", "transfer-encoding") }) {
            throw length.refused("it is set from the body's length: leave it out")
        }
        let isAuthorized = given.contains { $0.isNamed("authorization") }
        let authorization = isAuthorized ? nil : target.credentials.map { "Authorization: \($0.fieldValue)" }
        let host = given.contains { $0.isNamed("host") } ? nil : "Host: \(target.authority)"
        let headers =
            [host, authorization].compactMap(\.self) + given.map(\.text) + [
                "Content-Type: \(plan.contentType)", "Content-Length: \(length)",
            ]
        return (["POST \(target.path) HTTP/1.1"] + headers).map { $0 + "\r\n" }.joined() + "\r\n"
    }

    /// A head and the body after it.
    private static func request(_ head: String, _ plan: BodyPlan, _ options: ReaderOptions) throws -> BodyPlan {
        let body = BodySource.stream(length: plan.contentLength) { offset in
            ReaderStream(try plan.makeReader(from: offset, options: options))
        }
        return try BodyPlan(copying: .concatenation([.text(head), body]))
    }

    /// The URL. A line end or a blank in it would end the request's line, and begin other lines.
    private func checkedURL() throws -> String? {
        guard let url else { return nil }
        let shown = ShellQuote.quote(SecretText.masked(url: url))
        if url.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F }) {
            throw ExitStatus(2, "--url \(shown): a URL can't contain blanks or control characters: percent-encode them")
        }
        let scheme = url.utf8.authorityStart.map { String(url[..<$0]).lowercased() } ?? "http://"
        try ExitStatus.refuse(
            if: !["http://", "https://"].contains(scheme) || url.utf8.authority.isEmpty,
            "--url \(shown): give a URL of http or https, such as http://localhost:8080/")
        return url
    }

    /// The headers other than `Content-Type`, each with a name and a value.
    private func checkedHeaders() throws -> [GivenHeader] {
        let headers = self.form.otherHeaders
        for header in headers {
            let isLine = !header.text.utf8.contains { $0 < 0x20 && $0 != 0x09 }
            guard isLine, header.text.utf8.contains(UInt8(ascii: ":")) else {
                throw header.refused("write 'Name: value'")
            }
        }
        return headers
    }

    private func writeCurlCommand(_ plan: BodyPlan, to file: String?) throws {
        try self.form.refuseBoundary(for: "--as curl")
        let words = try self.checkedHeaders().flatMap { ["-H", $0.text] } + [self.checkedURL()].compactMap(\.self)
        let text = try CurlCommandLine.text(for: plan, followedBy: words)
        guard let file else { return try StandardOutput.write(text) }
        try BodyPlan(copying: .text(text)).makeReader().write(toFile: FilePath(file), replacing: true)
    }
}

/// A reader as a stream.
private struct ReaderStream: ByteStream {
    private let reader: BodyReader

    init(_ reader: BodyReader) { self.reader = reader }

    mutating func read(into buffer: inout MutableRawSpan) throws -> Int { try self.reader.read(into: &buffer) }
}

/// The authority and the path of a URL.
private struct RequestTarget {
    let authority: String
    let path: String
    /// The user and password of the URL; `nil` without.
    let credentials: BasicCredentials?

    init(_ url: String) {
        // By bytes: a delimiter and a combining mark after it are one Character.
        let place = url.utf8.authority
        let at = place.lastIndex(of: UInt8(ascii: "@"))
        self.authority = String(Substring(at.map { place[place.index(after: $0)...] } ?? place))
        self.credentials = at.map { at in
            let words = place[..<at].split(
                separator: UInt8(ascii: ":"), maxSplits: 1, omittingEmptySubsequences: false)
            let texts = words.map { String(decoding: $0.percentDecoded(isLoose: true) ?? [], as: UTF8.self) }
            return BasicCredentials(user: texts[0], password: texts.count > 1 ? texts[1] : "")
        }
        let path = url.utf8[place.endIndex...].prefix { $0 != UInt8(ascii: "#") }
        self.path = (path.first == UInt8(ascii: "/") ? "" : "/") + String(Substring(path))
    }
}

extension BodyPlan {
    /// Whether a terminal can show the body: small values in memory, without control characters.
    fileprivate var isPlainText: Bool {
        let isInMemory = self.layout.allSatisfy { $0.kind == .framing || $0.kind == .memory }
        return isInMemory && (try? self.bytes(upTo: 64 << 10))?.isPlainText == true
    }
}
