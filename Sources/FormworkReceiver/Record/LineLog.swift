import Formwork
import FormworkCommand
import FormworkEssentials
import Logging

/// A log with one line per event, on standard error or elsewhere. Logging never waits for a reader: lines that find no
/// room are dropped, and counted in a line of their own.
struct LineLog: LogHandler {
    /// The format of a line.
    enum Form: String, Sendable, CaseIterable {
        /// `2026-11-21T17:00:00Z info received name="a.txt" size=12`
        case text
        /// One JSON object.
        case json
    }

    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level
    private let form: Form
    private let output: OutputQueue

    init(_ form: Form, level: Logger.Level = .info, to output: OutputQueue = StandardError.output) {
        (self.form, self.logLevel, self.output) = (form, level, output)
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { self.metadata[key] }
        set { self.metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let values = self.metadata.merging(event.metadata ?? [:]) { $1 }.mapValues(Self.value)
        let line = Self.line(
            self.form, time: Date.now.formatted(.iso8601), level: event.level.rawValue,
            message: event.message.description, values)
        self.output.enqueue(line) { [form] count in
            Self.line(
                form, time: Date.now.formatted(.iso8601), level: Logger.Level.warning.rawValue,
                message: "lines of the log dropped", ["lines": .integer(Int128(count))])
        }
    }

    /// The value of a key; numbers stay numbers in JSON.
    private static func value(_ value: Logger.MetadataValue) -> ParameterValue {
        guard case .stringConvertible(let value) = value else { return .text("\(value)") }
        return switch value {
        case let value as any BinaryInteger: .integer(Int128(clamping: value))
        case let value as Double: .double(value)
        default: .text("\(value)")
        }
    }

    static func line(
        _ form: Form, time: String, level: String, message: String, _ values: [String: ParameterValue]
    ) -> String {
        switch form {
        case .text:
            let pairs = values.sorted { $0.key < $1.key }.map { " \($0.key)=\(Self.word($0.value))" }
            return "\(time) \(level) \(message.withControlCharactersEscaped)\(pairs.joined())\n"
        case .json:
            var object = values
            (object["time"], object["level"], object["message"]) = (.text(time), .text(level), .text(message))
            // JSON escapes line ends.
            return OrderedJSON.write(.members(object.sorted { $0.key < $1.key })) + "\n"
        }
    }

    /// A plain word as it is, any other value in quotes.
    private static func word(_ value: ParameterValue) -> String {
        guard case .text(let value) = value else { return OrderedJSON.write(value) }
        let isPlain =
            !value.isEmpty && value.utf8.allSatisfy { (0x21...0x7E).contains($0) && $0 != 0x22 && $0 != 0x3D }
        if isPlain { return value }
        // Scalar by scalar: a quote and a mark after it are one `Character`, which isn't equal to a quote.
        let escaped = value.withControlCharactersEscaped
        var quoted = "\"".unicodeScalars
        for scalar in escaped.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
