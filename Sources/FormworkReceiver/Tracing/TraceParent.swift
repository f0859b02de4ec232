#if Transfer
import FormworkCore
import Tracing

/// The place of a span in its trace: the value of `traceparent` (W3C Trace Context, section 3.2).
struct TraceParent: Hashable, Sendable {
    /// 32 hexadecimal digits.
    var trace: String
    /// 16 hexadecimal digits.
    var span: String
    /// Whether the spans of the trace are wanted.
    var isSampled: Bool
    /// The value of `tracestate`, which is passed on.
    var state: String?

    /// The parent of a new trace's first span.
    init(trace: String, span: String, isSampled: Bool, state: String? = nil) {
        (self.trace, self.span, self.isSampled, self.state) = (trace, span, isSampled, state)
    }

    /// - Returns: `nil` for a value that isn't valid: then a new trace begins.
    init?(_ value: String) {
        let parts = value.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count >= 4, parts[0] != "ff", parts.count == 4 || parts[0] != "00",
            zip([2, 32, 16, 2], parts).allSatisfy({ $1.utf8.count == $0 && $1.utf8.allSatisfy(Self.isDigit) }),
            parts[1].contains(where: { $0 != "0" }), parts[2].contains(where: { $0 != "0" }),
            let flags = UInt8(parts[3], radix: 16)
        else { return nil }
        (self.trace, self.span) = (String(parts[1]), String(parts[2]))
        self.isSampled = flags & 1 == 1
    }

    /// Lower case only.
    private static func isDigit(_ byte: UInt8) -> Bool { 0x30...0x39 ~= byte || 0x61...0x66 ~= byte }

    var text: String { "00-\(self.trace)-\(self.span)-\(self.isSampled ? "01" : "00")" }

    /// The first span of a new trace, or the next one of this.
    static func next(after parent: TraceParent?) -> TraceParent {
        var next =
            parent ?? TraceParent(trace: Self.word(bytes: 16), span: "", isSampled: true)
        next.span = Self.word(bytes: 8)
        return next
    }

    /// Random hexadecimal digits, which aren't all 0.
    private static func word(bytes count: Int) -> String {
        let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max) }
        return bytes.allSatisfy { $0 == 0 } ? self.word(bytes: count) : Hex.text(bytes)
    }
}

extension InstrumentationContext {
    private enum Key: InstrumentationContextKey { typealias Value = TraceParent }

    var traceParent: TraceParent? {
        get { self[Key.self] }
        set { self[Key.self] = newValue }
    }
}
#endif
