import FormworkFoundation
import Foundation

extension HTTPHeaders {
    /// The fields that describe the sender: `Accept-Encoding`, `Accept-Language`, `User-Agent`.
    public static let `default`: HTTPHeaders = [
        .defaultAcceptEncoding, .defaultAcceptLanguage, .defaultUserAgent,
    ]
}

extension HTTPHeader {
    /// Brotli before gzip before deflate.
    public static let defaultAcceptEncoding = HTTPHeader.acceptEncoding(["br", "gzip", "deflate"].qualityEncoded())

    /// The user's first six languages, the best first.
    public static let defaultAcceptLanguage = HTTPHeader.acceptLanguage(
        Locale.preferredLanguages.prefix(6).qualityEncoded())

    /// The running program, its bundle if it has one, and the system; unknown values are `Unknown`.
    public static let defaultUserAgent: HTTPHeader = {
        let info = Bundle.main.infoDictionary
        let program = ProcessInfo.processInfo.arguments.first?.split(separator: "/").last.map(String.init)
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let system = "\(systemName) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        return .userAgent(
            executable: info?["CFBundleExecutable"] as? String ?? program,
            version: info?["CFBundleShortVersionString"] as? String, bundle: info?["CFBundleIdentifier"] as? String,
            build: info?["CFBundleVersion"] as? String, system: system, library: "Formwork")
    }()

    static func userAgent(
        executable: String?, version: String?, bundle: String?, build: String?, system: String, library: String
    ) -> HTTPHeader {
        let unknown = "Unknown"
        let program = "\(executable ?? unknown)/\(version ?? unknown)"
        return .userAgent("\(program) (\(bundle ?? unknown); build:\(build ?? unknown); \(system)) \(library)")
    }

    private static var systemName: String {
        #if os(macOS) || targetEnvironment(macCatalyst)
        "macOS"
        #elseif os(iOS)
        "iOS"
        #elseif os(Linux)
        "Linux"
        #else
        "Unknown"
        #endif
    }
}

extension Collection<String> {
    /// The values as a list of decreasing preference: `a;q=1.0, b;q=0.9`.
    ///
    /// Computed in tenths, because a sum of doubles gives `0.3999999999999999` and RFC 9110 §12.4.2 allows three
    /// digits; never below 0.1, because 0 means "not acceptable".
    func qualityEncoded() -> String {
        self.enumerated().map { index, value in
            let tenths = Swift.max(1, 10 - index)
            return "\(value);q=\(tenths / 10).\(tenths % 10)"
        }.joined(separator: ", ")
    }
}
