/// Decides what an upload that sends its body whole does next: redirects, a 401, retries, early answers, and servers that
/// refuse `Expect`.
///
/// It does no input or output. A client performs a step and reports what came of it with ``answered(_:remaining:)``,
/// ``authenticated(with:)`` or ``failed(_:mayPass:isUnprocessed:remaining:)``, which return the next step.
package struct UploadMachine: Sendable {
    /// The final answer to a request.
    package struct Response: Sendable {
        package var status: Int
        /// Where the answer redirects to; `nil` for an answer that is no redirect to http or https.
        package var redirection: Redirection?
        /// Why a redirect can't be followed, for clients for which that is a failure.
        package var redirectFault: (any Error)?
        /// The wait that `Retry-After` asks for.
        package var retryAfter: Duration?
        /// What a 401 of these fields asks for.
        package var challenge: UploadAuthentication.Challenge
        /// Whether it came from the origin of the upload's first request.
        package var isAtOrigin = true
        /// Bytes of the body that were sent by then.
        package var bytesSent: Int64 = 0
        /// Whether the body counts as delivered.
        package var isBodyComplete = true

        package init(status: Int, _ challenge: UploadAuthentication.Challenge) {
            (self.status, self.challenge) = (status, challenge)
        }
    }

    /// What the client does next.
    package enum Step: Sendable {
        /// Send the request, with the body if ``hasBody``.
        case send
        /// Change the request as the redirect says, and send it.
        case follow(Redirection)
        /// Ask for credentials, and report them with ``authenticated(with:)``.
        case authenticate(UploadAuthentication.Challenge)
        /// Send the request with this `Authorization`.
        case authorize(String)
        /// Wait, and send the request.
        case wait(Duration, reason: String)
        /// This answer is the upload's.
        case done
        case fail(Failure)
    }

    /// Why an upload ends without an answer. Each client has its own errors for these.
    package enum Failure: Sendable {
        /// A redirect beyond the limit, or from https to http if there is no limit here.
        case refusedRedirect(Redirection, limit: Int?)
        /// A redirect takes along a body that can't be read again.
        case notReplayable(Redirection, FormworkError)
        /// A success, or a redirect that drops the body, before the server had all of it.
        case early(status: Int, Redirection?, offset: Int64)
        /// The client's own failure. The blocker is why it isn't repeated, if it could be otherwise.
        case other(any Error, FormworkError? = nil)
    }

    /// How often a request that a server didn't process is repeated without being asked to (RFC 9113 section 8.7).
    private static let mostUnprocessed = 3

    private let plan: BodyPlan?
    private let options: UploadOptions
    private let refusesUnsafe: Bool
    /// Whether the last request has the body: a redirect may have dropped it.
    package var hasBody: Bool
    /// Whether the body's source was asked for bytes. One that can be read only once is used up then.
    package var isSourceRead = false
    /// Whether the server is asked before it gets the body; `nil` leaves that to the client.
    package private(set) var asks: Bool?
    /// Redirects that were followed.
    package private(set) var redirects = 0
    /// Tries after the first.
    package private(set) var retries = 0
    private var unprocessed = 0
    private var authentication: AuthenticationRule
    private var challenged: (answer: Response, remaining: Duration?)?

    /// - Parameters:
    ///   - plan: The body; `nil` for a request without one.
    ///   - mayAsk: Whether the client sends `Expect: 100-continue`.
    ///   - refusesUnsafe: Whether a redirect that can't be followed, or leads from https to http, is a failure. Otherwise it
    ///     is the answer.
    package init(_ plan: BodyPlan?, _ options: UploadOptions, mayAsk: Bool = false, refusesUnsafe: Bool = false) {
        (self.plan, self.options, self.hasBody) = (plan, options, plan != nil)
        (self.asks, self.refusesUnsafe) = (mayAsk ? nil : false, refusesUnsafe)
        self.authentication = AuthenticationRule(options)
    }

    private var canRepeat: Bool { !self.hasBody || !self.isSourceRead || self.plan?.isReplayable ?? true }

    /// The final answer to a request has arrived.
    /// - Parameter remaining: The time left for the upload; `nil` for no limit.
    package mutating func answered(_ answer: Response, remaining: Duration?) -> Step {
        guard self.authentication.asks(after: answer.status, isAtOrigin: answer.isAtOrigin) else {
            return self.judge(answer, remaining)
        }
        self.challenged = (answer, remaining)
        return .authenticate(answer.challenge)
    }

    /// The caller gave credentials; `nil` if it has none, and the 401 is an answer like others.
    package mutating func authenticated(with value: String?) -> Step {
        guard let value else {
            guard let (answer, remaining) = self.challenged else { return .done }
            return self.judge(answer, remaining)
        }
        // A server that refused before the body left it unread.
        if self.hasBody, self.isSourceRead {
            do { try self.plan?.checkAuthorizable() } catch { return .fail(.other(error)) }
        }
        return .authorize(value)
    }

    /// A request got no answer.
    /// - Parameters:
    ///   - mayPass: Whether another try may help.
    ///   - isUnprocessed: Whether the server said that it didn't process the request.
    package mutating func failed(
        _ error: any Error, mayPass: Bool, isUnprocessed: Bool = false, remaining: Duration?
    ) -> Step {
        if isUnprocessed, self.canRepeat, self.unprocessed < Self.mostUnprocessed {
            // At once, and then ever later. This isn't one of the tries that the caller allows.
            let pause = Duration.seconds(self.unprocessed)
            self.unprocessed += 1
            if remaining.map({ pause < $0 }) ?? true { return .wait(pause, reason: "\(error)") }
        }
        guard mayPass, let pause = self.options.retry.pause(after: self.retries, remaining: remaining) else {
            return .fail(.other(error))
        }
        if !self.canRepeat { return .fail(.other(error, self.plan?.replayBlocker)) }
        self.retries += 1
        return .wait(pause, reason: "\(error)")
    }

    /// Whether an answer means that the server has the body: a success, or a redirect that drops the body of a `POST`.
    package static func claimsBody(status: Int) -> Bool { 200...299 ~= status || 301...303 ~= status }

    /// The redirect that is followed, if it isn't one too many.
    private func followed(_ answer: Response) -> Redirection? {
        guard self.options.maximumRedirects > 0 else { return nil }
        return answer.redirection.flatMap { self.refusesUnsafe || !$0.leavesTLS ? $0 : nil }
    }

    private mutating func judge(_ answer: Response, _ remaining: Duration?) -> Step {
        if answer.status == 417, self.hasBody, self.asks != false, self.canRepeat {
            self.asks = false
            return .send
        }
        let isEarly = self.hasBody && !answer.isBodyComplete
        if isEarly, 200..<300 ~= answer.status {
            return .fail(.early(status: answer.status, nil, offset: answer.bytesSent))
        }
        if self.options.maximumRedirects > 0, self.refusesUnsafe, let fault = answer.redirectFault {
            return .fail(.other(fault))
        }
        if let redirection = self.followed(answer) {
            // For example to a login page, which doesn't get the body.
            guard !isEarly || redirection.keepsBody else {
                return .fail(.early(status: answer.status, redirection, offset: answer.bytesSent))
            }
            return self.follow(redirection)
        }
        if isEarly, self.refusesUnsafe, self.options.maximumRedirects > 0, 300..<400 ~= answer.status {
            return .fail(.early(status: answer.status, nil, offset: answer.bytesSent))
        }
        let retry = self.options.retry
        guard retry.covers(status: answer.status), self.canRepeat,
            let pause = retry.pause(after: self.retries, asked: answer.retryAfter, remaining: remaining)
        else { return .done }
        self.retries += 1
        return .wait(pause, reason: "the server answered \(answer.status)")
    }

    private mutating func follow(_ redirection: Redirection) -> Step {
        self.redirects += 1
        guard self.redirects <= self.options.maximumRedirects else {
            return .fail(.refusedRedirect(redirection, limit: self.options.maximumRedirects))
        }
        guard !redirection.leavesTLS else { return .fail(.refusedRedirect(redirection, limit: nil)) }
        if redirection.keepsBody, !self.canRepeat, let blocker = self.plan?.replayBlocker {
            return .fail(.notReplayable(redirection, blocker))
        }
        self.hasBody = self.hasBody && redirection.keepsBody
        return .follow(redirection)
    }
}

/// A 401 is answered once, and only where credentials may be sent.
package struct AuthenticationRule: Sendable {
    private let isTrusting: Bool
    private var isOpen: Bool

    package init(_ options: UploadOptions) {
        (self.isTrusting, self.isOpen) = (options.trustsRedirects, options.authentication != nil)
    }

    /// Whether the caller is asked for credentials after an answer with this status.
    /// - Parameter isAtOrigin: Whether it came from the origin of the upload's first request.
    package mutating func asks(after status: Int, isAtOrigin: Bool) -> Bool {
        guard status == 401, self.isOpen, self.isTrusting || isAtOrigin else { return false }
        self.isOpen = false
        return true
    }
}

extension UploadMachine.Failure {
    /// The error for clients that have no other one.
    /// - Parameter refused: Makes the client's own error for ``refusedRedirect(_:limit:)``.
    package func error(_ refused: (Redirection, Int?) -> any Error) -> any Error {
        switch self {
        case .refusedRedirect(let redirection, let limit): return refused(redirection, limit)
        case .notReplayable(let redirection, let blocker):
            return FormworkError(
                .notReplayable,
                "the server redirects to \(SecretText.masked(url: redirection.target)), but \(blocker.message): send there, or "
                    + "give a source that can be opened again",
                part: blocker.part)
        case .early(let status, _, let offset):
            return FormworkError(
                .writeFailed, "the server answered \(status) before it had all of the body", offset: offset)
        case .other(let error, _): return error
        }
    }
}
