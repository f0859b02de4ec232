#if Resumable
import FormworkHTTP

/// Which uploads an ``UploadStore`` accepts, and how long it keeps them.
public struct UploadStoreOptions: Sendable {
    /// The limits sent to clients; the store sets `maxAge` itself. By default there are none.
    public var limits = UploadLimits()
    /// Seconds after its creation until an upload expires, complete or not. An upload that is being received or
    /// processed at that time expires when that ends. Default a day.
    public var lifetime: Double = 24 * 3600
    /// Seconds for which a completed upload's answer is kept. Default an hour.
    public var answerLifetime: Double = 3600
    /// The most uploads, including those whose answer is kept. Default 1000. Above it, the uploads that have
    /// expired are removed, then those that are finished, empty or long idle. If none can be removed, the answer is 503.
    public var maximumCount = 1000
    /// Seconds for which an upload without bytes is protected if there are too many. One with bytes is protected sixty
    /// times as long.
    package var idleTime: Double = 10
    /// Whether the SHA-256 of each upload that isn't a form is computed while it arrives.
    package var digestsFiles = false
    /// Whether the large files of forms are found while the forms arrive. In a folder, each gets a file of its own, which
    /// can become the stored file. Their SHA-256 is computed with `digestsFiles`.
    package var findsFiles = false
    /// Whether the folder of the uploads may be a link to one.
    package var mayBeLink = true
    /// The most bytes of all uploads together; `nil` for no limit. An upload counts with the length that it announced.
    /// One that announces more than all may have is refused with 413; one that announced none ends with 507 when the
    /// limit is reached.
    public var maximumTotalSize: Int64?
    /// Whether bytes and records are written to the disk before they are reported to clients, in case the machine loses
    /// power. A killed process loses nothing in either case. Applies to folders; other storages decide themselves.
    public var isDurable = false

    /// Creates the default options.
    public init() {}
}
#endif
