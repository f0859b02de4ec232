#if Transfer
import FormworkHTTP
import FormworkResumable

/// What a store takes, and for how long.
package struct UploadStoreOptions: Sendable {
    /// What clients are told; `maxAge` is the store's to set.
    package var limits = UploadLimits()
    /// Seconds from its creation after which an upload is gone, whole or not; one that a request adds to just then, or
    /// that is being processed, when that ends.
    package var lifetime: Double = 24 * 3600
    /// Seconds for which a finished upload's answer can still be had.
    package var answerLifetime: Double = 3600
    /// Uploads at most, those included whose answer is kept.
    package var maximumCount = 1000
    /// Seconds for which an upload without bytes is left alone where there are too many. One with bytes is for sixty times as
    /// long.
    package var idleTime: Double = 10
    /// Bytes of all uploads at most; `nil` for no limit.
    package var maximumTotalSize: Int64?
    /// Whether bytes and records are on the disk before anybody is told of them: for a machine that may lose power. A
    /// process may be killed at any moment without.
    package var isDurable = false

    package init() {}
}
#endif
