import Metrics

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

    var kind: Kind {
        switch self {
        case .connectionsLimit, .connectionsOpen, .hookMessagesPending, .memoryLimit, .memoryUsed, .uploadSlotsLimit,
            .uploadSlotsUsed, .uploadsInFlight:
            .gauge
        case .hookSeconds, .uploadSeconds: .summary
        case .storeRequestSeconds: .histogram
        default: .counter
        }
    }

    /// The names of its labels.
    var labels: [String] {
        switch self {
        case .hookRequests: ["event", "code"]
        case .hookSeconds: ["event"]
        case .requestsRefused: ["code", "reason"]
        case .storeErrors: ["operation", "reason"]
        case .storeRequestSeconds, .storeRetries: ["operation"]
        case .uploadFailures, .uploads: ["code"]
        default: []
        }
    }

    /// What it counts, in one line.
    var help: String {
        switch self {
        case .connectionsLimit: "The most connections that are accepted at once."
        case .connectionsOpen: "Connections that are open."
        case .connectionsRefused: "Connections that were closed because their client had too many."
        case .hookMessagesGivenUp: "Messages to the hook that were dropped after three days."
        case .hookMessagesPending:
            "Messages to the hook without a 2xx answer yet, counted once a minute."
        case .hookRequests: "Requests to the hook, by event and status; without an answer, code is error."
        case .hookSeconds: "How long requests to the hook took, by event."
        case .logLinesDropped: "Lines of the log that were dropped because nothing read them."
        case .memoryLimit: "The memory of all uploads together: --memory."
        case .memoryUsed: "Memory that uploads have reserved or use, with --memory."
        case .receivedBytes: "Bytes of files that were stored."
        case .receivedFiles: "Files that were stored."
        case .requestsRefused: "Requests that were refused before their body was read, by status and reason."
        case .resumptions: "Requests that added bytes to an unfinished upload that had some already."
        case .storeErrors:
            "Tries of requests to the object store that failed, by operation and reason: connection, unreadable, or a status other than 404 and 412."
        case .storeRequestSeconds:
            "How long tries of requests to the object store took, by operation, failed ones included."
        case .storeRetries: "Retries of requests to the object store, by operation."
        case .uploadFailures: "Uploads that failed after they had begun, by status."
        case .uploadSeconds: "How long uploads took, failed ones included."
        case .uploadSlotsLimit: "The most uploads at once: --max-uploads."
        case .uploadSlotsUsed: "Uploads at once that count for --max-uploads: those that send bytes or are processed."
        case .uploads: "Uploads that were stored, by status."
        case .uploadsInFlight: "Uploads whose files are being stored."
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

/// The metrics of uploads, through swift-metrics.
struct UploadMetrics: Sendable {
    private let factory: any MetricsFactory
    private let bytes: Counter
    private let files: Counter
    private let inFlight: Meter
    private let duration: Metrics.Timer
    private let resumptions: Counter

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        self.bytes = Counter(label: ReceiverMetric.receivedBytes.rawValue, factory: factory)
        self.files = Counter(label: ReceiverMetric.receivedFiles.rawValue, factory: factory)
        self.inFlight = Meter(label: ReceiverMetric.uploadsInFlight.rawValue, factory: factory)
        self.resumptions = Counter(label: ReceiverMetric.resumptions.rawValue, factory: factory)
        self.duration = Metrics.Timer(label: ReceiverMetric.uploadSeconds.rawValue, factory: factory)
    }

    /// Counts a request that adds to an unfinished upload.
    func resumed() { self.resumptions.increment() }

    func began() { self.inFlight.increment(by: 1) }

    /// Counts a request that was refused because of its head, or for lack of a slot.
    func refused(_ status: Int, _ reason: RefusalReason) {
        Counter(
            label: ReceiverMetric.requestsRefused.rawValue,
            dimensions: [("code", "\(status)"), ("reason", reason.rawValue)], factory: self.factory
        ).increment()
    }

    /// Counts a repeated upload that failed.
    func failed(_ status: Int) {
        Counter(
            label: ReceiverMetric.uploadFailures.rawValue, dimensions: [("code", "\(status)")], factory: self.factory
        ).increment()
    }

    /// - Parameter status: `nil` if another receiver completes the upload, and counts it.
    func ended(_ status: Int?, _ receipt: UploadReceipt?, _ duration: Duration) {
        self.inFlight.decrement(by: 1)
        guard let status else { return }
        self.duration.record(duration: duration)
        let metric = receipt == nil ? ReceiverMetric.uploadFailures : .uploads
        Counter(label: metric.rawValue, dimensions: [("code", "\(status)")], factory: self.factory).increment()
        guard let receipt else { return }
        self.files.increment(by: receipt.files.count)
        for file in receipt.files { self.bytes.increment(by: file.size) }
    }
}
