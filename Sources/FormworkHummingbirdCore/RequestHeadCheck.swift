import FormworkHTTP
import HTTPTypes
import NIOHTTP1

/// The refusal of a request because of its head, before the service sees it. Nothing more is read from its connection.
package struct HeadRefusal: Error, Hashable, CustomStringConvertible {
    /// The description sent to the client.
    package var problem: ProblemDetails
    /// Method and target as they arrived; `nil` if they were unreadable.
    package var line: String?
    /// Whether the connection ended inside the head.
    package var isCut = false

    init(_ status: HTTPResponse.Status, _ detail: String, line: String? = nil) {
        (self.problem, self.line) = (ProblemDetails(status, detail: detail), line)
    }

    /// For a request that NIO's decoder can't read.
    package init(_ error: HTTPParserError) {
        switch error {
        case .headerOverflow: self.init(.requestHeaderFieldsTooLarge, "The head is too long.")
        case .invalidMethod: self.init(.badRequest, "The method isn't known, or this isn't HTTP.")
        // The decoder's error for both.
        case .invalidVersion:
            self.init(
                .httpVersionNotSupported,
                "The version isn't HTTP/1.0 or HTTP/1.1, or the first line doesn't end with CRLF.")
        case .invalidURL, .invalidHost, .invalidPort, .invalidPath, .invalidQueryString, .invalidFragment:
            self.init(.badRequest, "The request's target isn't valid.")
        case .invalidHeaderToken: self.init(.badRequest, "A header field has a character that isn't allowed.")
        case .lfExpected: self.init(.badRequest, "A line doesn't end with CRLF.")
        case .invalidContentLength, .unexpectedContentLength:
            self.init(
                .badRequest,
                "The Content-Length isn't a number of bytes, is given twice, or is sent with Transfer-Encoding.")
        case .invalidChunkSize: self.init(.badRequest, "The size of a chunk isn't a hexadecimal number.")
        case _ where !Self.isClients(error):
            self.init(.badRequest, "The connection ended inside the request's head.")
            self.isCut = true
        default:
            self.init(
                .badRequest,
                "The request isn't valid HTTP/1.1. Possible causes: a line without CRLF, a bad chunk, or both "
                    + "Content-Length and Transfer-Encoding.")
        }
    }

    /// Whether the decoder's error is about what the client sent, not about the connection's end.
    package static func isClients(_ error: HTTPParserError) -> Bool {
        error != .invalidEOFState && error != .closedConnection
    }

    package var description: String { "\(self.problem.status): \(self.problem.detail ?? self.problem.title)" }
}

/// The checks of a head that RFC 9110, 9112 and 9113 require of a server. NIO's decoder is more lenient: a server that
/// reads a request differently than a proxy in front may see requests that the proxy didn't let through.
package enum RequestHeadCheck {
    /// Checks an HTTP/1 head.
    /// - Throws: ``HeadRefusal``.
    static func check(_ head: HTTPRequestHead) throws(HeadRefusal) {
        let line = "\(head.method.rawValue) \(head.uri)"
        do throws(HeadRefusal) {
            let isOld = (head.version.major, head.version.minor) < (1, 1)
            try self.checkHost(head, isOld: isOld)
            try self.checkFraming(head, isOld: isOld)
            guard self.tokens(head.headers["Connection"]).allSatisfy(self.isToken) else {
                throw HeadRefusal(.badRequest, "The Connection field isn't a list of words.")
            }
        } catch {
            var refusal = error
            refusal.line = line
            throw refusal
        }
    }

    /// Checks an HTTP/2 head, and sets its authority if only `Host` has it (RFC 9113 section 8.3.1).
    /// - Parameters:
    ///   - bytes: The most bytes of its names and values.
    ///   - fields: The most fields.
    /// - Throws: ``HeadRefusal``.
    package static func check(_ head: inout HTTPRequest, bytes: Int, fields: Int) throws(HeadRefusal) {
        let line = "\(head.method.rawValue) \(head.path ?? "")"
        let size = head.headerFields.reduce(line.utf8.count + (head.authority ?? "").utf8.count) {
            $0 + $1.name.rawName.utf8.count + $1.value.utf8.count
        }
        guard size <= bytes, head.headerFields.count <= fields else {
            throw HeadRefusal(HTTPParserError.headerOverflow)
        }
        var hosts: [String] = []
        if let name = HTTPField.Name("Host") { hosts = head.headerFields[values: name] }
        guard hosts.count <= 1 else { throw HeadRefusal(.badRequest, "The request has two Host fields.", line: line) }
        if let host = hosts.first {
            let authority = head.authority ?? host
            guard authority.lowercased() == host.lowercased() else {
                throw HeadRefusal(.badRequest, "The Host field differs from :authority.", line: line)
            }
            head.authority = authority
        }
        if let authority = head.authority, !self.isHost(authority) {
            throw HeadRefusal(.badRequest, "The request's host isn't valid.", line: line)
        }
        // RFC 9113 section 8.3.1. CONNECT has no path.
        let path = head.path ?? ""
        guard head.method == .connect || path.hasPrefix("/") || (path == "*" && head.method == .options) else {
            throw HeadRefusal(.badRequest, "The request's :path doesn't begin with a slash.", line: line)
        }
        let lengths = Set(head.headerFields[values: .contentLength])
        guard lengths.count <= 1, lengths.allSatisfy(self.isLength) else {
            throw HeadRefusal(.badRequest, "The Content-Length isn't a number of bytes.", line: line)
        }
        guard head.headerFields[.transferEncoding] == nil else {
            throw HeadRefusal(.badRequest, "HTTP/2 doesn't allow Transfer-Encoding.", line: line)
        }
    }

    private static func checkHost(_ head: HTTPRequestHead, isOld: Bool) throws(HeadRefusal) {
        let hosts = head.headers["Host"]
        guard hosts.count <= 1 else { throw HeadRefusal(.badRequest, "The request has \(hosts.count) Host fields.") }
        guard isOld || hosts.count == 1 else { throw HeadRefusal(.badRequest, "The request has no Host field.") }
        if let host = hosts.first, !self.isHost(host) {
            throw HeadRefusal(.badRequest, "The request's host isn't valid.")
        }
        // RFC 9112 section 3.2.
        if head.method == .CONNECT || head.uri.hasPrefix("/") || (head.uri == "*" && head.method == .OPTIONS) { return }
        let lowered = head.uri.lowercased()
        guard let scheme = ["http://", "https://"].first(where: { lowered.hasPrefix($0) }) else {
            throw HeadRefusal(.badRequest, "The request's target isn't valid.")
        }
        let authority = lowered.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard hosts.allSatisfy({ $0.lowercased() == authority }) else {
            throw HeadRefusal(.badRequest, "The host in the request's target differs from its Host field.")
        }
    }

    private static func checkFraming(_ head: HTTPRequestHead, isOld: Bool) throws(HeadRefusal) {
        let lengths = head.headers["Content-Length"]
        guard lengths.count <= 1, lengths.allSatisfy(self.isLength) else {
            throw HeadRefusal(.badRequest, "The Content-Length isn't a number of bytes.")
        }
        let fields = head.headers["Transfer-Encoding"]
        guard !fields.isEmpty else {
            // RFC 1945 section 7.2.2: otherwise only the connection's end would show the body's, and a cut looks the same.
            guard isOld, lengths.isEmpty, [.POST, .PUT, .PATCH].contains(head.method) else { return }
            throw HeadRefusal(
                .badRequest, "A \(head.method.rawValue) in HTTP/1.0 needs a Content-Length: add it, or use HTTP/1.1.")
        }
        // RFC 9112 section 6.1.
        guard !isOld else { throw HeadRefusal(.badRequest, "HTTP/1.0 doesn't allow Transfer-Encoding.") }
        guard lengths.isEmpty else {
            throw HeadRefusal(.badRequest, "The request has Content-Length and Transfer-Encoding.")
        }
        let codings = self.tokens(fields)
        guard codings.last == "chunked", !codings.dropLast().contains("chunked") else {
            throw HeadRefusal(.badRequest, "The last transfer coding isn't chunked.")
        }
        guard codings.count == 1 else {
            throw HeadRefusal(.notImplemented, "The only supported transfer coding is chunked.")
        }
    }

    /// The members of a list field, in lower case.
    static func tokens(_ values: [String]) -> [Substring] {
        values.flatMap { value in
            value.lowercased().split(separator: ",").map { Substring($0.utf8.trimmingBlanks) }.filter { !$0.isEmpty }
        }
    }

    private static func isToken(_ text: Substring) -> Bool { HTTPField.Name(String(text)) != nil }

    /// Whether a text consists of digits only, and fits a 64-bit number.
    private static func isLength(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { $0.isDigit } && Int64(text) != nil
    }

    /// Whether a text is a host with an optional port (RFC 3986 section 3.2), without user information. It may be
    /// empty, if a target has no host.
    static func isHost(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let literal = rest[rest.index(after: rest.startIndex)..<end]
            let isLiteral = literal.allSatisfy { byte in
                byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") || byte.isLetterOrDigit
            }
            guard isLiteral, literal.contains(UInt8(ascii: ":")) else { return false }
            rest = rest[rest.index(after: end)...]
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard name.allSatisfy({ $0.isLetterOrDigit || "-._~%!$&'()*+,;=".utf8.contains($0) }) else {
                return false
            }
            rest = rest.dropFirst(name.count)
        }
        guard let colon = rest.first else { return true }
        let port = rest.dropFirst()
        guard colon == UInt8(ascii: ":"), port.allSatisfy(\.isDigit) else { return false }
        return port.isEmpty || UInt16(String(decoding: port, as: UTF8.self)) != nil
    }
}
