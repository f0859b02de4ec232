import ArgumentParser
import Formwork

/// The input options of `inspect` and `extract`.
struct ParsingOptions: ParsableArguments {
    @Argument(
        help: ArgumentHelp(
            "A body, or a capture: an HTTP request or response, a HAR file, or a curl trace. '-' or none is standard "
                + "input.",
            valueName: "file"),
        completion: .file())
    var file: String?

    /// The file, for ``SeparateOutput``.
    var inputs: [String] { [self.file].compactMap(\.self) }

    @Option(help: "The boundary, instead of the one in the capture or in the body's first line.")
    var boundary: String?

    @Option(value: "type", "The Content-Type with the boundary, instead of the capture's.")
    var contentType: String?

    @Option(
        help: ArgumentHelp(
            "How strictly to parse: default (RFC 7578), whatwg (as fetch does), generic (any multipart type), lenient "
                + "(LF ends lines too), strict (what every server accepts).",
            valueName: "default|whatwg|generic|lenient|strict"),
        completion: .list(Self.profiles.map(\.key)))
    var profile = "default"

    @Option(
        help: ArgumentHelp(
            "Change a limit. Can be repeated.",
            discussion: """
                Names: boundaryLength, totalBytes, preambleBytes, headerBytes, totalHeaderBytes, headerCount, \
                nameBytes, parts, files, fields, fieldBytes, fileBytes. A value may end in k, M, G, T or P, or be 'none'. \
                Without this option a boundary may have 1 KiB, a preamble and a header section 1 MiB each, a name \
                64 KiB, a part 1,000 header fields, a body 10,000,000 parts; nothing else is limited. \
                'defaults' selects the library's limits for servers.
                """,
            valueName: "name=value"),
        completion: .list(["defaults"] + LimitOption.names.map { $0.key + "=" }))
    var limit: [String] = []

    @Option(value: "n", "Which request of a capture, counted from 1.")
    var entry: Int?

    private static let profiles: KeyValuePairs<String, ParsingProfile> = [
        "default": .default, "whatwg": .whatwg, "generic": .generic, "lenient": .lenient, "strict": .strict,
    ]
    /// The bytes in which a boundary is searched for.
    private static let sniffBytes = 64 << 10

    func validate() throws { try GivenPath.check(["the input": self.file]) }

    /// Opens the input and finds its boundary.
    /// - Parameter looksOn: Whether to continue if a part may be lost, to list what the body holds.
    func open(looksOn: Bool = false) throws -> PartWalk {
        var profile = try Self.profiles.value("--profile", self.profile) ?? .default
        profile.watches = true
        if looksOn { profile.skipsPreambleDelimiters = true }
        let limits = try LimitOption.limits(self.limit)
        try ExitStatus.refuse(
            if: self.boundary != nil && self.contentType != nil,
            "--boundary and --content-type both give the boundary: leave one out")
        // Arguments are checked before waiting for input.
        if let (option, value) = self.boundary.map({ ("--boundary", $0) })
            ?? self.contentType.map({ ("--content-type", $0) })
        {
            let type = self.contentType ?? Self.type(with: value)
            let parser = try Self.given(option, value) { () throws(FormworkError) in
                try MultipartParser(contentType: type, profile: profile, limits: limits)
            }
            let input = try self.input()
            if let own = input.contentType.flatMap(Boundary.init(of:)), let given = Boundary(of: type), own != given {
                input.note("the capture's Content-Type names another boundary, \(own.text): receivers find no parts")
            }
            return PartWalk(input, parser)
        }
        let input = try self.input()
        if let type = input.contentType {
            guard self.profile != "strict", Self.lacksBoundary(type) else {
                return try self.walk(input, type, profile, limits)
            }
            input.note("the Content-Type has no boundary: the one of the body's first line is used")
        }
        return try self.walk(input, Self.type(with: try Self.sniff(input)), profile, limits)
    }

    /// All that is odd in the input. Reading continues where a parser would fail.
    func lint() throws -> (name: String, findings: [Finding], leftOut: Int) {
        let limits = try LimitOption.limits(self.limit)
        let input = try self.input()
        let given = self.contentType ?? self.boundary.map(Self.type(with:)) ?? input.contentType
        let type = try given ?? Self.type(with: Self.sniff(input))
        let parser: MultipartParser
        do throws(FormworkError) { parser = try MultipartParser(linting: type, limits: limits) } catch {
            return (input.name, [Finding(error)], 0)
        }
        var walk = PartWalk(input, parser)
        let (findings, leftOut) = try walk.lint()
        return (input.name, findings, leftOut)
    }

    private func input() throws -> BodyInput {
        try BodyInput(self.file, entry: self.entry, isBare: self.boundary != nil || self.contentType != nil)
    }

    /// Whether a capture's type is a form's, and only the boundary is missing. The body's first line has it.
    private static func lacksBoundary(_ type: String) -> Bool {
        let text = type.lowercased()
        return text.hasPrefix("multipart/") && !text.contains("boundary")
    }

    private static func type(with boundary: String) -> String { "multipart/form-data; boundary=\"\(boundary)\"" }

    /// Reports a wrong argument as a usage error, not as an error in the body.
    private static func given(
        _ option: String, _ value: String, _ work: () throws(FormworkError) -> MultipartParser
    ) throws -> MultipartParser {
        do throws(FormworkError) { return try work() } catch {
            guard error.code != .limitExceeded else { throw error }
            throw ExitStatus(2, "\(option) \(ShellQuote.quote(value)): \(error.changed { $0.cause = nil })")
        }
    }

    private func walk(
        _ input: BodyInput, _ type: String, _ profile: ParsingProfile, _ limits: ParsingLimits
    ) throws -> PartWalk {
        do throws(FormworkError) {
            let parser = try MultipartParser(contentType: type, profile: profile, limits: limits)
            return PartWalk(input, parser)
        } catch {
            throw try Self.diagnosis(of: input).status(of: error, input)
        }
    }

    private static func sniff(_ input: BodyInput) throws -> String {
        var wanted = 1
        while true {
            let bytes = try input.lookAhead(wanted)
            let isWhole = bytes.count < wanted
            if case .found(let boundary) = BoundarySniffer.sniff(bytes, isWhole: isWhole) { return boundary }
            if isWhole || bytes.count >= self.sniffBytes {
                let error = FormworkError(
                    .malformedBody,
                    "No line --BOUNDARY was found, as each multipart body has: give --boundary or --content-type.",
                    offset: nil, cause: ParsingFailure(.missingBoundaryParameter))
                throw try self.diagnosis(of: input).status(of: error, input)
            }
            wanted = bytes.count + 1
        }
    }

    /// The diagnosis of a body that no parser reads, from its start.
    private static func diagnosis(of input: BodyInput) throws -> BodyDiagnosis {
        var diagnosis = BodyDiagnosis(contentLength: input.contentLength, contentEncoding: input.contentEncoding)
        diagnosis.take(try input.lookAhead(1))
        // Nothing was read to the end, so the body must not be diagnosed as cut.
        if diagnosis.byteCount > 0 { diagnosis.contentLength = nil }
        return diagnosis
    }
}
