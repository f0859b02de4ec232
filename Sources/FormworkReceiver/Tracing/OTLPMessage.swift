#if Transfer
import Tracing

/// Spans as a collector of OpenTelemetry reads them (OTLP 1, JSON encoding).
struct OTLPMessage: Encodable, Sendable {
    struct Attribute: Encodable, Sendable {
        struct Value: Encodable, Sendable {
            var stringValue: String?
            /// JSON has no integers of 64 bits.
            var intValue: String?
            var doubleValue: Double?
            var boolValue: Bool?
        }

        var key: String
        var value: Value
    }

    struct Status: Encodable, Sendable {
        /// 1 for OK, 2 for an error.
        var code: Int
        var message: String?

        init(_ status: SpanStatus) {
            self.code = status.code == .error ? 2 : 1
            self.message = status.message
        }
    }

    struct Event: Encodable, Sendable {
        var timeUnixNano: String
        var name: String
        var attributes: [Attribute]

        init(_ event: SpanEvent) {
            (self.timeUnixNano, self.name) = ("\(event.nanosecondsSinceEpoch)", event.name)
            self.attributes = .init(event.attributes)
        }
    }

    struct Link: Encodable, Sendable {
        var traceId: String
        var spanId: String
        var attributes: [Attribute]

        /// - Returns: `nil` for a span of another tracer.
        init?(_ link: SpanLink) {
            guard let place = link.context.traceParent else { return nil }
            (self.traceId, self.spanId, self.attributes) = (place.trace, place.span, .init(link.attributes))
        }
    }

    struct Span: Encodable, Sendable {
        var traceId: String
        var spanId: String
        var parentSpanId: String?
        var traceState: String?
        var name: String
        var kind: Int
        var startTimeUnixNano: String
        var endTimeUnixNano: String
        var attributes: [Attribute]
        var events: [Event] = []
        var links: [Link] = []
        var status: Status?

        init(
            _ place: TraceParent, parent: String?, _ name: String, _ kind: SpanKind, begin: UInt64, end: UInt64,
            _ attributes: SpanAttributes
        ) {
            (self.traceId, self.spanId, self.parentSpanId) = (place.trace, place.span, parent)
            (self.traceState, self.name) = (place.state, name)
            self.kind =
                switch kind {
                case .internal: 1
                case .server: 2
                case .client: 3
                case .producer: 4
                case .consumer: 5
                }
            (self.startTimeUnixNano, self.endTimeUnixNano) = ("\(begin)", "\(end)")
            self.attributes = .init(attributes)
        }
    }

    struct Resource: Encodable, Sendable { var attributes: [Attribute] }
    struct Scope: Encodable, Sendable { var name: String }
    struct ScopeSpans: Encodable, Sendable {
        var scope: Scope
        var spans: [Span]
    }
    struct ResourceSpans: Encodable, Sendable {
        var resource: Resource
        var scopeSpans: [ScopeSpans]
    }

    var resourceSpans: [ResourceSpans]

    /// - Parameter resource: The attributes of this process.
    init(_ spans: [Span], resource: [Attribute]) {
        self.resourceSpans = [
            ResourceSpans(
                resource: Resource(attributes: resource),
                scopeSpans: [ScopeSpans(scope: Scope(name: "formwork"), spans: spans)])
        ]
    }
}

extension [OTLPMessage.Attribute] {
    init(_ attributes: SpanAttributes) {
        self = []
        attributes.forEach { key, attribute in
            var value = OTLPMessage.Attribute.Value()
            switch attribute {
            case .int32(let number): value.intValue = "\(number)"
            case .int64(let number): value.intValue = "\(number)"
            case .double(let number): value.doubleValue = number
            case .bool(let flag): value.boolValue = flag
            case .string(let text): value.stringValue = text
            case .stringConvertible(let other): value.stringValue = "\(other)"
            default: return
            }
            self.append(OTLPMessage.Attribute(key: key, value: value))
        }
        self.sort { $0.key < $1.key }
    }
}
#endif
