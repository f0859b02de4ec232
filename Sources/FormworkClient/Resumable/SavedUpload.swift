/// A range of the encoded body.
struct UploadRange: Sendable, Hashable {
    /// Its first byte, counted from the start of the body.
    var offset: Int64
    /// The most bytes; `nil` for all bytes up to an end that isn't known yet.
    var count: Int64?
}

/// The upload's own URL, and its properties on the server.
package struct SavedUpload: Sendable, Hashable {
    /// An `http` or `https` URL without a fragment.
    var url: String
    /// The protocol to use.
    package var uploadProtocol: ResumableProtocol
    /// `Upload-Expires` of tus, as received.
    var expires: String?
    /// The server's limits.
    var limits = UploadLimits()
    /// Whether the upload is the form's only file, and not the encoded form.
    var isFile = false
}
