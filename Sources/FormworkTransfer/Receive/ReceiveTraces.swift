#if Transfer
import FormworkReceiver
import Logging
import ServiceLifecycle

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Trace spans, if the environment names a collector of OpenTelemetry.
enum ReceiveTraces {
    /// Makes spans from now on.
    /// - Returns: What sends them; empty without a collector. It must end after whatever makes spans.
    static func start(_ logger: Logger) -> [any Service] {
        guard let options = OTLPExporter.Options(environment: ProcessInfo.processInfo.environment) else { return [] }
        let exporter = OTLPExporter(options, logger: logger)
        OTLPTracer(exporter).install()
        return [exporter]
    }
}
#endif
