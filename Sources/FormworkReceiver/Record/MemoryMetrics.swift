import FormworkCore
import Metrics
import Synchronization

/// Metrics kept in memory, which can be shown as Prometheus text.
final class MemoryMetrics: MetricsFactory {
    private typealias Kind = ReceiverMetric.Kind

    /// One metric with its dimensions.
    private final class Value: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
        TimerHandler
    {
        struct Sum {
            var value = 0.0
            var count = 0
            /// The number of values up to each bound of a histogram, but not up to the one before.
            var buckets: [Int] = []
        }

        let label: String
        let dimensions: [(String, String)]
        let kind: Kind
        /// The recorded unit as a multiple of the shown unit: nanoseconds are shown as seconds.
        let unit: Double
        let sum = Mutex(Sum())

        init(_ label: String, _ dimensions: [(String, String)], _ kind: Kind, unit: Double = 1) {
            (self.label, self.dimensions, self.kind, self.unit) = (label, dimensions, kind, unit)
        }

        func increment(by amount: Int64) { self.add(Double(amount)) }
        func increment(by amount: Double) { self.add(amount) }
        func decrement(by amount: Double) { self.add(-amount) }
        func reset() { self.sum.withLock { $0 = Sum() } }
        func set(_ value: Int64) { self.sum.withLock { $0.value = Double(value) } }
        func set(_ value: Double) { self.sum.withLock { $0.value = value } }
        func record(_ value: Int64) { self.add(Double(value)) }
        func record(_ value: Double) { self.add(value) }
        func recordNanoseconds(_ duration: Int64) { self.add(Double(duration)) }

        private func add(_ amount: Double) {
            self.sum.withLock { sum in
                sum.value += amount * self.unit
                sum.count += 1
                guard self.kind == .histogram else { return }
                let bounds = ReceiverMetric.buckets
                if sum.buckets.isEmpty { sum.buckets = Array(repeating: 0, count: bounds.count) }
                if let index = bounds.firstIndex(where: { amount * self.unit <= $0 }) { sum.buckets[index] += 1 }
            }
        }

        var labels: String { self.labels() }

        /// The labels, and another one.
        func labels(_ more: (String, String)? = nil) -> String {
            let pairs = (self.dimensions + [more].compactMap(\.self)).map { "\($0.0)=\"\(Self.escaped($0.1))\"" }
            return pairs.isEmpty ? "" : "{\(pairs.joined(separator: ","))}"
        }

        private static func escaped(_ text: String) -> String {
            text.reduce(into: "") { line, character in
                switch character {
                case "\\": line += "\\\\"
                case "\"": line += "\\\""
                case "\n", "\r\n": line += "\\n"
                default: line.append(character)
                }
            }
        }
    }

    private let values = Mutex([String: Value]())

    init() {}

    private func value(
        _ label: String, _ dimensions: [(String, String)], _ kind: Kind, unit: Double = 1
    ) -> Value {
        let new = Value(label, dimensions, kind, unit: unit)
        return self.values.withLock { values in
            let key = label + new.labels
            if let value = values[key] { return value }
            values[key] = new
            return new
        }
    }

    /// Shows values that are counted elsewhere.
    func show(_ values: [ReceiverMetric: Int]) {
        for (metric, value) in values { self.value(metric.rawValue, [], metric.kind).set(Int64(clamping: value)) }
    }

    func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.value(label, dimensions, .counter)
    }

    func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { self.value(label, dimensions, .counter) }

    func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.value(label, dimensions, .gauge)
    }

    func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { self.value(label, dimensions, aggregate ? .summary : .gauge) }

    func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        let kind = ReceiverMetric(rawValue: label)?.kind == .histogram ? Kind.histogram : .summary
        return self.value(label, dimensions, kind, unit: 1e-9)
    }

    // Values live as long as their factory: a metric that is made again continues.
    func destroyCounter(_ handler: any CounterHandler) {}
    func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    func destroyMeter(_ handler: any MeterHandler) {}
    func destroyRecorder(_ handler: any RecorderHandler) {}
    func destroyTimer(_ handler: any TimerHandler) {}

    /// The media type of ``prometheusText``.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// All values in Prometheus' text format 0.0.4, sorted by name. Metrics without a value have their name and type.
    var prometheusText: String {
        let values = self.values.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        let known = Dictionary(grouping: values, by: \.label)
        var text = ""
        for label in Set(known.keys).union(ReceiverMetric.allCases.map(\.rawValue)).sorted() {
            let metric = ReceiverMetric(rawValue: label)
            if let metric { text += "# HELP \(label) \(metric.help)\n" }
            let kind = known[label]?.first?.kind ?? metric?.kind ?? .counter
            text += "# TYPE \(label) \(kind.rawValue)\n"
            for value in known[label] ?? [] { text += Self.lines(value) }
        }
        return text
    }

    private static func lines(_ value: Value) -> String {
        let sum = value.sum.withLock { $0 }
        var text = ""
        switch value.kind {
        case .histogram:
            var count = 0
            for (bound, more) in zip(ReceiverMetric.buckets, sum.buckets) {
                count += more
                let shown = bound == bound.rounded() ? "\(Int(bound))" : "\(bound)"
                text += "\(value.label)_bucket\(value.labels(("le", shown))) \(count)\n"
            }
            text += "\(value.label)_bucket\(value.labels(("le", "+Inf"))) \(sum.count)\n"
            fallthrough
        case .summary:
            text += "\(value.label)_sum\(value.labels) \(sum.value)\n"
            text += "\(value.label)_count\(value.labels) \(sum.count)\n"
        case .counter, .gauge:
            let isWhole = sum.value == sum.value.rounded() && abs(sum.value) < 1e15
            text += "\(value.label)\(value.labels) \(isWhole ? "\(Int64(clamping: sum.value))" : "\(sum.value)")\n"
        }
        return text
    }
}
