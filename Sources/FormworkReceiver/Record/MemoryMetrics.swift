import Synchronization

/// Metrics kept in memory, which are shown as Prometheus text.
final class MemoryMetrics: Sendable {
    /// A metric's values with the same labels.
    private struct Sum {
        var value = 0.0
        var count = 0
        /// The number of values up to each bound of a histogram, but not up to the one before.
        var buckets = Array(repeating: 0, count: ReceiverMetric.buckets.count)
    }

    /// By the values of their labels, which are in the order of ``ReceiverMetric/labels``. Those without labels are shown before
    /// they are counted first.
    private let sums = Mutex<[ReceiverMetric: [[String]: Sum]]>([
        .receivedBytes: [[]: Sum()], .receivedFiles: [[]: Sum()], .resumptions: [[]: Sum()],
        .uploadSeconds: [[]: Sum()],
        .uploadsInFlight: [[]: Sum()],
    ])

    private func change(_ metric: ReceiverMetric, _ labels: [String], _ body: (inout Sum) -> Void) {
        self.sums.withLock { body(&$0[metric, default: [:]][labels, default: Sum()]) }
    }

    /// Counts events, or changes a gauge.
    func count(_ metric: ReceiverMetric, _ labels: String..., by amount: Int64 = 1) {
        self.change(metric, labels) { $0.value += Double(amount) }
    }

    /// Records how long something took.
    func record(_ duration: Duration, _ metric: ReceiverMetric, _ labels: String...) {
        let seconds = duration / .seconds(1)
        self.change(metric, labels) { sum in
            sum.value += seconds
            sum.count += 1
            if let index = ReceiverMetric.buckets.firstIndex(where: { seconds <= $0 }) { sum.buckets[index] += 1 }
        }
    }

    /// Shows values that are counted elsewhere.
    func show(_ values: [ReceiverMetric: Int]) {
        for (metric, value) in values { self.change(metric, []) { $0.value = Double(value) } }
    }

    /// A request was refused because of its head, or for lack of a slot.
    /// - Parameter reason: `nil` for the one that the status shows.
    func refused(_ status: Int, _ reason: RefusalReason? = nil) {
        self.count(.requestsRefused, "\(status)", (reason ?? RefusalReason(status: status)).rawValue)
    }

    /// An upload has ended.
    /// - Parameters:
    ///   - status: `nil` if another receiver completes the upload, and counts it.
    ///   - receipt: What was stored; `nil` if it failed.
    func ended(_ status: Int?, _ receipt: UploadReceipt?, _ duration: Duration) {
        self.count(.uploadsInFlight, by: -1)
        guard let status else { return }
        self.record(duration, .uploadSeconds)
        self.count(receipt == nil ? .uploadFailures : .uploads, "\(status)")
        guard let receipt else { return }
        self.count(.receivedFiles, by: Int64(receipt.files.count))
        self.count(.receivedBytes, by: receipt.files.reduce(0) { $0 + $1.size })
    }

    /// The media type of ``prometheusText``.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// All values in Prometheus' text format 0.0.4, sorted by name. Metrics without a value have their name and type.
    var prometheusText: String {
        let sums = self.sums.withLock { $0 }
        return ReceiverMetric.all.map { metric in
            let name = metric.name
            let lines = (sums[metric] ?? [:]).map { Self.lines(metric, $0, $1) }.sorted().joined()
            return "# HELP \(name) \(metric.help)\n# TYPE \(name) \(metric.kind.rawValue)\n\(lines)"
        }.joined()
    }

    private static func lines(_ metric: ReceiverMetric, _ values: [String], _ sum: Sum) -> String {
        let (name, pairs) = (metric.name, Array(zip(metric.labels, values)))
        func line(_ suffix: String, _ value: String, _ more: [(String, String)] = []) -> String {
            // No label has text of a client, a store or a hook, so none has to be escaped.
            let labels = (pairs + more).map { "\($0)=\"\($1)\"" }.joined(separator: ",")
            return "\(name)\(suffix)\(labels.isEmpty ? "" : "{\(labels)}") \(value)\n"
        }
        let totals = line("_sum", "\(sum.value)") + line("_count", "\(sum.count)")
        switch metric.kind {
        case .counter, .gauge: return line("", "\(Int64(sum.value))")
        case .summary: return totals
        case .histogram:
            var count = 0
            let buckets = zip(ReceiverMetric.buckets, sum.buckets).map { bound, more in
                count += more
                return line("_bucket", "\(count)", [("le", bound == bound.rounded() ? "\(Int(bound))" : "\(bound)")])
            }
            return buckets.joined() + line("_bucket", "\(sum.count)", [("le", "+Inf")]) + totals
        }
    }
}
