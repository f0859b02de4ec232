import Formwork

func retrying() async throws -> BodyReader {
    let plan = try await FormData().appending(name: "photo", file: "harbour.jpg").plan()
    if let blocker = plan.replayBlocker {
        print("can't be retried: \(blocker)")
    }
    let resumed = try plan.makeReader(from: 100)
    return resumed
}
