#if Resumable
import HTTPTypes

/// An unfinished upload that is being removed.
package struct UploadRemoval: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        /// It is older than uploads are kept.
        case expired
        /// Others need its space: it has received nothing for a long time.
        case displaced
        /// There is no room for all of its bytes.
        case noRoom
        /// After a refused request, the bytes that it should have are unknown.
        case refused(status: Int)
        /// Its client cancelled it.
        case cancelled
    }

    package var name: String
    /// ``StoredUpload/note``
    package var note: [UInt8]
    package var reason: Reason
}

/// Removes an upload.
package typealias RemovingUpload = @Sendable () async throws -> Void
#endif
