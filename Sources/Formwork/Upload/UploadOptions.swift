import FormworkCore
import SystemPackage

/// How a body is uploaded, by whichever client: `URLSession`, `HTTPClient`.
public struct UploadOptions: Sendable {
    /// How the server is told where the body ends.
    public struct Length: Sendable, Hashable {
        private enum Kind { case whenKnown, fixed, chunked }

        private let kind: Kind

        /// By `Content-Length` where the plan knows it, else by chunks as they come.
        public static let whenKnown = Length(kind: .whenKnown)
        /// By `Content-Length`, which object stores insist on. A body of unknown length is collected before it is sent,
        /// and so can be sent again too.
        public static let fixed = Length(kind: .fixed)
        /// By chunks, as they come: nothing is collected.
        public static let chunked = Length(kind: .chunked)
    }

    /// How the server is told where the body ends; `nil` for the client's usual way.
    ///
    /// That is ``Length/fixed`` for `URLSession`, where a body that is read while it is sent holds up others: while a
    /// stream or an async sequence has nothing to give, every transfer of every `URLSession` in the process waits on
    /// Linux, and a source that itself needs one never ends. It is ``Length/whenKnown`` for all others.
    public var length: Length?
    /// Bytes of a collected body held in memory; what is more goes to a file without a name. Default 10 000 000, as
    /// Alamofire has it. A body of files and memory is neither collected nor held, whatever its size.
    public var memoryThreshold: Int
    /// Where a collected body's file is made; `nil` for `$TMPDIR`, or else `/tmp`.
    public var temporaryFolder: FilePath?
    /// Redirects followed; one more is the client's own error: `URLError.httpTooManyRedirects`,
    /// `HTTPClientError.redirectLimitReached`. Default 20, as fetch has it. With 0 the first redirect is the answer.
    ///
    /// An `HTTPClient` whose configuration follows redirects takes 301, 302 and 303 of a `POST` away from this count: it
    /// makes them a `GET` by itself.
    public var maximumRedirects: Int
    /// Answers a 401; `nil` leaves the 401 as the answer.
    public var authentication: UploadAuthentication?
    /// When the upload is tried again, with the same bytes; by default never.
    public var retry: RetryPolicy
    /// The longest that it may take until the answer is there (with `HTTPClient`: its header section), all tries, redirects
    /// and pauses included, and collecting the body where that is needed. Beyond it the client's own error is thrown:
    /// `URLError.timedOut`, `HTTPClientError.deadlineExceeded`. `nil`, the default, for as long as it takes; 0 and less
    /// leave no time at all.
    public var timeout: Duration?
    /// Shows how far the upload is; `nil` where that isn't wanted. Each upload needs a monitor of its own.
    public var monitor: UploadMonitor?
    /// What the body's readers do besides reading: a rate limit, digests. Sending again begins anew.
    ///
    /// With `URLSession` a rate limit's pauses hold up the process's other transfers, and so does an observer that doesn't
    /// return; it may cancel the upload.
    public var reading: ReaderOptions

    /// The client's usual length, 20 redirects, no credentials, one try, no time-out, unless said otherwise.
    public init(
        length: Length? = nil, memoryThreshold: Int = 10_000_000, temporaryFolder: FilePath? = nil,
        maximumRedirects: Int = 20, authentication: UploadAuthentication? = nil, retry: RetryPolicy = RetryPolicy(),
        timeout: Duration? = nil, monitor: UploadMonitor? = nil, reading: ReaderOptions = ReaderOptions()
    ) {
        self.length = length
        self.memoryThreshold = memoryThreshold
        self.temporaryFolder = temporaryFolder
        self.maximumRedirects = maximumRedirects
        self.authentication = authentication
        self.retry = retry
        self.timeout = timeout
        self.monitor = monitor
        self.reading = reading
    }

    /// What the readers do, the monitor's counting included.
    package var readerOptions: ReaderOptions {
        guard let monitor else { return self.reading }
        var options = self.reading
        let others = options.progress
        // As often as either wants it: the monitor bounds its own rate.
        let interval = min(others?.interval ?? .milliseconds(10), .milliseconds(10))
        options.progress = ProgressObserver(every: interval) { progress in
            monitor.read(progress.position, of: progress.length)
            others?.report(progress)
        }
        return options
    }
}

/// Answers a 401 with an `Authorization`, upon which the whole body is sent again, once.
///
/// Only the origin that the request was made for is answered, never one it was redirected to.
public struct UploadAuthentication: Sendable {
    /// A 401, as the server sent it.
    public struct Challenge: Sendable {
        /// The URL that was refused.
        public let url: String
        private let values: @Sendable (String) -> [String]

        /// - Parameter values: The values of the answer's fields of a name, in any case.
        package init(url: String, values: @escaping @Sendable (String) -> [String]) {
            (self.url, self.values) = (url, values)
        }

        /// The values of the answer's fields of that name, in any case: `WWW-Authenticate`.
        public func values(of name: String) -> [String] { self.values(name) }
    }

    package let answer: @Sendable (Challenge) async throws -> String?

    /// - Parameter answer: Gives the `Authorization` field's value; `nil` leaves the 401 the answer.
    public init(_ answer: @escaping @Sendable (Challenge) async throws -> String?) { self.answer = answer }

    /// The Basic scheme (RFC 7617), in UTF-8.
    public static func basic(user: String, password: String) -> Self {
        let value = "Basic \(Base64.encode(Array("\(user):\(password)".utf8)))"
        return Self { _ in value }
    }
}
