#if Resumable
import FormworkCore
import SystemPackage

extension StoredUpload {
    /// Why a request can't continue.
    enum Failure: Error {
        /// Another request uses the upload now.
        case superseded
        /// Another process uses it.
        case busy
        /// It no longer exists.
        case missing
        /// It can't be opened or read at the moment, for example because no descriptor is left.
        case unreadable(any Error)
        /// The storage accepts no more bytes.
        case full(any Error)

        /// The cause of `full` before anything is written.
        static let noRoom = FormworkError(
            .writeFailed, "there is no room besides what must stay free", cause: Errno.noSpace)
    }
}
#endif
