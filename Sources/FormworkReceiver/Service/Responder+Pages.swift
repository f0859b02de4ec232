import Formwork
import FormworkDigests
import FormworkHTTP
import FormworkHummingbirdCore
import FormworkResumable
import FormworkURLEncoded
import HTTPTypes
import HummingbirdCore
import NIOCore

// Requests other than uploads: pages, the login, and problems.
extension Responder {
    func pageAnswer(_ head: HTTPRequest, _ client: ClientAddress) -> ServiceResponse {
        let query = (head.path ?? "").split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let received = ArrivalNumbers(
            query: query.split(separator: "&").first { $0.hasPrefix("received=") }?.dropFirst(9) ?? "")
        let view = PageState.View.uploads(received: received)
        guard received.isEmpty else {
            return self.html(.ok, view, head, client, arrivals: self.arrivals(for: head, client))
        }
        let key =
            "page \(self.origin(head, client))\(self.base) \(self.isLoggedIn(head)) \(self.listKey(head, client))"
        return self.keptAnswer(key, "text/html; charset=utf-8", head, client) {
            self.html(.ok, view, head, client, arrivals: self.arrivals(for: head, client)).body
        }
    }

    /// The answer to `/files.json`, or 304 if the client already has it.
    func listAnswer(_ head: HTTPRequest, _ client: ClientAddress) -> ServiceResponse {
        let key = self.listKey(head, client)
        // With whose list it is: a strong tag names one content (RFC 9110 section 8.8.3), and caches compare the tags of all
        // answers that they have, whatever Vary says (RFC 9111 section 4.3.1).
        let list = Hex.text(SHA256Digest.digest(of: Array("\(self.run) \(key)".utf8)).prefix(8))
        let etag = "\"\(self.run)-\(self.arrivals.revision)-\(list)\""
        let validators: HTTPFields = [.eTag: etag, .cacheControl: "no-cache", .vary: "Authorization, Cookie"]
        if head.knows(etag) { return ServiceResponse(.notModified, fields: validators) }
        var answer = self.keptAnswer("list \(key)", "application/json", head, client) {
            ByteBuffer(bytes: JSONBytes.encode(FileList(self.arrivals(for: head, client), self.router.limits)))
        }
        guard answer.status == .ok else { return answer }
        for field in validators { answer.fields[field.name] = field.value }
        return answer
    }

    /// An answer that stays the same until something arrives.
    private func keptAnswer(
        _ key: String, _ mediaType: String, _ head: HTTPRequest, _ client: ClientAddress, make: () -> ByteBuffer
    ) -> ServiceResponse {
        do throws(ProblemDetails) {
            let kept = try self.kept.body(key, revision: self.arrivals.revision) { () throws(ProblemDetails) in
                let body = make()
                return (body, try self.memory.hold(body.readableBytes, nil))
            }
            var answer = ServiceResponse(.ok, mediaType, kept.body)
            answer.lease = kept.lease
            return answer
        } catch {
            self.log(error, head, client)
            return self.refusal(error, head, client)
        }
    }

    // MARK: whose files a list shows

    /// The sender of files and owner of a list: a login, or otherwise an address.
    func owner(_ head: HTTPRequest, _ client: ClientAddress) -> String {
        if let scope { return "link \(scope.link.id)" }
        return self.access.session(in: head.headerFields).map { "login \($0.id)" } ?? "address \(client.key)"
    }

    func arrivals(for head: HTTPRequest, _ client: ClientAddress) -> [Arrival] {
        switch self.listing {
        case .all: return self.arrivals.all
        case .own:
            let owner = self.owner(head, client)
            return self.arrivals.all.filter { $0.owner == owner }
        case .none: return []
        }
    }

    private func listKey(_ head: HTTPRequest, _ client: ClientAddress) -> String {
        self.listing == .own ? self.owner(head, client) : "all"
    }

    private func isLoggedIn(_ head: HTTPRequest) -> Bool {
        self.scope == nil && self.access.session(in: head.headerFields) != nil
    }

    private func origin(_ head: HTTPRequest, _ client: ClientAddress) -> String {
        (self.router.isTLS || client.isSecure ? "https://" : "http://") + (head.authority ?? "")
    }

    func html(
        _ status: HTTPResponse.Status, _ view: PageState.View, _ head: HTTPRequest, _ client: ClientAddress,
        arrivals: [Arrival] = []
    ) -> ServiceResponse {
        var state = PageState(
            view, limits: self.router.limits, arrivals: arrivals, origin: self.origin(head, client),
            needsToken: self.access.token != nil && self.scope == nil)
        (state.root, state.base, state.expiry) = (self.router.root, self.base, self.scope?.link.expiry)
        state.isLoggedIn = self.isLoggedIn(head)
        (state.isResumable, state.settings) = (self.store != nil, self.pageSettings)
        state.keepsPaths = self.intake.naming.keepsPaths
        return ServiceResponse(status, "text/html; charset=utf-8", ByteBuffer(string: self.page.html(state)))
    }

    /// Handles the login form, which is small and contains only `token`.
    func logIn(_ head: HTTPRequest, _ body: AskedBody, _ client: ClientAddress) async -> ServiceResponse {
        guard self.access.token != nil else { return .seeOther(self.router.root) }
        var bytes: [UInt8] = []
        do {
            for try await buffer in body {
                bytes += buffer.readableBytesView
                guard bytes.count <= 4 << 10 else {
                    return self.refusal(.tooLarge("A login form can have at most 4 KiB."), head, client)
                }
            }
        } catch {
            return self.refusal(FailedUpload(error).problem, head, client)
        }
        let pairs = try? URLEncodedPairs(bytes)
        let text = pairs?.first { $0.name == "token" }?.value ?? ""
        let isSecure = self.router.isTLS || client.isSecure
        let outcome = self.access.logIn(text, client: client.key, isSecure: isSecure)
        switch outcome.admission {
        case .admitted:
            var answer = ServiceResponse.seeOther(self.router.root)
            answer.fields[.setCookie] = outcome.cookie
            return answer
        case .missing, .wrong:
            self.log(.unauthorized("The token is wrong."), head, client)
            return self.html(.unauthorized, .login(isWrong: true), head, client).challenging()
        case .slowed:
            self.log(.tooManyTries, head, client)
            return self.refusal(.tooManyTries, head, client)
        }
    }

    /// Ends a login here and in its browser.
    func logOut(_ head: HTTPRequest, _ client: ClientAddress) -> ServiceResponse {
        self.access.logOut(head.headerFields)
        var answer = ServiceResponse.seeOther(self.router.root)
        answer.fields[.setCookie] = AccessToken.endOfCookie(isSecure: self.router.isTLS || client.isSecure)
        answer.closes = head.mayBringBody
        return answer
    }

    /// A problem as a page for browsers, or as a document for programs.
    func refusal(_ problem: ProblemDetails, _ head: HTTPRequest, _ client: ClientAddress) -> ServiceResponse {
        var answer: ServiceResponse
        if head.wantsHTML {
            let view: PageState.View = problem.status == 401 ? .login(isWrong: false) : .problem(problem)
            answer = self.html(HTTPResponse.Status(code: problem.status), view, head, client)
        } else {
            answer = ServiceResponse(problem)
        }
        switch problem.status {
        // Browsers would ask for a name and a password themselves if Basic were offered, for a script's request too.
        case 401: answer = answer.challenging(withBasic: !head.wantsHTML && !head.isFromScript)
        case 405: answer.fields[.allow] = Self.methods
        case 429, 503: answer.fields[.retryAfter] = problem == .tooManyTries ? "6" : "5"
        default: break
        }
        // The rest of a refused body is not read.
        answer.closes = head.mayBringBody
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
