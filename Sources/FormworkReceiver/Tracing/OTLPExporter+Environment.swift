#if Transfer
import Formwork
import FormworkValues

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension OTLPExporter.Options {
    /// Reads OpenTelemetry's variables ("OpenTelemetry Protocol Exporter", "Environment Variables").
    /// - Returns: `nil` if no collector is named, or spans aren't wanted.
    /// - Throws: ``FormworkError/Code/invalidArgument`` for a collector without an `http` or `https` URL.
    package init?(environment: [String: String]) throws(FormworkError) {
        func value(_ name: String) -> String? { environment[name].flatMap { $0.isEmpty ? nil : $0 } }
        guard value("OTEL_SDK_DISABLED")?.lowercased() != "true", value("OTEL_TRACES_EXPORTER") ?? "otlp" == "otlp"
        else {
            return nil
        }
        if let whole = value("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            self.init(try Self.checked(whole, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"))
        } else if let base = value("OTEL_EXPORTER_OTLP_ENDPOINT") {
            let end = base.utf8.last == UInt8(ascii: "/") ? "v1/traces" : "/v1/traces"
            self.init(try Self.checked(base, "OTEL_EXPORTER_OTLP_ENDPOINT") + end)
        } else {
            return nil
        }
        self.headers = Self.pairs(value("OTEL_EXPORTER_OTLP_TRACES_HEADERS") ?? value("OTEL_EXPORTER_OTLP_HEADERS"))
        var resource = Self.pairs(value("OTEL_RESOURCE_ATTRIBUTES"))
        if let name = value("OTEL_SERVICE_NAME") {
            resource = resource.filter { $0.name != "service.name" } + [("service.name", name)]
        } else if !resource.contains(where: { $0.name == "service.name" }) {
            resource.append(("service.name", "formwork"))
        }
        self.resource = resource
    }

    /// The URL isn't shown in the error: it may have a password.
    private static func checked(_ url: String, _ variable: String) throws(FormworkError) -> String {
        guard URL(text: url)?.origin != nil else {
            throw FormworkError(
                .invalidArgument, "\(variable): give an http or https URL, such as http://127.0.0.1:4318")
        }
        return url
    }

    /// `a=1,b=2`, with blanks around names and values, and percent-encoded values. Byte by byte: a value may end with a
    /// character that is one `Character` with the comma.
    private static func pairs(_ text: String?) -> [(name: String, value: String)] {
        (text ?? "").utf8.split(separator: UInt8(ascii: ",")).compactMap { pair in
            let words = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
                .map { String(Substring($0.trimmingBlanks)) }
            guard words.count == 2, !words[0].isEmpty else { return nil }
            return (words[0], words[1].percentDecoded ?? words[1])
        }
    }
}
#endif
