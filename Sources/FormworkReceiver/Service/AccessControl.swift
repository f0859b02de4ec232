#if Transfer
import FormworkCore
import HTTPTypes
import Synchronization

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Who is let in: by the token, which may change while the receiver runs, or by a login.
package final class AccessControl: Sendable {
    /// What a request's credentials come to.
    package enum Admission: Hashable, Sendable {
        case admitted
        /// It has none.
        case missing
        /// It has wrong ones.
        case wrong
        /// Its client had wrong ones too often: these aren't looked at.
        case slowed
    }

    private struct State {
        var token: AccessToken?
        var tries = WrongTries()
        /// Logins that were ended, and when they would have been over.
        var ended: [String: Int64] = [:]
    }

    /// Logins that were ended, kept at once. Ours.
    private static let endedLimit = 10_000

    private let state: Mutex<State>

    package init(_ token: AccessToken? = nil) { self.state = Mutex(State(token: token)) }

    /// What is asked for; `nil` lets everybody in.
    package var token: AccessToken? {
        get { self.state.withLock { $0.token } }
        set { self.state.withLock { $0.token = newValue } }
    }

    /// Looks at a request's credentials.
    /// - Parameter client: Whose wrong ones are counted.
    package func admission(_ fields: HTTPFields, client: String) -> Admission {
        guard let token = self.token else { return .admitted }
        if self.session(in: fields) != nil { return .admitted }
        let shown = token.shown(in: fields)
        guard shown != .nothing else { return .missing }
        // Nor is a right one looked at: who guesses would learn that it is.
        guard !self.state.withLock({ $0.tries.isSlowed(client, at: .now) }) else { return .slowed }
        guard shown == .other else { return .admitted }
        self.state.withLock { $0.tries.note(client, at: .now) }
        return .wrong
    }

    /// Looks at the login form's text.
    /// - Returns: The cookie, for what is right.
    func logIn(_ text: String, client: String, isSecure: Bool) -> (admission: Admission, cookie: String?) {
        guard let token = self.token else { return (.admitted, nil) }
        guard !self.state.withLock({ $0.tries.isSlowed(client, at: .now) }) else { return (.slowed, nil) }
        guard token.isToken(text) else {
            self.state.withLock { $0.tries.note(client, at: .now) }
            return (.wrong, nil)
        }
        return (.admitted, token.cookie(token.newSession(now: Self.now), isSecure: isSecure))
    }

    /// Ends a request's login.
    func logOut(_ fields: HTTPFields) {
        guard let session = self.session(in: fields) else { return }
        let now = Self.now
        self.state.withLock { state in
            if state.ended.count >= Self.endedLimit { state.ended = state.ended.filter { $0.value > now } }
            // Who ends more in a day has the token, and can begin as many.
            if state.ended.count < Self.endedLimit { state.ended[session.id] = session.end }
        }
    }

    /// The number of the login that a request's cookie is of; `nil` for none that holds.
    func session(in fields: HTTPFields) -> AccessToken.Session? {
        guard fields.contains(.cookie) else { return nil }
        let now = Self.now
        let (token, ended) = self.state.withLock { ($0.token, $0.ended) }
        return token?.session(in: fields, now: now).flatMap { ended[$0.id] == nil ? $0 : nil }
    }

    private static var now: Int64 { Int64(clamping: Date.now.timeIntervalSince1970) }
}

/// Wrong tokens, by client: ten at once, and one in six seconds.
struct WrongTries {
    /// Wrong ones before a client is slowed. Ours.
    static let burst = 10.0
    /// Seconds until one more is looked at. Ours: a token of 16 characters takes longer than there is time.
    static let interval = 6.0
    /// Clients that are remembered. Ours: at 100 bytes each.
    private static let limit = 10_000

    private struct Entry {
        var left: Double
        var at: ContinuousClock.Instant
    }

    private var entries: [String: Entry] = [:]

    /// Whether a client has to wait.
    func isSlowed(_ client: String, at now: ContinuousClock.Instant) -> Bool { self.left(client, now) < 1 }

    /// Notes a wrong one.
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
        // More than one, so that it isn't done for each.
        let surplus = self.entries.count - Self.limit * 9 / 10
        guard surplus > 0 else { return }
        for (client, _) in self.entries.sorted(by: { $0.value.at < $1.value.at }).prefix(surplus) {
            self.entries[client] = nil
        }
    }
}
#endif
