#if Command
import Formwork
import FormworkCore

extension FormOptions {
    /// Checks that no content contains the boundary, if it isn't a random one of this process.
    ///
    /// A body that can be read twice is checked before anything is sent.
    /// - Parameter isResumed: Whether the body may be sent from an offset other than 0. Then it can't be checked while
    ///   it is sent.
    /// - Returns: Whether the body must be checked while it is sent.
    /// - Throws: `framingBroken` with the part, and `ExitStatus` for a body that can't be checked at all.
    package func checksWhileSending(_ plan: BodyPlan, isResumed: Bool) throws -> Bool {
        // A saved plan has the boundary that its writer gave or that was random. Reading files twice for it would be slow.
        if self.description != nil, !isResumed { return true }
        guard self.description != nil || self.choosesBoundary else { return false }
        guard plan.isReplayable else {
            guard !isResumed else {
                let reason = plan.replayBlocker.map { " (\($0))" } ?? ""
                throw ExitStatus(
                    2,
                    "formwork: --boundary: a body that is resumed can't be checked for it, as it can be read only once"
                        + "\(reason): leave out --boundary, or add --spool".withControlCharactersEscaped)
            }
            return true
        }
        let reader = try plan.makeReader(options: ReaderOptions(checksFraming: true))
        do {
            while try !reader.read(upTo: 256 << 10).isEmpty {}
        } catch {
            var status = ExitStatus(error)
            if error.code == .framingBroken {
                status.message? += "; a random boundary, without --boundary, occurs in no content"
            }
            throw status
        }
        return false
    }

    /// Refuses a given boundary where curl makes the body: no argument of curl's sets it.
    func refuseBoundary(for option: String) throws {
        guard self.choosesBoundary else { return }
        let given = self.boundary == nil ? "the boundary of -H 'Content-Type: …'" : "--boundary"
        throw ExitStatus(2, "formwork: \(option): curl chooses its boundary itself: leave out \(given)")
    }

    /// Whether `--boundary` or `-H` gives the boundary.
    var choosesBoundary: Bool {
        guard self.boundary == nil else { return true }
        let random = Boundary.random()
        guard let type = self.givenType else { return false }
        return (try? MultipartFraming(contentType: type, boundary: random)).map { $0.boundary != random } ?? false
    }
}
#endif
