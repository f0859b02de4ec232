#if Transfer
import FormworkCore
import Metrics
import Synchronization

/// Metrics kept in memory, which can be shown as Prometheus text.
package final class MemoryMetrics: MetricsFactory {
    private enum Kind: String { case counter, gauge, summary }

    /// One metric with its dimensions.
    private final class Value: CounterHandler, FloatingPointCounterHandler, MeterHandler, RecorderHandler,
        TimerHandler
    {
        struct Sum {
            var value = 0.0
            var count = 0
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
            }
        }

        var labels: String {
            let pairs = self.dimensions.map { "\($0.0)=\"\(Self.escaped($0.1))\"" }
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

    package init() {}

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

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.value(label, dimensions, .counter)
    }

    package func makeFloatingPointCounter(
        label: String, dimensions: [(String, String)]
    ) -> any FloatingPointCounterHandler { self.value(label, dimensions, .counter) }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.value(label, dimensions, .gauge)
    }

    package func makeRecorder(
        label: String, dimensions: [(String, String)], aggregate: Bool
    ) -> any RecorderHandler { self.value(label, dimensions, aggregate ? .summary : .gauge) }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.value(label, dimensions, .summary, unit: 1e-9)
    }

    // Values live as long as their factory: a metric that is made again continues.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyFloatingPointCounter(_ handler: any FloatingPointCounterHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    /// The media type of ``prometheusText``.
    static let mediaType = "text/plain; version=0.0.4; charset=utf-8"

    /// All values in Prometheus' text format 0.0.4, sorted by name.
    package var prometheusText: String {
        let values = self.values.withLock { $0.sorted { $0.key < $1.key }.map(\.value) }
        var text = ""
        var typed: Set<String> = []
        for value in values.sorted(by: { $0.label < $1.label }) {
            if typed.insert(value.label).inserted { text += "# TYPE \(value.label) \(value.kind.rawValue)\n" }
            let sum = value.sum.withLock { $0 }
            if value.kind == .summary {
                text += "\(value.label)_sum\(value.labels) \(sum.value)\n"
                text += "\(value.label)_count\(value.labels) \(sum.count)\n"
            } else if sum.value == sum.value.rounded(), abs(sum.value) < 1e15 {
                text += "\(value.label)\(value.labels) \(Int64(clamping: sum.value))\n"
            } else {
                text += "\(value.label)\(value.labels) \(sum.value)\n"
            }
        }
        return text
    }
}
#endif
