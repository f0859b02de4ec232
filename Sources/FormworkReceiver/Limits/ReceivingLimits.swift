#if Transfer
import Formwork

/// How much the receiver accepts.
package struct ReceivingLimits: Sendable, Hashable {
    /// Bytes of a request's body. Default 64 GiB.
    package var bodyBytes: Int64 = 64 << 30
    /// Bytes of one file. Default 64 GiB.
    package var fileBytes: Int64 = 64 << 30
    /// Files of one form. Default 1,000, as in Starlette.
    package var files = 1_000
    /// Text fields of one form. Default 1,000, as in Starlette.
    package var fields = 1_000
    /// Bytes of one field. Default 1 MiB, as in busboy and Starlette.
    package var fieldBytes: Int64 = 1 << 20
    /// Bytes of all fields of a form together, which are held in memory for the answer. Default 4 MiB.
    package var allFieldBytes: Int64 = 4 << 20
    /// Uploads at once. Default 256.
    package var uploads = 256
    /// Uploads of one client at once. A client is an IPv4 address, or the first 64 bits of an IPv6 address. `nil`, the
    /// default, is a quarter of ``uploads``, or of those for which the memory is enough; unlimited if only this machine reaches
    /// the receiver.
    package var uploadsPerClient: Int?
    /// Unfinished resumable uploads that are kept of one client. `nil`, the default, is a tenth of what the store
    /// keeps, or unlimited if only this machine reaches the receiver.
    package var unfinishedPerClient: Int?

    package init() {}

    /// The same limits for a parser.
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
