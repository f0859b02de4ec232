#if Transfer
import Formwork
import FormworkCore

/// A body that is complete before its files are stored.
package struct StoredBody: Sendable {
    /// The name of the resumable upload whose files the current task stores; `nil` for files of another body.
    @TaskLocal static var upload: String?

    package var content: BodySource
    /// The file that has its bytes; `nil` if they are elsewhere.
    package var file: FinishedFile?
    /// The form that it is, if the places of its large files are known, and its bytes are in files of this process.
    package var form: StoredForm?
    /// The name of the resumable upload that it is; `nil` for another body.
    package var upload: String?
    /// Its length in bytes.
    package var length: Int64
    /// The digests of all bytes that are known.
    package var digests: [DigestValue]

    package init(
        _ content: BodySource, file: FinishedFile?, upload: String? = nil, length: Int64, digests: [DigestValue]
    ) {
        (self.content, self.file, self.upload, self.length) = (content, file, upload, length)
        self.digests = digests
    }
}
#endif
