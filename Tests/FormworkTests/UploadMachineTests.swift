import TestSupport
import Testing

@testable import Formwork

/// Each event in each state of an upload, and the step that follows.
@Suite("What an upload does next", .timeLimit(.minutes(10)))
struct UploadMachineTests {
    struct Cut: Error, CustomStringConvertible { var description: String { "cut" } }

    enum Body: CaseIterable { case none, replayable, once, onceUnread }

    enum Event: CaseIterable {
        case success, early, refused, refusedEarly, busy, unauthorized, elsewhere, expectation, keeping, dropping,
            earlyPage
        case unsafe, fault, passing, final, unprocessed
    }

    private func plan(_ body: Body) throws -> BodyPlan? {
        switch body {
        case .none: nil
        case .replayable: try BodyPlan(copying: .text("x"))
        case .once, .onceUnread: try BodyPlan(copying: .chunks(once: ChunkSource([])))
        }
    }

    func machine(_ body: Body, isStrict: Bool, _ change: (inout UploadOptions) -> Void = { _ in }) throws
        -> UploadMachine
    {
        var options = UploadOptions(
            maximumRedirects: 1, authentication: .basic(user: "a", password: "b"),
            retry: RetryPolicy(count: 1, delay: .seconds(5)))
        change(&options)
        var machine = UploadMachine(try self.plan(body), options, mayAsk: isStrict, refusesUnsafe: isStrict)
        machine.isSourceRead = body != .onceUnread
        return machine
    }

    func redirection(_ status: Int, to url: String = "https://h/b", isSecure: Bool = true) -> Redirection? {
        Redirection(
            status: status, method: "POST", from: Origin(isSecure: true, host: "h", port: nil),
            to: (url, Origin(isSecure: isSecure, host: "h", port: nil)), isTrusted: false)
    }

    func answer(_ status: Int, _ change: (inout UploadMachine.Response) -> Void = { _ in })
        -> UploadMachine.Response
    {
        var answer = UploadMachine.Response(status: status, .init(url: "https://h/") { _ in [] })
        answer.bytesSent = 7
        change(&answer)
        return answer
    }

    private func step(_ event: Event, _ machine: inout UploadMachine, remaining: Duration? = nil) -> String {
        func answered(_ status: Int, _ change: (inout UploadMachine.Response) -> Void = { _ in }) -> String {
            self.text(machine.answered(self.answer(status, change), remaining: remaining))
        }
        return switch event {
        case .success: answered(200)
        case .early: answered(200) { $0.isBodyComplete = false }
        case .refused: answered(403)
        case .refusedEarly: answered(413) { $0.isBodyComplete = false }
        case .busy: answered(503) { $0.retryAfter = .seconds(3) }
        case .unauthorized: answered(401)
        case .elsewhere: answered(401) { $0.isAtOrigin = false }
        case .expectation: answered(417)
        case .keeping: answered(307) { $0.redirection = self.redirection(307) }
        case .dropping: answered(303) { $0.redirection = self.redirection(303) }
        case .earlyPage:
            answered(303) {
                ($0.redirection, $0.isBodyComplete) = (self.redirection(303), false)
            }
        case .unsafe: answered(307) { $0.redirection = self.redirection(307, to: "http://h/b", isSecure: false) }
        case .fault: answered(307) { $0.redirectFault = Cut() }
        case .passing: self.text(machine.failed(Cut(), mayPass: true, remaining: remaining))
        case .final: self.text(machine.failed(Cut(), mayPass: false, remaining: remaining))
        case .unprocessed: self.text(machine.failed(Cut(), mayPass: false, isUnprocessed: true, remaining: remaining))
        }
    }

    func text(_ step: UploadMachine.Step) -> String {
        switch step {
        case .send: "send"
        case .follow(let redirection): "follow \(redirection.target)"
        case .authenticate: "authenticate"
        case .authorize(let value): "authorize \(value)"
        case .wait(let pause, let reason): "wait \(pause.components.seconds): \(reason)"
        case .done: "done"
        case .fail(.refusedRedirect(let redirection, let limit)):
            "refuse \(redirection.target) \(limit.map { "\($0)" } ?? "without TLS")"
        case .fail(.notReplayable): "fail: not replayable"
        case .fail(.early(let status, _, let offset)): "fail: \(status) after \(offset)"
        case .fail(.other(_, let blocker?)): "fail: cut, blocked by \(blocker.part?.name ?? "the body")"
        case .fail(.other(let error, nil)): "fail: \((error as? FormworkError)?.code.description ?? "\(error)")"
        }
    }

    /// The first event of an upload. A row is an event, and for each body what a strict client does (one that sends `Expect`,
    /// and for which an unsafe redirect is a failure), and then what another one does where that differs.
    static let first: [(Event, [Body: [String]])] = [
        (.success, .all("done")),
        (.early, .all("fail: 200 after 7", none: "done")),
        (.refused, .all("done")), (.refusedEarly, .all("done")),
        (.busy, .all("wait 3: the server answered 503", once: "done")),
        (.unauthorized, .all("authenticate")), (.elsewhere, .all("done")),
        (
            .expectation,
            [.none: ["done"], .replayable: ["send", "done"], .onceUnread: ["send", "done"], .once: ["done"]]
        ),
        (.keeping, .all("follow https://h/b", once: "fail: not replayable")),
        (.dropping, .all("follow https://h/b")),
        (.earlyPage, .all("fail: 303 after 7", none: "follow https://h/b")),
        (
            .unsafe,
            [Body](Body.allCases).reduce(into: [:]) { $0[$1] = ["refuse http://h/b without TLS", "done"] }
        ),
        (.fault, [Body](Body.allCases).reduce(into: [:]) { $0[$1] = ["fail: cut", "done"] }),
        (.passing, .all("wait 5: cut", once: "fail: cut, blocked by the body")),
        (.final, .all("fail: cut")),
        (.unprocessed, .all("wait 0: cut", once: "fail: cut")),
    ]

    @Test("The first event", arguments: Self.first.map(\.0))
    func firstEvent(_ event: Event) throws {
        let row = try #require(Self.first.first { $0.0 == event }?.1)
        for body in Body.allCases {
            let steps = try #require(row[body])
            for (isStrict, wanted) in [(true, steps[0]), (false, steps.last ?? "")] {
                var machine = try self.machine(body, isStrict: isStrict)
                #expect(self.step(event, &machine) == wanted, "\(event) \(body) \(isStrict)")
            }
        }
        #expect(Self.first.count == Event.allCases.count)
    }

    @Test("A second redirect is one too many, and a second failure is the result")
    func second() throws {
        for event in [Event.keeping, .dropping] {
            var machine = try self.machine(.replayable, isStrict: true)
            _ = self.step(event, &machine)
            #expect(machine.redirects == 1 && machine.hasBody == (event == .keeping))
            #expect(self.step(.keeping, &machine) == "refuse https://h/b 1")
        }
        for event in [Event.busy, .passing] {
            var machine = try self.machine(.replayable, isStrict: true)
            _ = self.step(event, &machine)
            #expect(machine.retries == 1)
            #expect(self.step(.busy, &machine) == "done")
            #expect(self.step(.passing, &machine) == "fail: cut")
        }
    }

    @Test("With 0 redirects, each is the answer, also one that came early or can't be followed")
    func noRedirects() throws {
        for event in [Event.keeping, .dropping, .earlyPage, .unsafe, .fault] {
            for isStrict in [true, false] {
                var machine = try self.machine(.replayable, isStrict: isStrict) { $0.maximumRedirects = 0 }
                #expect(self.step(event, &machine) == "done")
            }
        }
    }

    @Test("A 401 is answered once, with credentials or as the result, and another origin's only if it is trusted")
    func authentication() throws {
        var machine = try self.machine(.replayable, isStrict: true)
        _ = self.step(.unauthorized, &machine)
        #expect(self.text(machine.authenticated(with: "Basic x")) == "authorize Basic x")
        #expect(self.step(.unauthorized, &machine) == "done")
        var without = try self.machine(.replayable, isStrict: true)
        _ = self.step(.unauthorized, &without)
        #expect(self.text(without.authenticated(with: nil)) == "done")
        var once = try self.machine(.once, isStrict: true)
        _ = self.step(.unauthorized, &once)
        #expect(self.text(once.authenticated(with: "Basic x")) == "fail: notReplayable")
        var unread = try self.machine(.onceUnread, isStrict: true)
        _ = self.step(.unauthorized, &unread)
        #expect(self.text(unread.authenticated(with: "Basic x")) == "authorize Basic x")
        var trusting = try self.machine(.replayable, isStrict: true) { $0.trustsRedirects = true }
        #expect(self.step(.elsewhere, &trusting) == "authenticate")
        var unasked = try self.machine(.replayable, isStrict: true) { $0.authentication = nil }
        #expect(self.step(.unauthorized, &unasked) == "done")
    }

    @Test("A request that wasn't processed is repeated three times, later and later, besides the caller's tries")
    func unprocessed() throws {
        var machine = try self.machine(.replayable, isStrict: true)
        for pause in 0..<3 { #expect(self.step(.unprocessed, &machine) == "wait \(pause): cut") }
        #expect(machine.retries == 0)
        #expect(self.step(.unprocessed, &machine) == "fail: cut")
        #expect(self.step(.passing, &machine) == "wait 5: cut")
    }

    @Test("No try begins after the time-out", arguments: [Event.busy, .passing])
    func timeLeft(_ event: Event) throws {
        for (remaining, wanted) in [
            (3, ["done", "fail: cut"]), (6, ["wait 3: the server answered 503", "wait 5: cut"]),
        ] {
            var machine = try self.machine(.replayable, isStrict: true)
            #expect(
                self.step(event, &machine, remaining: .seconds(remaining)) == (event == .busy ? wanted[0] : wanted[1]))
        }
        var machine = try self.machine(.replayable, isStrict: true)
        _ = self.step(.unprocessed, &machine)
        #expect(self.step(.unprocessed, &machine, remaining: .seconds(1)) == "fail: cut")
    }

    @Test("Expect is left out once, and a second 417 is the answer")
    func expectation() throws {
        var machine = try self.machine(.replayable, isStrict: true)
        #expect(machine.asks == nil)
        #expect(self.step(.expectation, &machine) == "send" && machine.asks == false)
        #expect(self.step(.expectation, &machine) == "done")
    }
}

extension [UploadMachineTests.Body: [String]] {
    /// The same step for all bodies, but for a request without one, and for one that is used up.
    fileprivate static func all(_ step: String, none: String? = nil, once: String? = nil) -> Self {
        [.none: [none ?? step], .replayable: [step], .once: [once ?? step], .onceUnread: [step]]
    }
}
