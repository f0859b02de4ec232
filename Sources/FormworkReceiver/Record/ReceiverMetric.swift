/// The metrics of the receiver, as they are named at `/metrics`.
enum ReceiverMetric: String, CaseIterable, Sendable {
    case connectionsLimit = "formwork_connections_limit"
    case connectionsOpen = "formwork_connections_open"
    case connectionsRefused = "formwork_connections_refused_total"
    case hookMessagesGivenUp = "formwork_hook_messages_given_up_total"
    case hookMessagesPending = "formwork_hook_messages_pending"
    case hookRequests = "formwork_hook_requests_total"
    case hookSeconds = "formwork_hook_seconds"
    case logLinesDropped = "formwork_log_lines_dropped_total"
    case memoryLimit = "formwork_memory_limit_bytes"
    case memoryUsed = "formwork_memory_used_bytes"
    case receivedBytes = "formwork_received_bytes_total"
    case receivedFiles = "formwork_received_files_total"
    case requestsRefused = "formwork_requests_refused_total"
    case resumptions = "formwork_resumptions_total"
    case storeErrors = "formwork_store_errors_total"
    case storeRequestSeconds = "formwork_store_request_seconds"
    case storeRetries = "formwork_store_retries_total"
    case uploadFailures = "formwork_upload_failures_total"
    case uploadSeconds = "formwork_upload_seconds"
    case uploadSlotsLimit = "formwork_upload_slots_limit"
    case uploadSlotsUsed = "formwork_upload_slots_used"
    case uploads = "formwork_uploads_total"
    case uploadsInFlight = "formwork_uploads_in_flight"

    /// Prometheus' types of metrics.
    enum Kind: String, Sendable { case counter, gauge, histogram, summary }

    var kind: Kind { self.description.kind }
    /// The names of its labels.
    var labels: [String] { self.description.labels }
    /// What it counts, in one line.
    var help: String { self.description.help }

    private var description: (kind: Kind, labels: [String], help: String) {
        switch self {
        case .connectionsLimit: (.gauge, [], "The most connections that are accepted at once.")
        case .connectionsOpen: (.gauge, [], "Connections that are open.")
        case .connectionsRefused: (.counter, [], "Connections that were closed because their client had too many.")
        case .hookMessagesGivenUp: (.counter, [], "Messages to the hook that were dropped after three days.")
        case .hookMessagesPending:
            (.gauge, [], "Messages to the hook without a 2xx answer yet, counted once a minute.")
        case .hookRequests:
            (
                .counter, ["event", "code"],
                "Requests to the hook, by event and status; without an answer, code is error."
            )
        case .hookSeconds: (.summary, ["event"], "How long requests to the hook took, by event.")
        case .logLinesDropped: (.counter, [], "Lines of the log that were dropped because nothing read them.")
        case .memoryLimit: (.gauge, [], "The memory of all uploads together: --memory.")
        case .memoryUsed: (.gauge, [], "Memory that uploads have reserved or use, with --memory.")
        case .receivedBytes: (.counter, [], "Bytes of files that were stored.")
        case .receivedFiles: (.counter, [], "Files that were stored.")
        case .requestsRefused:
            (
                .counter, ["code", "reason"],
                "Requests that were refused before their body was read, by status and reason."
            )
        case .resumptions:
            (.counter, [], "Requests that added bytes to an unfinished upload that had some already.")
        case .storeErrors:
            (
                .counter, ["operation", "reason"],
                "Tries of requests to the object store that failed, by operation and reason: connection, unreadable, or a status other than 404 and 412."
            )
        case .storeRequestSeconds:
            (
                .histogram, ["operation"],
                "How long tries of requests to the object store took, by operation, failed ones included."
            )
        case .storeRetries: (.counter, ["operation"], "Retries of requests to the object store, by operation.")
        case .uploadFailures: (.counter, ["code"], "Uploads that failed after they had begun, by status.")
        case .uploadSeconds: (.summary, [], "How long uploads took, failed ones included.")
        case .uploadSlotsLimit: (.gauge, [], "The most uploads at once: --max-uploads.")
        case .uploadSlotsUsed:
            (.gauge, [], "Uploads at once that count for --max-uploads: those that send bytes or are processed.")
        case .uploads: (.counter, ["code"], "Uploads that were stored, by status.")
        case .uploadsInFlight: (.gauge, [], "Uploads whose files are being stored.")
        }
    }

    /// The upper bounds of a histogram's buckets, in seconds.
    static let buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
}

/// Why a request was refused before its body was read.
enum RefusalReason: String, Sendable {
    case badRequest = "bad_request"
    case clientLimit = "client_limit"
    case condition
    case credentials
    case forbidden
    case memory
    case notFound = "not_found"
    case noRoom = "no_room"
    case size
    case stopping
    case timeout
    case tries
    case unavailable
    case unfinishedLimit = "unfinished_limit"
    case unsupported
    case uploadsLimit = "uploads_limit"

    /// The reason that a status shows.
    init(status: Int) {
        self =
            switch status {
            case 401: .credentials
            case 403: .forbidden
            case 404: .notFound
            case 405, 415, 501, 505: .unsupported
            case 408: .timeout
            case 409, 412: .condition
            case 411, 413, 414, 431: .size
            case 429: .tries
            case 507: .noRoom
            case 500...: .unavailable
            default: .badRequest
            }
    }

    init(_ lack: UploadSlots.Lack) {
        self =
            switch lack {
            case .all: .uploadsLimit
            case .client: .clientLimit
            case .stopping: .stopping
            }
    }
}
