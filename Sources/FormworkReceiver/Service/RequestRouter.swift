import Formwork
import FormworkResumable
import HTTPTypes

/// What to do with a request, decided from its head alone.
enum RequestDecision: Sendable {
    case page
    case styleSheet
    case script
    case fileList
    case metrics
    /// `/healthz`: whether the process answers.
    case health
    /// `/readyz`: whether uploads are accepted and the storage can be reached.
    case readiness
    /// A redirect to another page.
    case seeOther(String)
    case login
    case logout
    /// `OPTIONS`.
    case methods
    /// A browser's question whether another site's page may send a request.
    case preflight
    case upload(IncomingUpload)
    /// A request of a resumable protocol.
    case resumable
    case refused(ProblemDetails)
}

/// Decides what to do with requests. Nothing here waits or has side effects.
struct RequestRouter: Sendable {
    /// Whether the receiver is reached from this machine only. `Host` must then be a name of this machine, so that no
    /// other name that resolves to it gives a browser access (DNS rebinding).
    var isLoopback = true
    /// The name or address that the receiver listens on, which is accepted as `Host` too.
    var host = ""
    var isTLS = false
    var showsMetrics = false
    var limits = ReceivingLimits()
    /// Whether requests are under an upload link, which lets them in, and only to the page and to uploads.
    var isLinked = false
    /// The path below which the receiver is reached, with a slash at both ends.
    var root = "/"
    /// The sites whose pages may upload here, with a token or a link: `https://example.org`.
    var origins: Set<String> = []
    /// Whether a request belongs to one of the resumable protocols.
    var isResumable: @Sendable (HTTPRequest) -> Bool = { _ in false }

    /// A request's target without ``root``, which a proxy may have removed already.
    func target(_ target: String?) -> String? {
        let root = self.root.dropLast()
        guard let target, !root.isEmpty, target.utf8.starts(with: root.utf8) else { return target }
        let rest = target.utf8.dropFirst(root.utf8.count)
        guard let next = rest.first else { return "/" }
        return next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
            ? (next == UInt8(ascii: "?") ? "/" : "") + String(Substring(rest)) : target
    }

    /// The site of the page that sent a request, if that is another site whose pages may upload here.
    func allowedOrigin(_ head: HTTPRequest) -> String? {
        head.headerFields[.origin].flatMap { self.origins.contains($0.lowercased()) ? $0 : nil }
    }

    /// - Parameter admission: The result of checking the request's credentials; evaluated only if needed.
    func decide(
        _ head: HTTPRequest, admission: @autoclosure () -> AccessControl.Admission = .admitted
    ) -> RequestDecision {
        do throws(ProblemDetails) {
            let path = RequestPath(head.path).text
            // A balancer asks with an address as the host, and without a token. The answers contain nothing secret.
            let isReading = head.method == .get || head.method == .head
            if !self.isLinked, let probe = Self.probes[path], isReading { return probe }
            try self.checkHost(head)
            if !self.isLinked, let asset = Self.openAssets[path], isReading { return asset }
            if !isReading { try self.checkOrigin(head) }
            if head.method == .options, head.headerFields.contains(.accessControlRequestMethod),
                self.allowedOrigin(head) != nil
            {
                return .preflight
            }
            if !self.isLinked, path == "/login", head.method == .post { return .login }
            if !self.isLinked, path == "/logout", head.method == .post { return .logout }
            switch self.isLinked ? .admitted : admission() {
            case .admitted: break
            case .missing: throw .unauthorized("The token is missing.")
            case .wrong: throw .unauthorized("The token is wrong.")
            case .slowed: throw .tooManyTries
            }
            if self.isResumable(head) { return .resumable }
        } catch {
            return .refused(error)
        }
        return self.decideOrdinary(head)
    }

    /// Decides about a request that was let in and doesn't belong to a resumable protocol.
    func decideOrdinary(_ head: HTTPRequest) -> RequestDecision {
        do throws(ProblemDetails) {
            let path = RequestPath(head.path).text
            switch head.method {
            case .get, .head: return try self.resource(path)
            case .options: return .methods
            case .post, .put:
                if !self.isLinked, path == "/login" || path == "/logout" { throw .postOnly(path) }
                return try self.upload(head)
            default: throw .notAllowed
            }
        } catch {
            return .refused(error)
        }
    }

    /// Assets that need no token: the login page uses them too.
    private static let openAssets: [String: RequestDecision] = ["/page.css": .styleSheet, "/page.js": .script]

    private static let probes: [String: RequestDecision] = ["/healthz": .health, "/readyz": .readiness]

    private func resource(_ path: String) throws(ProblemDetails) -> RequestDecision {
        switch path {
        case "/": return .page
        case "/files.json": return .fileList
        case "/metrics" where self.showsMetrics && !self.isLinked: return .metrics
        default: throw .notFound
        }
    }

    private func upload(_ head: HTTPRequest) throws(ProblemDetails) -> RequestDecision {
        if let expectation = head.headerFields[.expect], expectation.lowercased() != "100-continue" {
            throw .expectationFailed
        }
        if head.headerFields[.contentRange] != nil {
            throw .badRequest("Content-Range is not accepted: send the whole file, or use a resumable upload.")
        }
        if case .create(let creation) = UploadRequest(head, resource: nil),
            !creation.completes || creation.uploadProtocol == .tus
        {
            // The first piece would be mistaken for the whole.
            throw .notImplemented("Resumable uploads are not enabled here: send the whole body in one request.")
        }
        let upload = try IncomingUpload(head)
        guard let length = upload.length else { return .upload(upload) }
        let (body, file) = (self.limits.bodyBytes, self.limits.fileBytes)
        // The lower limit of a file: a sender that keeps to the other would be refused again.
        if case .file = upload.content, length > file, file <= body {
            throw .tooLarge("The file has \(length, "byte"): the limit is \(file).")
        }
        if length > body { throw .tooLarge("The body has \(length, "byte"): the limit is \(body).") }
        return .upload(upload)
    }

    // MARK: where a request comes from

    private func checkHost(_ head: HTTPRequest) throws(ProblemDetails) {
        guard let authority = head.authority, !authority.isEmpty else {
            throw .badRequest("The request has no host.")
        }
        guard self.isLoopback else { return }
        let name = Self.hostName(authority)
        let own = self.host.contains(":") ? "[\(self.host.lowercased())]" : self.host.lowercased()
        guard ["localhost", "127.0.0.1", "[::1]", own].contains(name) || name.hasSuffix(".localhost") else {
            throw .forbidden("This receiver only answers requests to localhost, 127.0.0.1 or [::1].")
        }
    }

    /// A page of another site can make a browser send forms here, but can't hide its origin.
    private func checkOrigin(_ head: HTTPRequest) throws(ProblemDetails) {
        guard self.allowedOrigin(head) == nil else { return }
        let fields = head.headerFields
        if let site = fields[.secFetchSite], site != "same-origin", site != "none" {
            throw .forbidden("Another site's page can't upload here.")
        }
        guard let origin = fields[.origin]?.lowercased() else { return }
        let authority = (head.authority ?? "").lowercased()
        // HTTPS between a client and a proxy isn't visible here; a page that was loaded through it from the same host
        // is our own.
        guard origin == "https://" + authority || (!self.isTLS && origin == "http://" + authority) else {
            throw .forbidden("Another site's page can't upload here.")
        }
    }

    private static func hostName(_ authority: String) -> String {
        let authority = authority.lowercased()
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") { return String(authority[...end]) }
        return String(authority.prefix { $0 != ":" })
    }
}

extension HTTPField.Name {
    static let requestedWith = Self(known: "X-Requested-With")
    static let secFetchSite = Self(known: "Sec-Fetch-Site")
    static let referrerPolicy = Self(known: "Referrer-Policy")
    static let frameOptions = Self(known: "X-Frame-Options")
    static let openerPolicy = Self(known: "Cross-Origin-Opener-Policy")
}
