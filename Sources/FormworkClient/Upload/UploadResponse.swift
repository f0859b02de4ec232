#if Client
import AsyncHTTPClient
import Formwork
import FormworkResumable
import NIOHTTP1

extension HTTPClient {
    /// A server's answer to an upload, and how much of the body was sent by then.
    public struct UploadResponse: Sendable {
        /// The answer, including one that isn't 2xx. Its body hasn't been read yet.
        public var response: HTTPClientResponse
        /// The answer's URL, after all redirects.
        public var url: String
        /// Bytes of the last request's body that were handed to the client: at most 1 MiB of them, or 2 MiB of
        /// a body that arrives while it is sent, may not have been sent. 0 after a redirect that turned `POST` into `GET`.
        public var bytesSent: Int64
        /// Whether the body counts as delivered: all of it was sent, or a 2xx came early for one
        /// of at most 4 MiB. `false` for another early answer. Still `true` after a redirect that turned `POST` into `GET`:
        /// such a redirect is followed only if the body was delivered.
        public var isBodyComplete: Bool
        /// Tries after the first, see ``UploadOptions/retry``.
        public var retries: Int
        /// The state of a resumable upload; `nil` if the server gave it no URL of its own.
        public var upload: ResumableUpload? = nil

        /// The answer's status.
        public var status: HTTPResponseStatus { self.response.status }
    }
}
#endif
