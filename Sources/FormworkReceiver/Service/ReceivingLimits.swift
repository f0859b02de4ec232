#if Transfer
import Formwork

/// How much the receiver takes.
package struct ReceivingLimits: Sendable, Hashable {
    /// Bytes of a request's body. Default 64 GiB: ours.
    package var bodyBytes: Int64 = 64 << 30
    /// Bytes of one file. Default 64 GiB: ours.
    package var fileBytes: Int64 = 64 << 30
    /// Files of one form. Default 1,000, as Starlette's.
    package var files = 1_000
    /// Fields of one form that are no files. Default 1,000, as Starlette's.
    package var fields = 1_000
    /// Bytes of one field. Default 1 MiB, as busboy's and Starlette's.
    package var fieldBytes: Int64 = 1 << 20
    /// Bytes of all fields of a form together, which are kept in memory for the answer. Default 4 MiB: ours.
    package var allFieldBytes: Int64 = 4 << 20
    /// Uploads at once. Default 256: ours.
    package var uploads = 256
    /// Uploads of one client at once, by its address, of IPv6 by its network's 64 bits. `nil`, the default, is a quarter of
    /// ``uploads``, and no limit for a receiver that this machine alone reaches.
    package var uploadsPerClient: Int?
    /// Resumable uploads of one client that are kept and not finished. `nil`, the default, is a tenth of what the store keeps,
    /// and no limit for a receiver that this machine alone reaches.
    package var unfinishedPerClient: Int?

    package init() {}

    /// The same for a parser.
    var parsing: ParsingLimits {
        var limits = ParsingLimits()
        (limits.totalBytes, limits.fileBytes, limits.fieldBytes) = (self.bodyBytes, self.fileBytes, self.fieldBytes)
        (limits.files, limits.fields) = (self.files, self.fields)
        let parts = self.files.addingReportingOverflow(self.fields)
        limits.parts = parts.overflow ? .max : parts.partialValue
        let headers = max(limits.parts, 64).multipliedReportingOverflow(by: 1 << 10)
        limits.totalHeaderBytes = headers.overflow ? .max : headers.partialValue
        return limits
    }
}
#endif
