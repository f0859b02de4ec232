/// A metric of the receiver, as it is named at `/metrics`.
struct ReceiverMetric: Hashable, Sendable {
    /// Prometheus' types of metrics.
    enum Kind: String, Sendable { case counter, gauge, histogram, summary }

    let name: String
    let kind: Kind
    /// The names of its labels.
    let labels: [String]
    /// What it counts, in one line.
    let help: String

    private init(_ name: String, _ kind: Kind, _ help: String, _ labels: [String] = []) {
        (self.name, self.kind, self.help, self.labels) = (name, kind, help, labels)
    }

    static func == (one: Self, other: Self) -> Bool { one.name == other.name }
    func hash(into hasher: inout Hasher) { hasher.combine(self.name) }

    static let connectionsLimit = Self(
        "formwork_connections_limit", .gauge, "The most connections that are accepted at once.")
    static let connectionsOpen = Self("formwork_connections_open", .gauge, "Connections that are open.")
    static let connectionsRefused = Self(
        "formwork_connections_refused_total", .counter,
        "Connections that were closed because their client had too many.")
    static let hookMessagesGivenUp = Self(
        "formwork_hook_messages_given_up_total", .counter, "Messages to the hook that were dropped after three days.")
    static let hookMessagesPending = Self(
        "formwork_hook_messages_pending", .gauge,
        "Messages to the hook without a 2xx answer yet, counted once a minute.")
    static let hookRequests = Self(
        "formwork_hook_requests_total", .counter,
        "Requests to the hook, by event and status; without an answer, code is error.", ["event", "code"])
    static let hookSeconds = Self(
        "formwork_hook_seconds", .summary, "How long requests to the hook took, by event.", ["event"])
    static let logLinesDropped = Self(
        "formwork_log_lines_dropped_total", .counter, "Lines of the log that were dropped because nothing read them.")
    static let memoryLimit = Self(
        "formwork_memory_limit_bytes", .gauge, "The memory of all uploads together: --memory.")
    static let memoryUsed = Self(
        "formwork_memory_used_bytes", .gauge, "Memory that uploads have reserved or use, with --memory.")
    static let receivedBytes = Self("formwork_received_bytes_total", .counter, "Bytes of files that were stored.")
    static let receivedFiles = Self("formwork_received_files_total", .counter, "Files that were stored.")
    static let requestsRefused = Self(
        "formwork_requests_refused_total", .counter,
        "Requests that were refused before their body was read, by status and reason.", ["code", "reason"])
    static let resumptions = Self(
        "formwork_resumptions_total", .counter,
        "Requests that added bytes to an unfinished upload that had some already.")
    static let storeErrors = Self(
        "formwork_store_errors_total", .counter,
        "Tries of requests to the object store that failed, by operation and reason: connection, unreadable, or a status other than 404 and 412.",
        ["operation", "reason"])
    static let storeRequestSeconds = Self(
        "formwork_store_request_seconds", .histogram,
        "How long tries of requests to the object store took, by operation, failed ones included.", ["operation"])
    static let storeRetries = Self(
        "formwork_store_retries_total", .counter,
        "Retries of requests to the object store, by operation.", ["operation"])
    static let uploadFailures = Self(
        "formwork_upload_failures_total", .counter, "Uploads that failed after they had begun, by status.", ["code"])
    static let uploadSeconds = Self("formwork_upload_seconds", .summary, "How long uploads took, failed ones included.")
    static let uploadSlotsLimit = Self(
        "formwork_upload_slots_limit", .gauge, "The most uploads at once: --max-uploads.")
    static let uploadSlotsUsed = Self(
        "formwork_upload_slots_used", .gauge,
        "Uploads at once that count for --max-uploads: those that send bytes or are processed.")
    static let uploads = Self("formwork_uploads_total", .counter, "Uploads that were stored, by status.", ["code"])
    static let uploadsInFlight = Self("formwork_uploads_in_flight", .gauge, "Uploads whose files are being stored.")

    /// All, sorted by name.
    static let all = [
        connectionsLimit, connectionsOpen, connectionsRefused, hookMessagesGivenUp, hookMessagesPending, hookRequests,
        hookSeconds, logLinesDropped, memoryLimit, memoryUsed, receivedBytes, receivedFiles, requestsRefused,
        resumptions, storeErrors, storeRequestSeconds, storeRetries, uploadFailures, uploadSeconds, uploadSlotsLimit,
        uploadSlotsUsed, uploadsInFlight, uploads,
    ]

    /// The upper bounds of a histogram's buckets, in seconds.
    static let buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
}
