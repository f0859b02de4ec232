import Metrics

/// The metrics of requests to an object store, through swift-metrics.
struct StoreMetrics: Sendable {
    private let factory: any MetricsFactory

    init(_ factory: any MetricsFactory) { self.factory = factory }

    /// One try has ended.
    func tried(_ operation: String, _ duration: Duration, _ error: S3Error?) {
        Metrics.Timer(
            label: ReceiverMetric.storeRequestSeconds.rawValue, dimensions: [("operation", operation)],
            factory: self.factory
        ).record(duration: duration)
        // With 404 and 412 a store answers a question, such as whether a name is free.
        guard let error, ![404, 412].contains(error.status) else { return }
        self.count(.storeErrors, [("operation", operation), ("reason", error.label)])
    }

    /// A request is about to be tried again.
    func willRetry(_ operation: String) { self.count(.storeRetries, [("operation", operation)]) }

    private func count(_ metric: ReceiverMetric, _ dimensions: [(String, String)]) {
        Counter(label: metric.rawValue, dimensions: dimensions, factory: self.factory).increment()
    }
}

extension S3Error {
    /// The reason as a label: few values, whatever the store sends.
    var label: String {
        switch self.reason {
        case .answer(let status, _, _, _): "\(status)"
        case .connection: "connection"
        case .overtaken: "overtaken"
        case .unreadable: "unreadable"
        }
    }
}
