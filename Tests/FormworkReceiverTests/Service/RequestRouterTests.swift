import FormworkHTTP
@testable import FormworkReceiver
@testable import FormworkResumable
import Testing

/// What is done with a request, by its head alone.
@Suite(.timeLimit(.minutes(10)))
struct RequestRouterTests {
    private func decide(
        _ method: HTTPRequest.Method, _ path: String, _ fields: HTTPFields = [:], host: String? = "localhost:8080",
        admission: AccessControl.Admission = .admitted, change: (inout RequestRouter) -> Void = { _ in }
    ) -> String {
        var router = RequestRouter()
        router.limits.bodyBytes = 100
        router.limits.fileBytes = 50
        change(&router)
        let head = HTTPRequest(method: method, scheme: "http", authority: host, path: path, headerFields: fields)
        return switch router.decide(head, admission: admission) {
        case .page: "page"
        case .styleSheet: "style sheet"
        case .script: "script"
        case .fileList: "file list"
        case .metrics: "metrics"
        case .health: "health"
        case .readiness: "readiness"
        case .seeOther(let location): location
        case .login: "login"
        case .logout: "logout"
        case .methods: "methods"
        case .preflight: "preflight"
        case .upload: "upload"
        case .resumable: "resumable"
        case .refused(let problem): "\(problem.status)"
        }
    }

    @Test(arguments: [
        (HTTPRequest.Method.get, "/", "page"), (.head, "/?a=b", "page"), (.get, "/files.json", "file list"),
        (.get, "/page.css", "style sheet"), (.get, "/page.js", "script"), (.get, "/metrics", "404"),
        (.get, "/a.txt", "404"), (.options, "/", "methods"), (.delete, "/a.txt", "405"),
        (.post, "/login", "login"), (.post, "/logout", "logout"), (.put, "/login", "405"), (.put, "/logout", "405"),
        (.put, "/a.txt", "upload"), (.post, "/", "upload"),
    ])
    func `Method and path decide`(method: HTTPRequest.Method, path: String, decision: String) {
        let fields: HTTPFields = method == .post ? [.contentType: "multipart/form-data; boundary=b"] : [:]
        #expect(self.decide(method, path, fields) == decision)
    }

    @Test func `Metrics are shown if that was asked for`() {
        #expect(self.decide(.get, "/metrics", change: { $0.showsMetrics = true }) == "metrics")
    }

    @Test(arguments: [("/healthz", "health"), ("/readyz", "readiness")])
    func `A balancer's questions need neither a token nor a name`(path: String, decision: String) {
        #expect(self.decide(.get, path, host: "10.0.0.7:8080", admission: .missing) == decision)
        #expect(self.decide(.head, path, host: nil, admission: .slowed) == decision)
        // A file may have such a name.
        #expect(self.decide(.put, path) == "upload")
    }

    @Test(arguments: [(AccessControl.Admission.missing, "401"), (.wrong, "401"), (.slowed, "429")])
    func `Without the token there are the login page's parts alone`(admission: AccessControl.Admission, status: String)
    {
        #expect(self.decide(.get, "/", admission: admission) == status)
        #expect(self.decide(.put, "/a.txt", admission: admission) == status)
        #expect(self.decide(.put, "/a.txt", admission: admission, change: { $0.isResumable = { _ in true } }) == status)
        #expect(self.decide(.get, "/page.css", admission: admission) == "style sheet")
        #expect(self.decide(.post, "/login", admission: admission) == "login")
    }

    @Test(
        arguments: [
            ("localhost", "page"), ("LOCALHOST:80", "page"), ("127.0.0.1:8080", "page"), ("[::1]:8080", "page"),
            ("a.localhost", "page"), ("example.com", "403"), ("localhost.example.com", "403"), ("", "400"),
            (nil, "400"),
        ] as [(String?, String)])
    func `On the loopback the host is a name of this machine`(host: String?, decision: String) {
        #expect(self.decide(.get, "/", host: host) == decision)
    }

    @Test func `The address that the receiver listens on is a host, too`() {
        #expect(self.decide(.get, "/", host: "127.0.0.2:80", change: { $0.host = "127.0.0.2" }) == "page")
        #expect(self.decide(.get, "/", host: "[fe80::1]:80", change: { $0.host = "FE80::1" }) == "page")
        #expect(self.decide(.get, "/", host: "example.com", change: { $0.isLoopback = false }) == "page")
    }

    @Test(
        arguments: [
            ([.origin: "http://localhost:8080"], "upload"), ([.origin: "HTTPS://localhost:8080"], "upload"),
            ([.origin: "http://localhost"], "403"), ([.origin: "http://example.com"], "403"),
            ([.origin: "null"], "403"),
            ([.secFetchSite: "same-origin"], "upload"), ([.secFetchSite: "none"], "upload"),
            ([.secFetchSite: "same-site"], "403"), ([.secFetchSite: "cross-site"], "403"),
        ] as [(HTTPFields, String)])
    func `Another site's page can't upload`(fields: HTTPFields, decision: String) {
        #expect(self.decide(.put, "/a.txt", fields) == decision)
        #expect(self.decide(.get, "/", fields) == "page")
    }

    @Test func `With TLS a page that was loaded without it is another site's`() {
        let fields: HTTPFields = [.origin: "http://localhost:8080"]
        #expect(self.decide(.put, "/a.txt", fields, change: { $0.isTLS = true }) == "403")
    }

    @Test(
        arguments: [
            ([.expect: "100-Continue"], "upload"), ([.expect: "200-ok"], "417"),
            ([.contentRange: "bytes 0-1/9"], "400"),
            ([.contentLength: "50"], "upload"), ([.contentLength: "51"], "413"), ([.contentLength: "101"], "413"),
            ([.tusResumable: "1.0.0", .uploadLength: "9"], "upload"),
            ([.uploadDraftInteropVersion: "8", .uploadComplete: "?0"], "501"),
            ([.uploadDraftInteropVersion: "8", .uploadComplete: "?1"], "upload"),
        ] as [(HTTPFields, String)])
    func `A PUT's fields decide`(fields: HTTPFields, decision: String) {
        #expect(self.decide(.put, "/a.txt", fields) == decision)
    }

    @Test func `A form may be larger than a file`() {
        let form: HTTPFields = [.contentType: "multipart/form-data; boundary=b", .contentLength: "100"]
        #expect(self.decide(.post, "/", form) == "upload")
    }

    @Test func `The first piece of a resumable upload is no upload`() {
        #expect(self.decide(.post, "/", [.tusResumable: "1.0.0", .uploadLength: "9"]) == "501")
        #expect(self.decide(.post, "/", [:], change: { $0.isResumable = { _ in true } }) == "resumable")
    }
}

extension HTTPField.Name {
    fileprivate static var secFetchSite: Self { Self("Sec-Fetch-Site")! }
}
