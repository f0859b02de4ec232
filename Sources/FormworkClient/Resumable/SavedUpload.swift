/// A range of the encoded body.
struct UploadRange: Sendable, Hashable {
    /// Its first byte, counted from the start of the body.
    var offset: Int64
    /// The most bytes; `nil` for all bytes up to an end that isn't known yet.
    var count: Int64?

    /// Creates a range from `offset`.
    init(offset: Int64, count: Int64?) { (self.offset, self.count) = (offset, count) }
}

/// The upload's own URL, and its properties on the server.
package struct SavedUpload: Sendable, Hashable {
    /// The URL.
    var target: UploadTarget
    /// The protocol to use.
    package var uploadProtocol: ResumableProtocol
    /// `Upload-Expires` of tus, as received.
    var expires: String?
    /// The server's limits.
    var limits: UploadLimits
    /// Whether the upload is the form's only file, and not the encoded form.
    var isFile = false

    /// Creates a link from a saved upload; its URL and protocol are enough to resume it.
    init(
        target: UploadTarget, uploadProtocol: ResumableProtocol, expires: String? = nil,
        limits: UploadLimits = UploadLimits()
    ) {
        self.target = target
        self.uploadProtocol = uploadProtocol
        self.expires = expires
        self.limits = limits
    }
}
