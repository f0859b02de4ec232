@testable import Formwork
import TestSupport
import Testing

@Suite("ProgressMeter", .timeLimit(.minutes(10)))
struct ProgressMeterTests {
    /// A question at a made-up moment, and its answer.
    struct Step: Sendable {
        var at: Duration
        var isEnd = false
        var isDue: Bool
    }

    /// All with an interval of 100 ms.
    static let rows: [Row<[Step], Void>] = [
        Row([Step(at: .zero, isDue: true)], against: "losing the first report"),
        Row(
            [
                Step(at: .zero, isDue: true), Step(at: .milliseconds(99), isDue: false),
                Step(at: .milliseconds(100), isDue: true), Step(at: .milliseconds(199), isDue: false),
                Step(at: .milliseconds(200), isDue: true),
            ], against: "reports too often, or one interval too late"),
        Row(
            [
                Step(at: .zero, isDue: true), Step(at: .milliseconds(90), isDue: false),
                Step(at: .milliseconds(110), isDue: true), Step(at: .milliseconds(205), isDue: false),
                Step(at: .milliseconds(210), isDue: true),
            ], against: "counting from a question that was answered no"),
        Row(
            [
                Step(at: .zero, isDue: true), Step(at: .milliseconds(1), isEnd: true, isDue: true),
                Step(at: .milliseconds(2), isEnd: true, isDue: false), Step(at: .seconds(9), isDue: false),
            ], against: "losing the end, or reporting it twice"),
        Row(
            [Step(at: .zero, isEnd: true, isDue: true), Step(at: .seconds(9), isEnd: true, isDue: false)],
            against: "losing the end that is the first report too"),
    ]

    @Test("A meter told made-up moments answers so", arguments: rows)
    func due(row: Row<[Step], Void>) {
        let start = ContinuousClock.now
        var meter = ProgressMeter(every: .milliseconds(100))
        for (index, step) in row.given.enumerated() {
            let isDue = meter.isDue(at: start + step.at, isEnd: step.isEnd)
            #expect(isDue == step.isDue, "step \(index)")
        }
    }

    @Test("An interval of zero reports every time, the end once")
    func everyTime() {
        let now = ContinuousClock.now
        var meter = ProgressMeter(every: .zero)
        let answers = [false, false, true, true].map { meter.isDue(at: now, isEnd: $0) }
        #expect(answers == [true, true, true, false])
    }
}
