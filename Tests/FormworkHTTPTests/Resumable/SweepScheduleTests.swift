@testable import FormworkResumable
import Testing

/// When expired uploads are looked for.
@Suite(.timeLimit(.minutes(10))) struct SweepScheduleTests {
    @Test func `A search that takes long is made seldom`() {
        #expect(SweepSchedule.pause(after: .milliseconds(20)) == .seconds(60))
        #expect(SweepSchedule.pause(after: .seconds(200)) == .seconds(4_000))
    }

    @Test func `Two searches don't run at once`() {
        var schedule = SweepSchedule()
        let both = (schedule.begin(), schedule.begin())
        #expect(both == (true, false))
        schedule.end(pause: .seconds(5))
        let third = schedule.begin()
        #expect(third)
    }

    @Test func `The first search is due after a minute`() {
        var schedule = SweepSchedule()
        let isDue = schedule.takeDue()
        #expect(!isDue)
        #expect(schedule.pause > .seconds(50) && schedule.pause <= .seconds(60))
    }

    @Test func `A search is due once, and not while another runs`() {
        var schedule = SweepSchedule()
        schedule.end(pause: .zero)
        #expect(schedule.pause == .zero)
        let both = (schedule.takeDue(), schedule.takeDue())
        #expect(both == (true, false))
        #expect(schedule.pause > .seconds(50))

        schedule.end(pause: .zero)
        let running = (schedule.begin(), schedule.takeDue())
        #expect(running == (true, false))
        #expect(schedule.pause == .seconds(60))
    }
}
