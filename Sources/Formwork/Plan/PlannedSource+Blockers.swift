// Why a body with a source has no length, or can be read only once.

extension PlannedSource {
    /// The error of a body that is read again; `nil` if it can be.
    func replayBlocker(in part: PartReference) -> FormworkError? {
        let reason: String?
        switch self {
        case .stream(let stream): reason = stream.isReplayable ? nil : "\(stream.label) can be read only once"
        case .encoded(let content): reason = content.raw.replayBlocker?.message
        case .parts(let parts): return parts.replayBlocker
        case .bytes, .file, .synthetic: return nil
        }
        return reason.map { FormworkError(.notReplayable, $0, part: part) }
    }

    /// The error of a body that needs a length; `nil` if it has one.
    func lengthBlocker(in part: PartReference) -> FormworkError? {
        let reason: String
        switch self {
        case .stream(let stream) where stream.length == nil: reason = "\(stream.label) without a declared length"
        case .encoded(let content) where content.length == nil:
            reason = content.raw.lengthBlocker?.message ?? "quoted-printable that isn't measured"
        case .parts(let parts): return parts.lengthBlocker
        default: return nil
        }
        return FormworkError(.lengthUnknown, reason, part: part)
    }
}

extension BodyPlan {
    /// - Throws: `notReplayable` if a 401 to this body can't be answered by sending it again.
    package func checkAuthorizable() throws(FormworkError) {
        guard let blocker = self.replayBlocker else { return }
        throw FormworkError(
            .notReplayable,
            "the server answered 401, but \(blocker.message): send Authorization with the first request, or give a "
                + "source that can be opened again", part: blocker.part)
    }
}
