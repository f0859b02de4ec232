#if Client
import AsyncHTTPClient
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import NIOHTTP1
import SystemPackage

extension HTTPClient {
    /// How `HTTPClient.upload(_:with:deadline:options:)` sends a body.
    public struct UploadOptions: Sendable {
        /// How the server is told where the body ends.
        public enum Length: Sendable {
            /// By `Content-Length` where the plan knows it, else by chunks as they come.
            case whenKnown
            /// By `Content-Length`, which object stores insist on. A body of unknown length is collected before it is sent,
            /// and so can be sent again too.
            case fixed
            /// By chunks, as they come.
            case chunked
        }

        /// How the server is told where the body ends.
        public var length: Length
        /// Bytes of a collected body held in memory; what is more goes to a file without a name. Default 10 000 000, as
        /// Alamofire has it.
        public var memoryThreshold: Int
        /// Where a collected body's file is made; `nil` for `$TMPDIR`, or else `/tmp`.
        public var temporaryFolder: FilePath?
        /// Redirects followed; one more is `HTTPClientError.redirectLimitReached`. Default 20, as fetch has it. With 0 the
        /// first redirect is the answer.
        ///
        /// A client whose configuration follows redirects takes 301, 302 and 303 of a `POST` away from this count: it makes
        /// them a `GET` by itself.
        public var maximumRedirects: Int
        /// Who answers a 401; `nil` leaves it the answer.
        public var authentication: Authentication?
        /// When the upload is tried again; by default never. Behind an answer that may pass, and behind a connection that
        /// fails, with the same bytes. The deadline bounds all tries and the pauses between them.
        public var retry: RetryPolicy
        /// What the body's readers do besides reading: progress, a rate limit. Sending again begins anew.
        public var reading: ReaderOptions

        /// Fixed length where it is known, 20 redirects, no credentials, one try, unless said otherwise.
        public init(
            length: Length = .whenKnown, memoryThreshold: Int = 10_000_000, temporaryFolder: FilePath? = nil,
            maximumRedirects: Int = 20, authentication: Authentication? = nil,
            retry: RetryPolicy = RetryPolicy(), reading: ReaderOptions = ReaderOptions()
        ) {
            self.length = length
            self.memoryThreshold = memoryThreshold
            self.temporaryFolder = temporaryFolder
            self.maximumRedirects = maximumRedirects
            self.authentication = authentication
            self.retry = retry
            self.reading = reading
        }

        /// Answers a 401 with an `Authorization`, upon which the whole body is sent again, once.
        ///
        /// Only the origin that the request was made for is answered, never one it was redirected to.
        public struct Authentication: Sendable {
            let answer: @Sendable (HTTPClientResponse) async throws -> String?

            /// - Parameter answer: Gives the `Authorization` field's value; `nil` leaves the 401 the answer.
            public init(_ answer: @escaping @Sendable (HTTPClientResponse) async throws -> String?) {
                self.answer = answer
            }

            /// The Basic scheme (RFC 7617), in UTF-8.
            public static func basic(user: String, password: String) -> Self {
                let value = HTTPClient.Authorization.basic(username: user, password: password).headerValue
                return Self { _ in value }
            }
        }
    }

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

        /// The answer's status.
        public var status: HTTPResponseStatus { self.response.status }
    }
}
#endif
