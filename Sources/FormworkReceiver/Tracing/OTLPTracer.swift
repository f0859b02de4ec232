#if Transfer
import Synchronization
import Tracing

/// Makes spans, and gives those that are wanted to an exporter when they end.
///
/// A trace of the client's is wanted if its `traceparent` says so; one that begins here always is.
package struct OTLPTracer: Tracer {
    let exporter: OTLPExporter

    package init(_ exporter: OTLPExporter) { self.exporter = exporter }

    /// Makes it the tracer of this process. It can be done once.
    package func install() { InstrumentationSystem.bootstrap(self) }

    package func startSpan<Instant: TracerInstant>(
        _ operationName: String, context: @autoclosure () -> InstrumentationContext, ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant, function: String, file fileID: String, line: UInt
    ) -> OTLPSpan {
        var context = context()
        let parent = context.traceParent
        context.traceParent = .next(after: parent)
        return OTLPSpan(
            operationName, context, parent: parent?.span, kind, begin: instant().nanosecondsSinceEpoch, self.exporter)
    }

    /// Spans are sent every few seconds.
    package func forceFlush() {}

    package func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier, into context: inout InstrumentationContext, using extractor: Extract
    ) where Extract.Carrier == Carrier {
        guard let value = extractor.extract(key: "traceparent", from: carrier), var parent = TraceParent(value) else {
            return
        }
        // Longer ones need not be passed on.
        parent.state = extractor.extract(key: "tracestate", from: carrier).flatMap { $0.utf8.count <= 512 ? $0 : nil }
        context.traceParent = parent
    }

    package func inject<Carrier, Inject: Injector>(
        _ context: InstrumentationContext, into carrier: inout Carrier, using injector: Inject
    ) where Inject.Carrier == Carrier {
        guard let parent = context.traceParent else { return }
        injector.inject(parent.text, forKey: "traceparent", into: &carrier)
        if let state = parent.state { injector.inject(state, forKey: "tracestate", into: &carrier) }
    }
}

/// A span that is sent when it has ended.
package final class OTLPSpan: Span {
    private struct State {
        var name: String
        var attributes: SpanAttributes = [:]
        var status: SpanStatus?
        var events: [SpanEvent] = []
        var links: [SpanLink] = []
        var isOver = false
    }

    package let context: InstrumentationContext
    private let parent: String?
    private let kind: SpanKind
    private let begin: UInt64
    private let exporter: OTLPExporter
    private let state: Mutex<State>

    fileprivate init(
        _ name: String, _ context: InstrumentationContext, parent: String?, _ kind: SpanKind, begin: UInt64,
        _ exporter: OTLPExporter
    ) {
        (self.context, self.parent, self.kind, self.begin, self.exporter) = (context, parent, kind, begin, exporter)
        self.state = Mutex(State(name: name))
    }

    package var operationName: String {
        get { self.state.withLock(\.name) }
        set { self.state.withLock { $0.name = newValue } }
    }

    package var attributes: SpanAttributes {
        get { self.state.withLock(\.attributes) }
        set { self.state.withLock { $0.attributes = newValue } }
    }

    package var isRecording: Bool {
        self.context.traceParent?.isSampled == true && self.state.withLock { !$0.isOver }
    }

    package func setStatus(_ status: SpanStatus) { self.state.withLock { $0.status = status } }

    package func addEvent(_ event: SpanEvent) { self.state.withLock { $0.events.append(event) } }

    package func addLink(_ link: SpanLink) { self.state.withLock { $0.links.append(link) } }

    package func recordError<Instant: TracerInstant>(
        _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
    ) {
        var attributes = attributes
        attributes["exception.type"] = "\(type(of: error))"
        attributes["exception.message"] = "\(error)"
        self.addEvent(SpanEvent(name: "exception", at: instant(), attributes: attributes))
    }

    package func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
        guard self.isRecording, let place = self.context.traceParent else { return }
        let end = instant().nanosecondsSinceEpoch
        let span = self.state.withLock { state in
            state.isOver = true
            var span = OTLPMessage.Span(
                place, parent: self.parent, state.name, self.kind, begin: self.begin, end: end, state.attributes)
            span.status = state.status.map { OTLPMessage.Status($0) }
            span.events = state.events.map { OTLPMessage.Event($0) }
            span.links = state.links.compactMap { OTLPMessage.Link($0) }
            return span
        }
        self.exporter.add(span)
    }
}
#endif
