#if Transfer
import Formwork
import FormworkCore

/// A body that is complete before its files are stored.
package struct StoredBody: Sendable {
    package var content: BodySource
    /// The file that has its bytes; `nil` if they are elsewhere.
    package var file: FinishedFile?
    /// The digests of all bytes that are known.
    package var digests: [DigestValue]

    package init(_ content: BodySource, file: FinishedFile?, digests: [DigestValue]) {
        (self.content, self.file, self.digests) = (content, file, digests)
    }
}
#endif
