#if Resumable
import Formwork
import FormworkCore
import FormworkDigests
import FormworkHTTP

extension BodyPlan {
    /// The body's SHA-256 for `Repr-Digest` (RFC 9530 §3), by reading all of it once.
    ///
    /// A field stands in front of the body, so its digest costs a pass over every source before the first byte is
    /// sent; a trailer would be lost by most servers, and by every upload that is cut.
    /// - Throws: ``FormworkError/Code/notReplayable`` when the body can't be read twice, and what a reader throws.
    package func reprDigest() async throws -> DigestField {
        if let blocker = self.replayBlocker {
            throw FormworkError(
                .notReplayable, "a digest in front of the body would need it twice, but \(blocker.reason)",
                part: blocker.part)
        }
        let reader = AsyncBodyReader(
            try self.makeReader(options: ReaderOptions(digests: [SHA256Digest()])))
        while try await reader.next() != nil {}
        return DigestField(await reader.digestValues ?? [])
    }
}
#endif
