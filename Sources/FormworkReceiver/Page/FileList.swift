#if Transfer
/// The content of `/files.json`, which the page's script requests every few seconds.
struct FileList: Encodable {
    struct Limits: Encodable {
        /// Bytes of a request's body.
        var maxSize: Int64
        /// Bytes of a file.
        var maxFileSize: Int64
        /// Files of a form.
        var maxFiles: Int
        /// Uploads at once.
        var maxUploads: Int
    }

    /// The newest last.
    var files: [Arrival]
    var limits: Limits

    init(_ arrivals: [Arrival], _ limits: ReceivingLimits) {
        self.files = arrivals
        self.limits = Limits(
            maxSize: limits.bodyBytes, maxFileSize: limits.fileBytes, maxFiles: limits.files,
            maxUploads: limits.uploads)
    }
}
#endif
