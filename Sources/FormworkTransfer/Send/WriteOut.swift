import FormworkClient
import FormworkCommand
import FormworkURLEncoded

/// The text of `-w` after a transfer: `%{http_code}` and other variables of curl's.
struct WriteOut: Sendable {
    private typealias Piece = @Sendable (Result) -> String

    private static let variables: KeyValuePairs<String, Piece> = [
        "content_type": { $0.head?.fields[.contentType] ?? "" },
        "errormsg": { $0.failure?.message ?? "" },
        "exitcode": { "\($0.failure?.code ?? 0)" },
        "filename_effective": { $0.report?.file ?? "" },
        "http_code": { $0.head.map { "\($0.status)" } ?? "000" },
        "http_version": { $0.head?.version.rawValue ?? "0" },
        "json": { JSONOutput.text($0.members, failure: $0.failure) },
        "method": { $0.trace?.method ?? $0.method },
        "num_headers": { "\($0.head?.fields.count ?? 0)" },
        "num_redirects": { "\($0.trace?.redirects ?? 0)" },
        "num_retries": { "\($0.trace?.retries ?? 0)" },
        "response_code": { $0.head.map { "\($0.status)" } ?? "000" },
        "scheme": { String($0.address.prefix { $0 != ":" }) },
        "size_download": { "\($0.report?.bytesReceived ?? 0)" },
        "size_upload": { "\($0.bytesSent)" },
        "speed_download": { Self.rate($0.report?.bytesReceived ?? 0, $0.seconds) },
        "speed_upload": { Self.rate($0.bytesSent, $0.seconds) },
        "time_total": { Self.time($0.seconds) },
        "url": { $0.url },
        "url_effective": { $0.address },
    ]
    private static let escapes: [Substring: String] = [
        "\\n": "\n", "\\r": "\r", "\\t": "\t", "\\\\": "\\", "%%": "%",
    ]

    private var pieces: [Piece] = []

    /// Warns of variables that there aren't, which are empty as in curl: a script may write all of curl's.
    /// - Parameter given: The text, or `@` and the file that has it; `@-` is standard input.
    /// - Throws: `ExitStatus` for another form of braces, such as `%output{…}`.
    init(_ given: String) throws {
        let format =
            try given.fileAfterSign.map { String(decoding: try BodyOptions.read($0, "-w"), as: UTF8.self) } ?? given
        // By scalars: a sign and a combining mark after it are one Character.
        let special = #/\\[nrt\\]|%%|%([A-Za-z]*)\{([^}]*)\}/#.matchingSemantics(.unicodeScalar)
        var rest = format.startIndex
        for match in format.matches(of: special) {
            self.add(format[rest..<match.range.lowerBound])
            rest = match.range.upperBound
            let (whole, kind, name) = match.output
            switch (kind, name) {
            case ("header"?, let name?):
                let field = name.lowercased()
                self.pieces.append { $0.head?.fields.first { $0.name.canonicalName == field }?.value ?? "" }
            case (""?, let name?):
                let variable = Self.variables.first { $0.key == name }?.value
                if let variable { self.pieces.append(variable) } else { Messages.warn(Self.unknown(name)) }
            case (nil, _), (_, nil): self.add(Self.escapes[whole] ?? "")
            default:
                throw ExitStatus(
                    2, "-w: '\(whole)' isn't known: use %{NAME} with \(Self.variables.names); or %header{NAME}")
            }
        }
        self.add(format[rest...])
    }

    private mutating func add(_ text: some StringProtocol) {
        let text = String(text)
        self.pieces.append { _ in text }
    }

    private static func unknown(_ name: Substring) -> String {
        "-w: '%{\(name)}' isn't known and stays empty: the variables are \(self.variables.names), and %header{NAME}"
    }

    /// What a transfer came to.
    struct Result {
        let transfer: SendRecord.State
        /// The first request's.
        let url: String
        let method: String
        /// `nil` if it succeeded.
        let failure: ExitStatus?
        let bytesSent: Int64
        let seconds: Double

        /// `nil` if there was no answer, or a redirect that wasn't followed.
        var report: SendReport? { self.transfer.report }
        var head: SendReport.Head? { self.report?.head ?? self.transfer.head }
        var trace: FormSender.Trace? { self.report?.trace ?? self.transfer.trace }
        var total: Int64? { self.transfer.total }
        /// The last request's URL.
        var address: String { self.trace?.url ?? self.url }

        /// The members of the object that `--json` prints. All results have them; only the last ones are optional.
        var members: [(name: String, value: ParameterValue)] {
            let headers = self.head.map { ParameterValue.fields($0.fields.map { ($0.name.rawName, $0.value) }) }
            let members: [(name: String, value: ParameterValue)] = [
                ("status", .optional(self.head.map { Int64($0.status) })),
                ("url", .optional(self.trace?.url)),
                ("http", .optional(self.head?.version.rawValue)),
                ("bytesSent", .optional(self.report?.bytesSent ?? self.bytesSent)),
                ("bytesTotal", .optional(self.total)),
                ("isBodyComplete", self.report.map { .bool($0.hasSent(self.total)) } ?? .null),
                ("tries", .optional(self.trace.map { Int64($0.retries + 1) })),
                ("requests", .optional(self.trace.map { Int64($0.requests) })),
                ("seconds", .double((self.seconds * 1000).rounded() / 1000)),
                ("headers", headers ?? .null),
            ]
            return members + (self.report?.optionalMembers ?? [])
        }
    }

    func text(_ result: Result) -> String { self.pieces.map { $0(result) }.joined() }

    /// Bytes a second.
    private static func rate(_ bytes: Int64, _ seconds: Double) -> String {
        "\(seconds > 0 ? Int64(clamping: Double(bytes) / seconds) : 0)"
    }

    /// Seconds with six digits after the point.
    private static func time(_ seconds: Double) -> String {
        let microseconds = Int64(clamping: (seconds * 1e6).rounded())
        return "\(microseconds / 1_000_000).\((microseconds % 1_000_000).padded(to: 6))"
    }
}
