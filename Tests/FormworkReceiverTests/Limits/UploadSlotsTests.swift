@testable import FormworkReceiver
import Testing

/// How many uploads run at once, and how they end.
@Suite(.timeLimit(.minutes(10)))
struct UploadSlotsTests {
    /// An upload that runs until it is let go, or cancelled.
    private struct Held: Sendable {
        let stream: AsyncStream<Never>
        let end: AsyncStream<Never>.Continuation

        init() { (self.stream, self.end) = AsyncStream.makeStream(of: Never.self) }
        func wait() async -> String {
            for await _ in self.stream {}
            return Task.isCancelled ? "cancelled" : "done"
        }
    }

    private func start(_ slots: UploadSlots, _ client: String, _ held: Held) async -> Task<String, any Error> {
        let before = slots.count
        let task = Task {
            try await slots.run(for: client, { await held.wait() }, without: { "no slot: \($0)" })
        }
        while slots.count == before { await Task.yield() }
        return task
    }

    private func attempt(_ slots: UploadSlots, _ client: String) async throws -> String {
        try await slots.run(for: client, { "ran" }, without: { "no slot: \($0)" })
    }

    @Test func `There are so many slots for all, and for each client`() async throws {
        let slots = UploadSlots(limit: 2, clientLimit: 1)
        let (first, second) = (Held(), Held())
        let one = await self.start(slots, "a", first)
        #expect(try await self.attempt(slots, "a") == "no slot: clientLimit")
        #expect(try await self.attempt(slots, "b") == "ran")
        let two = await self.start(slots, "b", second)
        #expect(try await self.attempt(slots, "c") == "no slot: uploadsLimit")
        first.end.finish()
        #expect(try await one.value == "done")
        #expect(try await self.attempt(slots, "a") == "ran")
        second.end.finish()
        #expect(try await two.value == "done")
        #expect(slots.count == 0)
    }

    @Test func `After the stop no upload begins, and those in progress end by themselves`() async throws {
        let slots = UploadSlots(limit: 2)
        let held = Held()
        let one = await self.start(slots, "a", held)
        slots.stop()
        #expect(slots.isStopping && !slots.isDropped)
        #expect(try await self.attempt(slots, "b") == "no slot: stopping")
        held.end.finish()
        #expect(try await one.value == "done")
        await slots.settle(within: .zero)
        #expect(slots.count == 0)
    }

    @Test func `Dropped uploads are cancelled`() async throws {
        let slots = UploadSlots(limit: 2)
        let held = Held()
        let one = await self.start(slots, "a", held)
        #expect(slots.drop() == 1)
        #expect(slots.isStopping && slots.isDropped)
        await #expect(throws: CancellationError.self) { try await one.value }
        await slots.settle(within: .seconds(60))
        #expect(slots.count == 0)
    }

    @Test func `A cancelled request cancels its upload`() async throws {
        let slots = UploadSlots(limit: 1)
        let one = await self.start(slots, "a", Held())
        one.cancel()
        await #expect(throws: CancellationError.self) { try await one.value }
        await slots.settle(within: .seconds(60))
        #expect(try await self.attempt(slots, "b") == "ran")
    }

    @Test func `A watched task has no slot, and is dropped with the others`() async throws {
        let slots = UploadSlots(limit: 1)
        let held = Held()
        let task = Task { await held.wait() }
        slots.watch(task)
        #expect(slots.count == 1)
        #expect(try await self.attempt(slots, "a") == "ran")
        #expect(slots.drop() == 1)
        #expect(await task.value == "cancelled")
        let late = Task { await Held().wait() }
        slots.watch(late)
        #expect(await late.value == "cancelled")
    }
}
