import Formwork

func retrying(_ plan: BodyPlan) throws -> BodyReader {
    if let blocker = plan.replayBlocker {
        print("can't be retried: \(blocker)")
    }
    let resumed = try plan.makeReader(from: 100)
    return resumed
}
