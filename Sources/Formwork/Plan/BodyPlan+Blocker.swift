extension BodyPlan {
    /// The part that prevents a property of a body, and the reason.
    public struct Blocker: Hashable, Sendable, CustomStringConvertible {
        /// The first such part.
        public var part: PartReference
        /// The reason, in words.
        public var reason: String

        /// `part 2 "log": a stream without a declared length`.
        public var description: String { "\(self.part): \(self.reason)" }

        init(part: PartReference, reason: String) {
            self.part = part
            self.reason = reason
        }

        init?(replayOf source: PlannedSource, in part: PartReference) {
            switch source {
            case .stream(let stream) where !stream.isReplayable:
                self.init(part: part, reason: "\(stream.label) can be read only once")
            case .encoded(let content):
                guard let blocker = content.raw.replayBlocker else { return nil }
                self.init(part: part, reason: blocker.reason)
            case .parts(let parts):
                guard let blocker = parts.replayBlocker else { return nil }
                self = blocker
            default: return nil
            }
        }

        init?(lengthOf source: PlannedSource, in part: PartReference) {
            switch source {
            case .stream(let stream) where stream.length == nil:
                self.init(part: part, reason: "\(stream.label) without a declared length")
            case .encoded(let content) where content.length == nil:
                let reason = content.raw.lengthBlocker?.reason
                self.init(part: part, reason: reason ?? "quoted-printable that isn't measured")
            case .parts(let parts):
                guard let blocker = parts.lengthBlocker else { return nil }
                self = blocker
            default: return nil
            }
        }
    }
}

extension BodyPlan {
    /// - Throws: `notReplayable` if a 401 to this body can't be answered by sending it again.
    package func checkAuthorizable() throws(FormworkError) {
        guard let blocker = self.replayBlocker else { return }
        throw FormworkError(
            .notReplayable,
            "the server answered 401, but \(blocker.reason): send Authorization with the first request, or give a "
                + "source that can be opened again", part: blocker.part)
    }
}
