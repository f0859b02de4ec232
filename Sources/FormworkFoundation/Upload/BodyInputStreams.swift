import Foundation
import Synchronization

/// Makes streams of the same body, one after the other, for `urlSession(_:task:needNewBodyStream:)`.
public final class BodyInputStreams: Sendable {
    /// The streams' body.
    public let plan: BodyPlan
    private let options: ReaderOptions
    private let current = Mutex<BodyFeed?>(nil)

    /// Creates the object, but no stream yet.
    public init(_ plan: BodyPlan, options: ReaderOptions = ReaderOptions()) {
        self.plan = plan
        self.options = options
    }

    /// The feed of the last stream; `nil` before the first.
    var last: BodyFeed? { self.current.withLock { $0 } }

    /// Makes a stream from the body's first byte, and closes the previous one.
    /// - Throws: ``FormworkError/Code/notReplayable`` with the part, from the second call on, for a plan that can be
    ///   read only once. Then nothing is read.
    public func next() throws(FormworkError) -> BodyInputStream {
        if self.last != nil, let blocker = self.plan.replayBlocker {
            throw FormworkError(
                .notReplayable,
                "the body would have to be sent again, but \(blocker.message): give a source that can be opened again",
                part: blocker.part)
        }
        return self.replace(by: BodyFeed(self.plan, options: self.options))
    }

    /// Like ``next()``, but a stream that URLSession can read on every system, for `httpBodyStream` and for
    /// `urlSession(_:task:needNewBodyStream:)`.
    ///
    /// On Apple's systems the stream doesn't end if the body can't be read, so that a short body is never taken for a
    /// whole one: the task ends with its time-out. `URLSession.upload(_:with:options:)` cancels it at once.
    public func nextForSession() throws(FormworkError) -> InputStream { try self.next().forSession() }

    /// Like ``next()``, but returns a failing stream instead of an error, because Foundation takes `nil` for
    /// "continue".
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
