/// How a body is uploaded, with `URLSession`, `HTTPClient` or another client.
///
/// ```swift
/// let options = UploadOptions(
///     length: .fixed, authentication: .basic(user: "harbour", password: "master"), retry: RetryPolicy(count: 3),
///     timeout: .seconds(60))
/// ```
///
/// Pass it to `URLSession.upload(_:with:options:)` of FormworkFoundation or to `HTTPClient.upload(_:with:options:)` of
/// FormworkClient. It is a value and can be used for any number of uploads, except for its ``monitor``: each upload
/// needs its own.
///
/// The body is sent again after a redirect, a 401 or a failure only if its plan is replayable, see
/// ``BodyPlan/replayBlocker``. ``length`` may change that, because a collected body always is.
public struct UploadOptions: Sendable {
    /// How the length of the body is sent.
    public struct Length: Sendable, Hashable {
        private enum Kind { case whenKnown, fixed, chunked }

        private let kind: Kind

        /// With `Content-Length` if the plan knows it, otherwise chunked.
        public static let whenKnown = Length(kind: .whenKnown)
        /// With `Content-Length`, which object stores require. A body of unknown length is collected before it is sent,
        /// so it can also be sent again.
        public static let fixed = Length(kind: .fixed)
        /// Chunked. Nothing is collected.
        public static let chunked = Length(kind: .chunked)
    }

    /// How the length of the body is sent; `nil` for the client's default.
    ///
    /// The default is ``Length/fixed`` for `URLSession`, because on Linux a body that is read while it is sent can
    /// block others: while a stream or an async sequence has no bytes, every transfer of every `URLSession` in the
    /// process waits, and a source that itself needs a transfer never ends. It is ``Length/whenKnown`` for all other
    /// clients.
    public var length: Length?
    /// The most bytes of a collected body in memory. A larger one is stored in a file without a name. Default
    /// 10,000,000, as in Alamofire. A body of files and memory is never collected, whatever its size.
    public var memoryThreshold: Int
    /// The folder of a collected body's file; `nil` for `$TMPDIR`, or `/tmp` without it.
    public var temporaryFolder: FilePath?
    /// The most redirects to follow. One more is the client's error: `URLError.httpTooManyRedirects`,
    /// `HTTPClientError.redirectLimitReached`, `TransferError`. Default 20, as in fetch. With 0 or less the first
    /// redirect is the answer.
    ///
    /// This doesn't count 301, 302 and 303 after a `POST` if the `HTTPClient`'s configuration follows redirects: it
    /// turns them into a `GET` itself. Such a client also refuses a redirect to a URL that it has just requested:
    /// `HTTPClientError.redirectCycleDetected`.
    public var maximumRedirects: Int
    /// Whether credentials follow a redirect, or a resumable upload's URL, to another origin: `Authorization`, `Cookie`,
    /// fields whose names show that they carry credentials (such as `X-Api-Key`), and ``authentication``. Default
    /// `false`: only the request's own origin gets them. `true` is curl's `--location-trusted`.
    ///
    /// It doesn't change redirects that an `HTTPClient` follows itself.
    public var trustsRedirects: Bool
    /// The credentials for a 401. With `nil` the 401 is the answer.
    ///
    /// A body that can be read only once can't be sent again after it: ``FormworkError/Code/notReplayable``. Send
    /// `Authorization` with the first request then.
    public var authentication: UploadAuthentication?
    /// When the upload is retried with the same bytes; by default never.
    public var retry: RetryPolicy
    /// The most time until the answer has arrived (with `HTTPClient`: its header section), including all tries,
    /// redirects and pauses, and collecting the body if needed. After it, the client's error is thrown:
    /// `URLError.timedOut`, `HTTPClientError.deadlineExceeded`. `nil`, the default, means no limit; 0 or less fails at
    /// once.
    public var timeout: Duration?
    /// Reports the upload's progress; `nil` for none. Each upload needs its own monitor.
    public var monitor: UploadMonitor?
    /// Additional work of the body's readers, such as a rate limit and digests. Each try starts again.
    ///
    /// With `URLSession`, a rate limit's pauses delay the process's other transfers, and so does an observer that
    /// doesn't return. The observer may cancel the upload.
    public var reading: ReaderOptions

    /// Options. By default: the client's usual length, 20 redirects, no credentials, one try, no time-out.
    public init(
        length: Length? = nil, memoryThreshold: Int = 10_000_000, temporaryFolder: FilePath? = nil,
        maximumRedirects: Int = 20, trustsRedirects: Bool = false, authentication: UploadAuthentication? = nil,
        retry: RetryPolicy = RetryPolicy(), timeout: Duration? = nil, monitor: UploadMonitor? = nil,
        reading: ReaderOptions = ReaderOptions()
    ) {
        self.length = length
        self.memoryThreshold = memoryThreshold
        self.temporaryFolder = temporaryFolder
        self.maximumRedirects = maximumRedirects
        self.trustsRedirects = trustsRedirects
        self.authentication = authentication
        self.retry = retry
        self.timeout = timeout
        self.monitor = monitor
        self.reading = reading
    }

    /// The readers' options, including the monitor's counting.
    package var readerOptions: ReaderOptions {
        var options = self.reading
        options.monitor = self.monitor
        return options
    }
}

/// Answers a 401 with an `Authorization`. The whole body is then sent again, once.
///
/// It is used only for the origin of the original request, not for one it was redirected to, unless
/// ``UploadOptions/trustsRedirects`` is `true`.
public struct UploadAuthentication: Sendable {
    /// A 401, as the server sent it.
    package struct Challenge: Sendable {
        fileprivate let url: String
        fileprivate let values: @Sendable (String) -> [String]

        /// - Parameters:
        ///   - url: The URL that was refused.
        ///   - values: Returns the values of the answer's fields with a case-insensitive name.
        package init(url: String, values: @escaping @Sendable (String) -> [String]) {
            (self.url, self.values) = (url, values)
        }
    }

    private let authorization: @Sendable (String, [String]) async throws -> String?

    /// - Parameter answer: Returns the value of `Authorization`, from the URL that was refused and the values of
    ///   `WWW-Authenticate`. With `nil` the 401 is the answer.
    public init(_ answer: @escaping @Sendable (_ url: String, _ challenges: [String]) async throws -> String?) {
        self.authorization = answer
    }

    package func answer(_ challenge: Challenge) async throws -> String? {
        try await self.authorization(challenge.url, challenge.values("WWW-Authenticate"))
    }

    /// The Basic scheme (RFC 7617), in UTF-8. After a 401 the upload throws ``FormworkError/Code/invalidArgument`` for a
    /// user's name with a colon, which would be read as the end of the name.
    public static func basic(user: String, password: String) -> Self {
        let value = BasicCredentials(user: user, password: password).fieldValue
        let isReadable = !user.utf8.contains(UInt8(ascii: ":"))
        return Self { _, _ in
            guard isReadable else {
                throw FormworkError(.invalidArgument, "a user's name in the Basic scheme can't have a colon (RFC 7617)")
            }
            return value
        }
    }
}

/// A user and password for the Basic scheme (RFC 7617), in UTF-8.
package struct BasicCredentials: Hashable, Sendable {
    /// The user's name, without a colon.
    var user: String
    /// The password; empty for none.
    var password: String

    /// A user and a password.
    package init(user: String, password: String) { (self.user, self.password) = (user, password) }

    /// The value of `Authorization` or `Proxy-Authorization`.
    package var fieldValue: String { "Basic \(Base64.encode(Array("\(self.user):\(self.password)".utf8)))" }
}

extension UploadOptions {
    /// Runs an upload, and reports its progress on the caller's actor.
    /// - Parameter report: Called as often as ``UploadMonitor/progress`` has a value; `nil` for no reports.
    package func reporting<Answer: Sendable>(
        _ report: ((UploadProgress) -> Void)?, isolation: isolated (any Actor)? = #isolation,
        _ upload: @escaping @Sendable (UploadOptions) async throws -> Answer
    ) async throws -> Answer {
        guard let report else { return try await upload(self) }
        let monitor = self.monitor ?? UploadMonitor()
        var options = self
        options.monitor = monitor
        async let answer = upload(options)
        for await progress in monitor.progress { report(progress) }
        return try await answer
    }
}
