#if os(Linux)
import Foundation
import Testing

/// All orders in which requests to the store can be answered, for a few receivers of one small upload.
@Suite(.timeLimit(.minutes(10))) struct ProtocolModelTests {
    /// What an exploration found.
    struct Report {
        var states = 0
        var orders = 0
        var violation: String?
        var log: [String] = []
    }

    /// Runs every order of steps, each once: one that comes to a state that another has come to ends there.
    static func explore(_ scenario: ModelRun.Scenario, _ rig: ModelRig, broken: ModelBreak? = nil) -> Report {
        var report = Report()
        rig.ends = []
        var visited: Set<Int> = []
        var open: [[ModelRun.Choice]] = [[]]
        while var path = open.popLast() {
            let run = ModelRun(scenario, rig, broken)
            run.begin()
            run.isRepeating = true
            for (index, choice) in path.enumerated() {
                run.isRepeating = index < path.count - 1
                run.take(choice)
            }
            run.isRepeating = false
            while run.violation == nil, !run.isCut {
                visited.insert(run.identity)
                let choices = run.choices
                guard let first = choices.first else {
                    run.finish()
                    report.orders += 1
                    break
                }
                for other in choices.dropFirst() where visited.insert(run.identity(after: other)).inserted {
                    open.append(path + [other])
                }
                guard visited.insert(run.identity(after: first)).inserted else { break }
                path.append(first)
                run.take(first)
            }
            run.end()
            if let violation = run.violation {
                (report.violation, report.log) = (violation, run.log)
                break
            }
        }
        report.states = visited.count
        return report
    }

    private static let asks: ModelRun.Script = { _ = await $0.offset() }
    private static let bothAppend = ModelRun.Scenario(
        name: "both append", length: 7,
        scripts: [{ await $0.add(from: 0, as: 0x10, upTo: 5) }, { await $0.continued(as: 0x40, upTo: 5) }])
    private static let oneTakesOver = ModelRun.Scenario(
        name: "one appends, one takes over and completes", length: 3,
        scripts: [{ await $0.add(from: 0, as: 0x10, upTo: 2) }, { await $0.continued(as: 0x40) }])
    private static let bothComplete = ModelRun.Scenario(
        name: "both complete", length: 3, begun: 3, scripts: [asks, asks], kills: 1)
    private static let losesAnswers = ModelRun.Scenario(
        name: "one completes, and answers are lost", length: 6, begun: 6, scripts: [asks], lost: 2)
    private static let losesAnswer = ModelRun.Scenario(
        name: "both complete, and the answer about the object is lost", length: 3, begun: 3, scripts: [asks, asks],
        lost: 1, losing: "CompleteMultipartUpload")
    private static let expires = ModelRun.Scenario(
        name: "one completes, one removes what has expired", length: 3, begun: 3,
        scripts: [asks, { await $0.expire() }], expires: true)

    @Test func `No order loses, mixes or repeats anything`() async {
        await #expect(processExitsWith: .success) {
            let rig = try ModelRig(receivers: 4)
            try Self.expectNothing(
                [
                    Self.bothAppend, Self.oneTakesOver, Self.bothComplete, Self.losesAnswers, Self.expires,
                ], rig)
            await rig.close()
        }
    }

    /// The same for more bytes, more names and all lost answers: some minutes. With FORMWORK_MODEL set only.
    @Test(.enabled(if: ProcessInfo.processInfo.environment["FORMWORK_MODEL"] != nil))
    func `No order of larger models loses, mixes or repeats anything`() async {
        await #expect(processExitsWith: .success) {
            let rig = try ModelRig(receivers: 4)
            var scenarios = [Self.losesAnswer, Self.losesAnswer, Self.bothComplete, Self.bothComplete]
            scenarios[1].losing = nil
            scenarios[2].names = 2
            (scenarios[3].length, scenarios[3].begun) = (6, 6)
            try Self.expectNothing(scenarios, rig)
            await rig.close()
        }
    }

    /// Expects that an exploration finds nothing.
    static func expectNothing(_ scenarios: [ModelRun.Scenario], _ rig: ModelRig) throws {
        for scenario in scenarios {
            let report = try #require(ModelLoop.taking { Self.explore(scenario, rig) })
            let log = report.log.joined(separator: "\n")
            #expect(report.violation == nil, "\(scenario.name): \(report.violation ?? "")\n\(log)")
            #expect(report.orders > 1)
        }
    }

    @Test func `Each rule is needed`() async {
        await #expect(processExitsWith: .success) {
            let rig = try ModelRig(receivers: 4)
            var killed = Self.bothComplete
            killed.names = 2
            for (rule, scenario) in [
                (ModelBreak.comparesNothing, Self.oneTakesOver), (.abortsNothing, Self.bothComplete),
                (.sharesKeys, Self.bothAppend), (.marksNothing, killed),
            ] {
                let report = try #require(ModelLoop.taking { Self.explore(scenario, rig, broken: rule) })
                #expect(report.violation != nil, "\(rule)")
            }
            await rig.close()
        }
    }
}
#endif
