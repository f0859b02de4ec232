#if Transfer
import Metrics

/// The metrics of uploads, through swift-metrics.
struct UploadMetrics: Sendable {
    private let factory: any MetricsFactory
    private let bytes: Counter
    private let files: Counter
    private let inFlight: Meter
    private let duration: Metrics.Timer

    init(_ factory: any MetricsFactory) {
        self.factory = factory
        self.bytes = Counter(label: "formwork_received_bytes_total", factory: factory)
        self.files = Counter(label: "formwork_received_files_total", factory: factory)
        self.inFlight = Meter(label: "formwork_uploads_in_flight", factory: factory)
        self.duration = Metrics.Timer(label: "formwork_upload_seconds", factory: factory)
    }

    func began() { self.inFlight.increment(by: 1) }

    /// Counts a request that was refused because of its head, or for lack of a slot.
    func refused(_ status: Int) {
        Counter(
            label: "formwork_requests_refused_total", dimensions: [("code", "\(status)")], factory: self.factory
        ).increment()
    }

    func ended(_ status: Int, _ receipt: UploadReceipt?, _ duration: Duration) {
        self.inFlight.decrement(by: 1)
        self.duration.record(duration: duration)
        let name = receipt == nil ? "formwork_upload_failures_total" : "formwork_uploads_total"
        Counter(label: name, dimensions: [("code", "\(status)")], factory: self.factory).increment()
        guard let receipt else { return }
        self.files.increment(by: receipt.files.count)
        for file in receipt.files { self.bytes.increment(by: file.size) }
    }
}
#endif
