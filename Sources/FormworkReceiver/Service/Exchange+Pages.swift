import FormworkDigests
import FormworkHTTP
import FormworkHummingbirdCore
import HTTPTypes
import NIOCore

// Requests other than uploads: pages, the login, and problems.
extension Exchange {
    func pageAnswer() -> ServiceResponse {
        let query = RequestPath(self.head.path).query ?? ""
        let received = ArrivalNumbers(
            query: query.split(separator: "&").first { $0.hasPrefix("received=") }?.dropFirst(9) ?? "")
        guard received.isEmpty else { return self.html(.ok, .uploads(received: received), arrivals: self.arrivals) }
        let key = "page \(self.origin)\(self.base) \(self.isLoggedIn) \(self.listKey)"
        return self.keptAnswer(key, "text/html; charset=utf-8") {
            self.html(.ok, .uploads(received: received), arrivals: self.arrivals).body
        }
    }

    /// The answer to `/files.json`, or 304 if the client already has it.
    func listAnswer() -> ServiceResponse {
        let run = self.receiver.pages.run
        // With whose list it is: a strong tag names one content (RFC 9110 section 8.8.3), and caches compare the tags of all
        // answers that they have, whatever Vary says (RFC 9111 section 4.3.1).
        let list = Hex.text(SHA256Digest.digest(of: Array("\(run) \(self.listKey)".utf8)).prefix(8))
        let etag = "\"\(run)-\(self.receiver.intake.arrivals.revision)-\(list)\""
        let validators: HTTPFields = [.eTag: etag, .cacheControl: "no-cache", .vary: "Authorization, Cookie"]
        if self.head.knows(etag) { return ServiceResponse(.notModified, fields: validators) }
        var answer = self.keptAnswer("list \(self.listKey)", "application/json") {
            ByteBuffer(bytes: JSONBytes.encode(FileList(self.arrivals, self.router.limits)))
        }
        guard answer.status == .ok else { return answer }
        for field in validators { answer.fields[field.name] = field.value }
        return answer
    }

    /// An answer that stays the same until something arrives.
    private func keptAnswer(_ key: String, _ mediaType: String, make: () -> ByteBuffer) -> ServiceResponse {
        let intake = self.receiver.intake
        do throws(ProblemDetails) {
            let kept = try self.receiver.pages.kept.body(key, revision: intake.arrivals.revision) {
                () throws(ProblemDetails) in
                let body = make()
                return (body, try intake.memory.hold(body.readableBytes, nil))
            }
            var answer = ServiceResponse(.ok, mediaType, kept.body)
            answer.lease = kept.lease
            return answer
        } catch { return self.refuse(error) }
    }

    // MARK: whose files a list shows

    /// Below a link, lists show the link's files.
    private var listing: ListScope { self.scope == nil ? self.receiver.pages.listing : .own }

    var arrivals: [Arrival] {
        let all = self.receiver.intake.arrivals.all
        switch self.listing {
        case .all: return all
        case .own:
            let owner = self.owner
            return all.filter { $0.owner == owner }
        case .none: return []
        }
    }

    private var listKey: String { self.listing == .own ? self.owner : "all" }

    private var isLoggedIn: Bool {
        self.scope == nil && self.receiver.access.session(in: self.head.headerFields) != nil
    }

    private var origin: String { (self.isSecure ? "https://" : "http://") + (self.head.authority ?? "") }

    func html(
        _ status: HTTPResponse.Status, _ view: PageState.View, arrivals: [Arrival] = []
    ) -> ServiceResponse {
        var state = PageState(
            view: view, limits: self.router.limits, arrivals: arrivals,
            address: PageState.Address(origin: self.origin, root: self.router.root, base: self.base),
            keepsPaths: self.receiver.intake.keeping.keepsPaths, expiry: self.scope?.link.expiry,
            needsToken: self.receiver.access.token != nil && self.scope == nil, isLoggedIn: self.isLoggedIn,
            isResumable: self.receiver.resuming != nil, settings: self.receiver.pages.settings)
        state.settings.title = self.scope?.link.title ?? state.settings.title
        return ServiceResponse(status, "text/html; charset=utf-8", ByteBuffer(string: ReceiverPage.html(state)))
    }

    /// Handles the login form, which is small and contains only `token`.
    func logIn(_ body: AskedBody) async -> ServiceResponse {
        let access = self.receiver.access
        guard access.token != nil else { return .seeOther(self.router.root) }
        let bytes: ByteBuffer
        do { bytes = try await body.collect(upTo: 4 << 10) } catch is NIOTooManyBytesError {
            return self.refusal(.tooLarge("A login form can have at most 4 KiB."))
        } catch {
            return self.refusal(FailedUpload(error).problem)
        }
        let pairs = try? URLEncodedPairs(Array(bytes.readableBytesView))
        let text = pairs?.first { $0.name == "token" }?.value ?? ""
        let outcome = access.logIn(text, client: self.client.key, isSecure: self.isSecure)
        switch outcome.admission {
        case .admitted:
            var answer = ServiceResponse.seeOther(self.router.root)
            answer.fields[.setCookie] = outcome.cookie
            return answer
        case .missing, .wrong:
            self.log(.unauthorized("The token is wrong."))
            return self.html(.unauthorized, .login(refusal: "The token is wrong.")).challenging()
        case .slowed: return self.refuse(.tooManyTries)
        }
    }

    /// Ends a login here and in its browser.
    func logOut() -> ServiceResponse {
        self.receiver.access.logOut(self.head.headerFields)
        var answer = ServiceResponse.seeOther(self.router.root)
        answer.fields[.setCookie] = AccessToken.endOfCookie(isSecure: self.isSecure)
        answer.closes = self.head.mayBringBody
        return answer
    }

    // MARK: problems

    /// The answer to a request that is refused, which is logged and counted.
    func refuse(_ problem: ProblemDetails, _ reason: RefusalReason? = nil) -> ServiceResponse {
        self.log(problem, reason)
        return self.refusal(problem)
    }

    /// A problem as a page for browsers, or as a document for programs.
    func refusal(_ problem: ProblemDetails) -> ServiceResponse {
        var answer: ServiceResponse
        if self.head.wantsHTML {
            let refusal = problem == .tooManyTries ? problem.detail : nil
            let view: PageState.View =
                refusal != nil || problem.status == 401 ? .login(refusal: refusal) : .problem(problem)
            answer = self.html(HTTPResponse.Status(code: problem.status), view)
        } else {
            answer = ServiceResponse(problem)
        }
        switch problem.status {
        // Browsers would ask for a name and a password themselves if Basic were offered, for a script's request too.
        case 401: answer = answer.challenging(withBasic: !self.head.wantsHTML && !self.head.isFromScript)
        case 405: answer.fields[.allow] = Self.methods
        case 429, 503: answer.fields[.retryAfter] = problem == .tooManyTries ? "6" : "5"
        default: break
        }
        // The rest of a refused body is not read.
        answer.closes = self.head.mayBringBody
        return answer
    }
}

extension ServiceResponse {
    fileprivate func challenging(withBasic: Bool = false) -> Self {
        var answer = self
        answer.fields[.wwwAuthenticate] = "Bearer realm=\"formwork\""
        if withBasic { answer.fields.append(HTTPField(name: .wwwAuthenticate, value: "Basic realm=\"formwork\"")) }
        return answer
    }
}

extension HTTPRequest {
    /// Whether the page's script says that it sent the request.
    fileprivate var isFromScript: Bool { self.headerFields.contains(.requestedWith) }

    /// Whether the request comes from a person's browser, not a program.
    var wantsHTML: Bool {
        self.headerFields[values: .accept].contains { value in
            value.split(separator: ",").contains { $0.drop { $0 == " " }.hasPrefix("text/html") }
        }
    }
}
