#if Transfer
import Metrics

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
#endif
