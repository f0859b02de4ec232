#if Resumable
import FormworkHTTP

/// What an ``UploadStore`` takes, and for how long.
public struct UploadStoreOptions: Sendable {
    /// What clients are told; `maxAge` is the store's to set. Without limits unless said otherwise.
    public var limits = UploadLimits()
    /// Seconds from its creation after which an upload is gone, whole or not; one that a request adds to just then, or
    /// that is being processed, when that ends. Default a day.
    public var lifetime: Double = 24 * 3600
    /// Seconds for which a finished upload's answer can still be had. Default an hour.
    public var answerLifetime: Double = 3600
    /// Uploads at most, those included whose answer is kept. Default 1000.
    public var maximumCount = 1000
    /// Seconds for which an upload without bytes is left alone where there are too many. One with bytes is for sixty times as
    /// long.
    package var idleTime: Double = 10
    /// Bytes of all uploads at most; `nil` for no limit.
    public var maximumTotalSize: Int64?
    /// Whether bytes and records are on the disk before anybody is told of them: for a machine that may lose power. A
    /// process may be killed at any moment without. For folders; another storage decides by itself.
    public var isDurable = false

    /// The defaults, to be changed where needed.
    public init() {}
}
#endif
