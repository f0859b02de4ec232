#if Resumable
import Formwork
import FormworkCore
import FormworkDigests
import FormworkHTTP

extension BodyPlan {
    /// The body's SHA-256 for `Repr-Digest` (RFC 9530 §3), computed by reading the whole body once.
    ///
    /// The field comes before the body, so computing it reads every source once before the first byte is sent. A
    /// trailer would be lost by most servers, and by every upload that is cut.
    /// - Throws: ``FormworkError/Code/notReplayable`` if the body can't be read twice, and the errors of a reader.
    package func reprDigest() async throws -> DigestField {
        if let blocker = self.replayBlocker {
            throw FormworkError(
                .notReplayable, "a digest before the body requires reading it twice, but \(blocker.reason)",
                part: blocker.part)
        }
        let reader = AsyncBodyReader(
            try self.makeReader(options: ReaderOptions(digests: [SHA256Digest()])))
        while try await reader.next() != nil {}
        return DigestField(await reader.digestValues ?? [])
    }
}
#endif
