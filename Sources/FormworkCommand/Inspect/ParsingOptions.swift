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
        return try self.walk(input, nil, profile, limits)
    }

    /// All that is odd in the input. Reading continues where a parser would fail.
    func lint() throws -> (name: String, findings: [Finding], leftOut: Int) {
        let limits = try LimitOption.limits(self.limit)
        let input: BodyInput
        do { input = try self.input(readsOn: true) } catch let error as FormworkError
            where [.malformedBody, .truncatedBody].contains(error.code)
        {
            return (error.path ?? "", [Finding(.messageFraming, error.message)], 0)
        }
        let parser: MultipartParser
        do throws(FormworkError) {
            let given = self.contentType ?? self.boundary.map(Self.type(with:)) ?? input.contentType
            let type = if let given { given } else { try Self.sniffedType(input) }
            parser = try MultipartParser(linting: type, limits: limits)
        } catch {
            let damage = try Self.diagnosis(of: input).finding(for: error)
            return (input.name, try input.findings() + [Finding(error)] + [damage].compactMap { $0 }, 0)
        }
        var walk = PartWalk(input, parser)
        let (findings, leftOut) = try walk.lint()
        return (input.name, findings, leftOut)
    }

    private func input(readsOn: Bool = false) throws -> BodyInput {
        let isBare = self.boundary != nil || self.contentType != nil
        return try BodyInput(self.file, entry: self.entry, isBare: isBare, readsOn: readsOn)
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

    /// - Parameter type: `nil` to use the boundary of the body's first line.
    private func walk(
        _ input: BodyInput, _ type: String?, _ profile: ParsingProfile, _ limits: ParsingLimits
    ) throws -> PartWalk {
        do throws(FormworkError) {
            let type = if let type { type } else { try Self.sniffedType(input) }
            return PartWalk(input, try MultipartParser(contentType: type, profile: profile, limits: limits))
        } catch {
            throw try Self.diagnosis(of: input).status(of: error, input, input.findings().first?.message)
        }
    }

    private static func sniffedType(_ input: BodyInput) throws(FormworkError) -> String {
        var wanted = 1
        while true {
            let bytes = try input.lookAhead(wanted)
            let isWhole = bytes.count < wanted
            if case .found(let boundary) = BoundarySniffer.sniff(bytes, isWhole: isWhole) {
                return self.type(with: boundary)
            }
            guard !isWhole, bytes.count < self.sniffBytes else {
                throw FormworkError(
                    .malformedBody,
                    "No line --BOUNDARY was found, as each multipart body has: give --boundary or --content-type.",
                    offset: nil, cause: ParsingFailure(.missingBoundaryParameter))
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
