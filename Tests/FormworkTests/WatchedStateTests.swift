import Formwork
import FormworkSystem
import Testing

@Suite("State that tasks wait for", .timeLimit(.minutes(10)))
struct WatchedStateTests {
    @Test("A wait ends with the change that it waits for, and with no other")
    func change() async {
        let state = WatchedState(0)
        let waits = (1...3).map { number in Task { await state.wait(for: nil) { $0 >= number } } }
        for number in 1...3 {
            state.withLock { $0 = number }
            #expect(await waits[number - 1].value)
        }
    }

    @Test("What already is isn't waited for")
    func already() async { #expect(await WatchedState(7).wait(for: nil) { $0 == 7 }) }

    @Test("A wait ends when its time is over")
    func time() async {
        let state = WatchedState(0)
        #expect(await !state.wait(for: .milliseconds(1)) { $0 == 1 })
        #expect(await !state.wait(for: .zero) { $0 == 1 })
    }

    @Test("A cancelled wait ends, whenever it is cancelled")
    func cancellation() async {
        let state = WatchedState(0)
        for delay in [Duration.zero, .microseconds(50), .milliseconds(2)] {
            let wait = Task { await state.wait(for: nil) { $0 == 1 } }
            try? await Task.sleep(for: delay)
            wait.cancel()
            #expect(await !wait.value)
        }
    }

    @Test("A thousand waits, changes and cancellations at once all end")
    func crowd() async {
        let state = WatchedState(0)
        let ended = await withTaskGroup(of: Void.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    let wait = Task { await state.wait(for: index % 3 == 0 ? .milliseconds(1) : nil) { $0 > index } }
                    if index % 3 == 1 { wait.cancel() }
                    state.withLock { $0 += 1 }
                    _ = await wait.value
                }
            }
            var count = 0
            for await _ in group { count += 1 }
            return count
        }
        #expect(ended == 1000)
    }
}
