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
        try self.checkReadableTwice()
        let reader = AsyncBodyReader(
            try self.makeReader(options: ReaderOptions(digests: [SHA256Digest()])))
        while try await reader.next() != nil {}
        return DigestField(await reader.digestValues ?? [])
    }

    /// - Throws: ``FormworkError/Code/notReplayable`` if the body can't be read for its digest, and then again.
    package func checkReadableTwice() throws(FormworkError) {
        guard let blocker = self.replayBlocker else { return }
        throw FormworkError(
            .notReplayable, "a digest before the body requires reading it twice, but \(blocker.reason)",
            part: blocker.part)
    }

    /// The value of tus' `Upload-Checksum` for a range, computed by reading it.
    /// - Parameter algorithm: `sha256` or `sha1`.
    /// - Throws: The errors of a reader.
    package func uploadChecksum(_ algorithm: String, from offset: Int64, count: Int64?) async throws -> String {
        var digest: any BodyDigest = algorithm == "sha1" ? SHA1Digest() : SHA256Digest()
        let reader = AsyncBodyReader(try self.makeReader(from: offset, count: count))
        while let chunk = try await reader.next() {
            chunk.withBytes { digest.update($0) }
        }
        return "\(algorithm) \(Base64.encode(digest.finalized()))"
    }
}
#endif
