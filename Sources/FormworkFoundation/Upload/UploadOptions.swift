import Foundation
import SystemPackage

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// How `URLSession.upload(_:with:options:)` sends a body.
public struct UploadOptions: Sendable {
    /// How the server is told where the body ends.
    public enum Length: Sendable {
        /// By `Content-Length`, which object stores insist on.
        ///
        /// A body with a stream or an async sequence in it is collected before it is sent. So it has a length, can be
        /// sent again, and holds up nobody.
        case fixed
        /// By chunks, as they come: nothing is collected.
        ///
        /// While a stream or an async sequence has nothing to give, every transfer of every URLSession in the process
        /// waits on Linux, because all read their bodies on one queue. A source that itself needs one never ends.
        case chunked
    }

    /// How the server is told where the body ends.
    public var length: Length
    /// Bytes of a collected body held in memory; what is more goes to a file without a name. Default 10 000 000, as
    /// Alamofire has it. A body of files and memory is neither collected nor held, whatever its size.
    public var memoryThreshold: Int
    /// Where a collected body's file is made; `nil` for `$TMPDIR`, or else `/tmp`.
    public var temporaryFolder: FilePath?
    /// Redirects followed; one more is `URLError.httpTooManyRedirects`. Default 20, as fetch has it. With 0 the first
    /// redirect is the answer.
    public var maximumRedirects: Int
    /// Who answers a 401; `nil` leaves it the answer.
    public var authentication: Authentication?
    /// What the body's readers do besides reading: progress, a rate limit. Sending again begins
    /// anew. A rate limit's pauses hold up the process's other transfers, as ``Length/chunked`` does, and so does an
    /// observer that doesn't return; it may cancel the upload.
    public var reading: ReaderOptions

    /// Fixed length, 20 redirects, no credentials, unless said otherwise.
    public init(
        length: Length = .fixed, memoryThreshold: Int = 10_000_000, temporaryFolder: FilePath? = nil,
        maximumRedirects: Int = 20, authentication: Authentication? = nil, reading: ReaderOptions = ReaderOptions()
    ) {
        self.length = length
        self.memoryThreshold = memoryThreshold
        self.temporaryFolder = temporaryFolder
        self.maximumRedirects = maximumRedirects
        self.authentication = authentication
        self.reading = reading
    }

    /// Answers a 401 with an `Authorization`, upon which the whole body is sent again, once.
    ///
    /// Only the origin that the request was made for is answered, never one it was redirected to.
    public struct Authentication: Sendable {
        let answer: @Sendable (HTTPURLResponse) async throws -> String?

        /// - Parameter answer: Gives the `Authorization` field's value; `nil` leaves the 401 the answer.
        public init(_ answer: @escaping @Sendable (HTTPURLResponse) async throws -> String?) { self.answer = answer }

        /// The Basic scheme (RFC 7617), in UTF-8.
        public static func basic(user: String, password: String) -> Self {
            let value = "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
            return Self { _ in value }
        }
    }
}
