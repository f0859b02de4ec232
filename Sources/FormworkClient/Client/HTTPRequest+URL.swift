import FormworkEssentials
import FormworkValues

extension HTTPRequest {
    /// A request for an `http` or `https` URL. A user and password in it become Basic credentials (RFC 7617), in UTF-8.
    /// - Throws: ``TransferError/Code/invalidRequest``.
    public init(_ method: Method = .post, to url: String, headerFields: HTTPFields = [:]) throws {
        guard let parsed = URL(text: url), let scheme = parsed.scheme?.lowercased(), let host = parsed.host(),
            !host.isEmpty, !parsed.hasImpossibleHost
        else {
            throw TransferError(
                .invalidRequest, "\(SecretText.masked(url: url)): isn't a URL such as https://example.com/upload")
        }
        guard scheme == "http" || scheme == "https" else {
            throw TransferError(
                .invalidRequest, "\(SecretText.masked(url: url)): forms are sent with http or https, not \(scheme)")
        }
        guard !parsed.hasImpossiblePort else {
            throw TransferError(
                .invalidRequest, "\(SecretText.masked(url: url)): the port must be a number from 1 to 65535")
        }
        var authority = host.contains(":") && !host.hasPrefix("[") ? "[\(host)]" : host
        if let port = parsed.port { authority += ":\(port)" }
        let path = parsed.path(percentEncoded: true)
        let query = parsed.query(percentEncoded: true).map { "?\($0)" } ?? ""
        self.init(
            method: method, scheme: scheme, authority: authority, path: (path.isEmpty ? "/" : path) + query,
            headerFields: headerFields)
        if let user = parsed.user(percentEncoded: false), self.headerFields[.authorization] == nil {
            let password = parsed.password(percentEncoded: false) ?? ""
            self.headerFields[.authorization] = BasicCredentials(user: user, password: password).fieldValue
        }
    }

    /// The URL that this request is for, without credentials.
    package var urlText: String { "\(self.scheme ?? "")://\(self.authority ?? "")\(self.path ?? "/")" }

    /// The same for errors, which may be logged: parameters that carry a credential are masked.
    var shownURL: String { SecretText.masked(url: self.urlText) }

    /// The same request for `location`, resolved against this request's URL (RFC 9110 section 10.2.2).
    func resolving(_ location: String) -> HTTPRequest? {
        guard let base = URL(text: self.urlText), let url = URL(text: location, relativeTo: base) else {
            return nil
        }
        guard var request = try? HTTPRequest(self.method, to: url.absoluteString) else { return nil }
        let credentials = request.headerFields[.authorization]
        request.headerFields = self.headerFields
        if let credentials { request.headerFields[.authorization] = credentials }
        return request
    }
}

extension HTTPRequest {
    /// The URL that a `Location` in this request's answer means (RFC 9110 §10.2.2).
    /// - Returns: `nil` if it isn't an HTTP URL, or if it has no TLS although the answer came over TLS.
    func located(_ location: String) -> String? {
        guard let target = self.resolving(location), self.scheme?.lowercased() != "https" || target.scheme == "https"
        else { return nil }
        return target.urlText
    }

    /// Whether the other request goes to the same scheme, host and port (RFC 6454 §5), so that it may have this one's
    /// credentials.
    func hasOrigin(of other: HTTPRequest) -> Bool {
        guard let origin = URL(text: self.urlText)?.origin else { return false }
        return origin == URL(text: other.urlText)?.origin
    }
}

extension HTTPField.Name {
    /// HTTPTypes uses the authority instead; the field replaces the authority that is sent to the server.
    static let hostField = HTTPField.Name("Host")!  // a token
}

extension Origin {
    /// The target of a request.
    /// - Throws: ``TransferError/Code/invalidRequest``.
    init(_ request: HTTPRequest) throws {
        guard let scheme = request.scheme, let authority = request.authority,
            let url = URL(text: "\(scheme)://\(authority)")
        else { throw TransferError(.invalidRequest, "the request has no scheme and authority") }
        guard !url.hasImpossiblePort else {
            throw TransferError(.invalidRequest, "\(authority): the port must be a number from 1 to 65535")
        }
        guard let origin = url.origin else {
            throw TransferError(.invalidRequest, "the request has no scheme and authority")
        }
        self = origin
    }
}
