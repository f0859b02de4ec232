import FormworkClient
import FormworkCommand
import FormworkURLEncoded

/// The text of `-w` after a transfer: `%{http_code}` and other variables of curl's.
struct WriteOut {
    private enum Piece {
        case text(String)
        case variable(String)
        case header(String)
    }

    static let variables = [
        "content_type", "errormsg", "exitcode", "filename_effective", "http_code", "http_version", "json", "method",
        "num_headers", "num_redirects", "num_retries", "response_code", "scheme", "size_download", "size_upload",
        "speed_download", "speed_upload", "time_total", "url", "url_effective",
    ]

    private var pieces: [Piece] = []

    /// - Parameter given: The text, or `@` and the file that has it; `@-` is standard input.
    ///
    /// Warns of variables that there aren't, which are empty as in curl: a script may write all of curl's.
    /// - Throws: `ExitStatus` for another form of braces, such as `%output{…}`.
    init(_ given: String) throws {
        let format =
            try given.fileAfterSign.map { String(decoding: try BodyOptions.read($0, "-w"), as: UTF8.self) } ?? given
        // By scalars: a sign and a combining mark after it are one Character.
        let escapes: [Unicode.Scalar: Unicode.Scalar] = ["n": "\n", "r": "\r", "t": "\t", "\\": "\\"]
        var rest = Substring(format).unicodeScalars
        var text = ""
        while let character = rest.popFirst() {
            if character == "\\", let next = rest.first,
                let escaped = escapes[next]
            {
                rest = rest.dropFirst()
                text.unicodeScalars.append(escaped)
            } else if character == "%", rest.first == "%" {
                rest = rest.dropFirst()
                text += "%"
            } else if character == "%", let end = rest.firstIndex(of: "}"), let open = rest.firstIndex(of: "{"),
                open < end, rest[..<open].allSatisfy({ $0.isASCII && $0.properties.isAlphabetic })
            {
                let kind = String(rest[..<open])
                let name = String(rest[rest.index(after: open)..<end])
                if kind.isEmpty, !Self.variables.contains(name) {
                    Warning.write([
                        "-w: '%{\(name)}' isn't known and stays empty: the variables are "
                            + Self.variables.joined(separator: ", ") + ", and %header{NAME}"
                    ])
                }
                guard kind.isEmpty || kind == "header" else {
                    throw ExitStatus(
                        2,
                        "formwork: -w: '%\(String(rest[...end]))' isn't known: use %{NAME} with \(Self.variables.joined(separator: ", ")); or "
                            .withControlCharactersEscaped + "%header{NAME}")
                }
                self.pieces += [.text(text), kind.isEmpty ? .variable(name) : .header(name)]
                (text, rest) = ("", rest[rest.index(after: end)...])
            } else {
                text.unicodeScalars.append(character)
            }
        }
        self.pieces.append(.text(text))
    }

    /// What a transfer came to.
    struct Result {
        /// `nil` if there was no answer, or a redirect that wasn't followed.
        var report: SendReport?
        /// The last answer's head, if there is no report of it.
        var lastHead: SendReport.Head?
        /// The last request, if there was no answer; `nil` if none was started.
        var lastTrace: FormSender.Trace?
        /// The first request's.
        var url: String
        var method: String
        /// `nil` if it succeeded.
        var failure: ExitStatus?
        var bytesSent: Int64
        var total: Int64?
        var seconds: Double

        var head: SendReport.Head? { self.report?.head ?? self.lastHead }

        var trace: FormSender.Trace? { self.report?.trace ?? self.lastTrace }
        /// The last request's URL.
        var address: String { self.trace?.url ?? self.url }

        /// The members of the object that `--json` prints. All results have them; only the last ones are optional.
        var members: [(name: String, value: ParameterValue)] {
            let headers = self.head?.fields.map { field in
                ParameterValue.members([("name", .text(field.name.rawName)), ("value", .text(field.value))])
            }
            let members: [(name: String, value: ParameterValue)] = [
                ("status", .optional(self.head.map { Int64($0.status) })),
                ("url", .optional(self.trace?.url)),
                ("http", .optional(self.head?.version)),
                ("bytesSent", .optional(self.report?.bytesSent ?? self.bytesSent)),
                ("bytesTotal", .optional(self.total)),
                ("isBodyComplete", self.report.map { .bool($0.hasSent(self.total)) } ?? .null),
                ("tries", .optional(self.trace.map { Int64($0.retries + 1) })),
                ("requests", .optional(self.trace.map { Int64($0.requests) })),
                ("seconds", .double((self.seconds * 1000).rounded() / 1000)),
                ("headers", headers.map { .array($0) } ?? .null),
            ]
            return members + (self.report?.optionalMembers ?? [])
        }
    }

    func text(_ result: Result) -> String {
        self.pieces.map { piece in
            switch piece {
            case .text(let text): text
            case .variable(let name): Self.value(of: name, result)
            case .header(let name):
                result.head?.fields.first { $0.name.canonicalName == name.lowercased() }?.value ?? ""
            }
        }.joined()
    }

    private static func value(of name: String, _ result: Result) -> String {
        switch name {
        case "content_type": result.head?.fields[.contentType] ?? ""
        case "errormsg": String((result.failure?.message ?? "").trimmingPrefix("formwork: "))
        case "exitcode": "\(result.failure?.code ?? 0)"
        case "filename_effective": result.report?.file ?? ""
        case "http_code", "response_code": result.head.map { "\($0.status)" } ?? "000"
        case "http_version": result.head?.version ?? "0"
        case "json": JSONOutput.text(result.members, failure: result.failure)
        case "method": result.trace?.method ?? result.method
        case "num_headers": "\(result.head?.fields.count ?? 0)"
        case "num_redirects": "\(result.trace?.redirects ?? 0)"
        case "num_retries": "\(result.trace?.retries ?? 0)"
        case "scheme": String(result.address.prefix { $0 != ":" })
        case "size_download": "\(result.report?.bytesReceived ?? 0)"
        case "speed_download": self.rate(result.report?.bytesReceived ?? 0, result.seconds)
        case "speed_upload": self.rate(result.bytesSent, result.seconds)
        case "size_upload": "\(result.bytesSent)"
        case "time_total": Self.seconds(result.seconds)
        case "url": result.url
        case "url_effective": result.address
        default: ""
        }
    }

    /// Bytes a second.
    private static func rate(_ bytes: Int64, _ seconds: Double) -> String {
        "\(seconds > 0 ? Int64(clamping: Double(bytes) / seconds) : 0)"
    }

    /// With six digits after the point.
    private static func seconds(_ seconds: Double) -> String {
        let microseconds = Int64(clamping: (seconds * 1e6).rounded())
        let digits = "\(microseconds % 1_000_000)"
        return "\(microseconds / 1_000_000)." + String(repeating: "0", count: 6 - digits.count) + digits
    }
}
