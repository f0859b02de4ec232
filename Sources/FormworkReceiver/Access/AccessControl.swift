import FormworkCore
import FormworkEssentials
import HTTPTypes
import Synchronization

/// Decides which requests are let in: by the token, which may change while the receiver runs, or by a login.
final class AccessControl: Sendable {
    /// The result of checking a request's credentials.
    enum Admission: Hashable, Sendable {
        case admitted
        /// The request has no credentials.
        case missing
        /// The credentials are wrong.
        case wrong
        /// The client has sent wrong credentials too often, so these weren't checked.
        case slowed
    }

    private struct State {
        var token: AccessToken?
        var linkKeys: LinkKeys?
        var tries = WrongTries()
        /// Logins that were ended, with the time at which they would have expired.
        var ended: [String: Int64] = [:]
    }

    /// How many ended logins are remembered at once.
    private static let endedLimit = 10_000

    private let state: Mutex<State>

    init(_ token: AccessToken? = nil, _ linkKeys: LinkKeys? = nil) {
        self.state = Mutex(State(token: token, linkKeys: linkKeys))
    }

    /// The token that requests need; `nil` lets every request in.
    var token: AccessToken? {
        get { self.state.withLock { $0.token } }
        set { self.state.withLock { $0.token = newValue } }
    }

    /// The keys of upload links; `nil` accepts none.
    var linkKeys: LinkKeys? {
        get { self.state.withLock { $0.linkKeys } }
        set { self.state.withLock { $0.linkKeys = newValue } }
    }

    /// Checks an upload link.
    /// - Throws: 403, with what is wrong.
    func link(_ token: String) throws(ProblemDetails) -> SignedLink {
        guard let keys = self.linkKeys else { throw .forbidden("This receiver accepts no upload links.") }
        return try keys.link(token, now: Self.now)
    }

    /// Checks a request's credentials.
    /// - Parameter client: The client that a wrong token is counted for.
    func admission(_ fields: HTTPFields, client: String) -> Admission {
        guard let token = self.token else { return .admitted }
        if self.session(in: fields) != nil { return .admitted }
        // The right token is let in, whatever others send from the same address: 16 characters can't be guessed at any rate.
        let admission = token.admission(fields)
        return admission == .wrong ? self.wrong(client) : admission
    }

    private func wrong(_ client: String) -> Admission {
        self.state.withLock { state in
            guard !state.tries.isSlowed(client, at: .now) else { return .slowed }
            state.tries.note(client, at: .now)
            return .wrong
        }
    }

    /// Checks the token that the login form sent.
    /// - Returns: The cookie for a right token.
    func logIn(_ text: String, client: String, isSecure: Bool) -> (admission: Admission, cookie: String?) {
        guard let token = self.token else { return (.admitted, nil) }
        guard token.isToken(text) else { return (self.wrong(client), nil) }
        return (.admitted, token.cookie(token.newSession(now: Self.now), isSecure: isSecure))
    }

    /// Ends a request's login.
    func logOut(_ fields: HTTPFields) {
        guard let session = self.session(in: fields) else { return }
        let now = Self.now
        self.state.withLock { state in
            if state.ended.count >= Self.endedLimit { state.ended = state.ended.filter { $0.value > now } }
            // A client that ends more logins than this in a day has the token, and can start as many.
            if state.ended.count < Self.endedLimit { state.ended[session.id] = session.end }
        }
    }

    /// The login that a request's cookie belongs to; `nil` if there is none, or it is no longer valid.
    func session(in fields: HTTPFields) -> AccessToken.Session? {
        guard fields.contains(.cookie) else { return nil }
        let now = Self.now
        let (token, ended) = self.state.withLock { ($0.token, $0.ended) }
        return token?.session(in: fields, now: now).flatMap { ended[$0.id] == nil ? $0 : nil }
    }

    private static var now: Int64 { Int64(clamping: Date.now.timeIntervalSince1970) }
}

/// Counts wrong tokens per client: ten at once, then one every six seconds.
struct WrongTries {
    /// How many wrong tokens a client may send before it is slowed.
    static let burst = 10.0
    /// Seconds until one more token is checked. At this rate, a token of 16 characters can't be guessed.
    static let interval = 6.0
    /// How many clients are remembered, at about 100 bytes each.
    private static let limit = 10_000

    private struct Entry {
        var left: Double
        var at: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    /// Whether a client has to wait.
    func isSlowed(_ client: String, at now: ContinuousClock.Instant) -> Bool { self.left(client, now) < 1 }

    /// Counts a wrong token.
    mutating func note(_ client: String, at now: ContinuousClock.Instant) {
        let left = self.left(client, now)
        if self.entries[client] == nil, self.entries.count >= Self.limit { self.makeRoom(now) }
        self.entries[client] = Entry(left: max(0, left - 1), at: now)
    }

    private func left(_ client: String, _ now: ContinuousClock.Instant) -> Double {
        guard let entry = self.entries[client] else { return Self.burst }
        return min(Self.burst, entry.left + (now - entry.at) / .seconds(1) / Self.interval)
    }

    private mutating func makeRoom(_ now: ContinuousClock.Instant) {
        self.entries = self.entries.filter { self.left($0.key, now) < Self.burst }
        // Removes more than one entry, so that this doesn't run for every new client.
        let surplus = self.entries.count - Self.limit * 9 / 10
        guard surplus > 0 else { return }
        for (client, _) in self.entries.sorted(by: { $0.value.at < $1.value.at }).prefix(surplus) {
            self.entries[client] = nil
        }
    }
}

/// Which files a list shows to a client.
enum ListScope: String, Sendable, CaseIterable {
    /// All files, to every client that is let in.
    case all
    /// To each login, or otherwise to each address, its own files.
    case own
    /// No files.
    case none
}
