import Testing

@testable import Formwork

/// Every upload that a machine, a server that answers at any moment, and a network that loses anything can make together.
///
/// All states that they reach are visited once. What holds between two steps in each of them holds for each upload.
extension UploadMachineTests {
    /// How much of a body the server has when it acts.
    private enum Moment: CaseIterable, Comparable { case unread, none, part, whole }

    private enum Act: CaseIterable {
        case success, page, moved, elsewhere, unsafe, unauthorized, expectation, refused, busy
        /// The connection ends, or the answer is lost on its way, after the server has stored a whole body.
        case cut, lost
        /// The server says that it didn't process the request.
        case unprocessed

        var claimsBody: Bool { self == .success || self == .page }
        /// Whether the client gets an answer.
        var isAnswer: Bool { ![.cut, .lost, .unprocessed].contains(self) }
        var status: Int {
            switch self {
            case .success, .lost: 200
            case .page: 303
            case .moved, .elsewhere, .unsafe: 307
            case .unauthorized: 401
            case .expectation: 417
            case .refused: 403
            case .busy, .cut, .unprocessed: 503
            }
        }
    }

    struct Setting: CustomStringConvertible {
        var body: Body
        var isStrict: Bool
        var redirects: Int
        var retries: Int
        var remaining: Duration?
        var description: String { "\(self.body) \(self.isStrict) \(self.redirects) \(self.retries)" }
    }

    /// What one upload has come to. It determines the machine's state.
    private struct History: Hashable {
        var hasBody: Bool
        var isSourceRead = false
        var asks: Bool?
        var redirects = 0
        var retries = 0
        var unprocessed = 0
        var requests = 0
        var wasAsked = false
        var isAtOrigin = true
        /// How often the server stored the body.
        var stored = 0
        /// How often it stored the body, and its answer was lost.
        var lost = 0
    }

    static let settings: [Setting] = [Body.none, .replayable, .once].flatMap { body in
        [true, false].flatMap { isStrict in
            [0, 2].flatMap { redirects in
                [0, 2].flatMap { retries in
                    [nil, Duration.seconds(4)].map {
                        Setting(body: body, isStrict: isStrict, redirects: redirects, retries: retries, remaining: $0)
                    }
                }
            }
        }
    }

    @Test(
        "Whatever server and network do, a body arrives whole or not at all, once, and the result is the same at any time"
    )
    func model() throws {
        var count = 0
        for setting in Self.settings {
            let machine = try self.machine(setting.body, isStrict: setting.isStrict) {
                $0.maximumRedirects = setting.redirects
                $0.retry = RetryPolicy(count: setting.retries, delay: .seconds(5))
                if setting.remaining != nil { $0.retry.delay = .seconds(1) }
            }
            var start = machine
            start.isSourceRead = false
            let history = History(hasBody: machine.hasBody, asks: machine.asks)
            var (waiting, seen): ([(UploadMachine, History)], Set<History>) = ([(start, history)], [history])
            while let (machine, history) = waiting.popLast() {
                for act in Act.allCases {
                    for (next, after) in self.outcomes(of: act, machine, history, setting)
                    where seen.insert(after).inserted { waiting.append((next, after)) }
                }
            }
            count += seen.count
        }
        #expect(count > 4000, "\(count)")
    }

    /// What the client can do after an act, at each moment of it.
    /// - Returns: The states in which it sends another request.
    private func outcomes(
        of act: Act, _ machine: UploadMachine, _ history: History, _ setting: Setting
    ) -> [(UploadMachine, History)] {
        var next: [(UploadMachine, History)] = []
        var steps: [Moment: String] = [:]
        for moment in machine.hasBody ? Moment.allCases : [.whole] {
            // Only a server that is asked can answer before the source is.
            guard moment != .unread || machine.asks == nil && act.isAnswer else { continue }
            var (machine, history) = (machine, history)
            if machine.hasBody, moment != .unread { machine.isSourceRead = true }
            let wasSent = machine.hasBody && moment == .whole
            if wasSent, act.claimsBody || act == .lost { history.stored += 1 }
            if wasSent, act == .lost { history.lost += 1 }
            let before = machine
            var step = self.step(act, &machine, at: moment, history, setting)
            if case .authenticate = step {
                #expect(!history.wasAsked && history.isAtOrigin, "\(setting)")
                history.wasAsked = true
                step = machine.authenticated(with: "Basic x")
            }
            steps[moment] = self.text(step)
            func place() -> Comment { "\(setting) \(act) \(moment) \(history)" }
            switch step {
            case .done:
                // A success isn't reported before the server has all of the body.
                if act.claimsBody, setting.redirects > 0 { #expect(!before.hasBody || wasSent, place()) }
                continue
            case .fail(.early): #expect(act.claimsBody && before.hasBody && !wasSent, place())
            case .fail, .authenticate: break
            case .follow(let redirection):
                #expect(!redirection.leavesTLS && machine.redirects <= setting.redirects, place())
                if act == .elsewhere { history.isAtOrigin = false }
            case .wait(let pause, _): #expect(setting.remaining.map { pause < $0 } ?? true, place())
            case .send, .authorize: break
            }
            if case .fail = step { continue }
            // A body that is used up is never sent again, and none comes back that a redirect has dropped.
            #expect(!machine.hasBody || !machine.isSourceRead || setting.body == .replayable, place())
            #expect(before.hasBody || !machine.hasBody, place())
            // It is stored twice only after an answer that the client didn't get, and with its permission to try again.
            #expect(history.stored <= 1 || !machine.hasBody || machine.retries > 0, place())
            #expect(
                history.stored - history.lost <= 1
                    && (history.lost == 0 || !machine.hasBody || machine.retries >= history.lost), place())
            history.requests += 1
            #expect(history.requests <= setting.redirects + setting.retries + 3 + 1 + 1, place())
            if act == .unprocessed, machine.retries == before.retries { history.unprocessed += 1 }
            (history.hasBody, history.isSourceRead, history.asks) = (
                machine.hasBody, machine.isSourceRead, machine.asks
            )
            (history.redirects, history.retries) = (machine.redirects, machine.retries)
            next.append((machine, history))
        }
        self.checkMoments(steps, act, machine, setting)
        return next
    }

    /// Checks that the time of an act changes nothing but whether the server had all of a body that it claims to have, and whether
    /// a source that can be read once is used up.
    private func checkMoments(_ steps: [Moment: String], _ act: Act, _ machine: UploadMachine, _ setting: Setting) {
        let isUsed = machine.isSourceRead
        let alike = steps.filter { setting.body == .replayable || isUsed || $0.key != .unread }
        let early = Set(alike.filter { $0.key < .whole }.values)
        #expect(early.count <= 1, "\(setting) \(act) \(steps)")
        guard let first = early.first, let whole = steps[.whole], first != whole else { return }
        #expect(act.claimsBody && first == "fail: \(act.status) after 7", "\(setting) \(act) \(steps)")
    }

    private func step(
        _ act: Act, _ machine: inout UploadMachine, at moment: Moment, _ history: History, _ setting: Setting
    ) -> UploadMachine.Step {
        let remaining = setting.remaining
        switch act {
        case .cut, .lost: return machine.failed(Cut(), mayPass: true, remaining: remaining)
        case .unprocessed: return machine.failed(Cut(), mayPass: true, isUnprocessed: true, remaining: remaining)
        default: break
        }
        let answer = self.answer(act.status) { answer in
            answer.isAtOrigin = history.isAtOrigin
            answer.isBodyComplete = !machine.hasBody || moment == .whole
            switch act {
            case .page, .moved: answer.redirection = self.redirection(act.status)
            case .elsewhere: answer.redirection = self.redirection(act.status, to: "https://other/")
            case .unsafe: answer.redirection = self.redirection(act.status, to: "http://h/b", isSecure: false)
            case .busy: answer.retryAfter = .seconds(3)
            default: break
            }
        }
        return machine.answered(answer, remaining: remaining)
    }
}
