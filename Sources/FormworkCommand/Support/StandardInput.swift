import Formwork
import SystemPackage

/// Standard input, which can be one part's content.
struct StandardInput {
    let spool: Bool
    private var isTaken = false

    init(spool: Bool) { self.spool = spool }

    mutating func take(length: Int64?) throws -> BodySource {
        guard !self.isTaken else {
            throw FormworkError(.invalidArgument, "standard input is another part's content already")
        }
        self.isTaken = true
        guard self.spool else { return .descriptor(.standardInput, length: length) }
        let spool = try Spool(collecting: .standardInput)
        if let length, length != spool.count {
            throw FormworkError(
                .lengthMismatch, "standard input has \(spool.count) bytes, not the declared length of \(length)")
        }
        return spool.source
    }
}
