#if Transfer
import Formwork
import FormworkCommand
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
    /// - Throws: ``ExitStatus`` for a collector without an `http` or `https` URL.
    static func start(_ logger: Logger) throws(ExitStatus) -> [any Service] {
        let options: OTLPExporter.Options?
        do throws(FormworkError) {
            options = try OTLPExporter.Options(environment: ProcessInfo.processInfo.environment)
        } catch {
            throw ExitStatus(2, "formwork: \(error.message)")
        }
        guard let options else { return [] }
        let exporter = OTLPExporter(options, logger: logger)
        OTLPTracer(exporter).install()
        return [exporter]
    }
}
#endif
