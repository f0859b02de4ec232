import Foundation
import Synchronization

/// One stream after the other of the same body: what `urlSession(_:task:needNewBodyStream:)` asks for.
public final class BodyInputStreams: Sendable {
    /// What the streams give.
    public let plan: BodyPlan
    private let options: ReaderOptions
    private let current = Mutex<BodyFeed?>(nil)

    /// Makes no stream yet.
    public init(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.plan = plan
        self.options = options
    }

    /// What the stream given last gives; `nil` before the first.
    var last: BodyFeed? { self.current.withLock { $0 } }

    /// A stream from the body's first byte on. The one before is closed.
    /// - Throws: ``FormworkError/Code/notReplayable`` with the part, from the second call on, for a plan that can be read
    ///   only once. Nothing was read then.
    public func next() throws(FormworkError) -> BodyInputStream {
        if self.last != nil, let blocker = self.plan.replayBlocker {
            throw FormworkError(
                .notReplayable,
                "the body would have to be sent again, but \(blocker.reason): give a source that can be opened again",
                part: blocker.part)
        }
        return self.replace(by: BodyFeed(self.plan, options: self.options))
    }

    /// Also where there can't be another: a stream that fails then, because Foundation takes `nil` for "go on".
    func nextOrFailing() -> BodyInputStream {
        do throws(FormworkError) { return try self.next() } catch {
            return self.replace(by: BodyFeed(failing: error))
        }
    }

    private func replace(by feed: BodyFeed) -> BodyInputStream {
        let previous = self.current.withLock { current in
            let previous = current
            current = feed
            return previous
        }
        previous?.close()
        return BodyInputStream(feed)
    }
}
