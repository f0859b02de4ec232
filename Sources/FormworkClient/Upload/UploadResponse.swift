#if Client
import AsyncHTTPClient
import Formwork
import FormworkResumable
import NIOHTTP1

extension HTTPClient {
    /// A server's answer to an upload, and what it had of the body by then.
    public struct UploadResponse: Sendable {
        /// The answer: also one that isn't 2xx. Its body is still to be read.
        public var response: HTTPClientResponse
        /// Where it came from, behind all redirects.
        public var url: String
        /// Bytes of the last body sent that were handed to the client: at most 1 MiB of them may not have left.
        public var bytesSent: Int64
        /// Whether that was all of the body; `false` for an answer that came early.
        public var isBodyComplete: Bool
        /// Tries behind the first, see ``UploadOptions/retry``.
        public var retries: Int
        /// How the upload went on, and where it is; `nil` where the server gave it no URL of its own.
        public var upload: ResumableUpload? = nil

        /// The answer's status.
        public var status: HTTPResponseStatus { self.response.status }
    }
}
#endif
