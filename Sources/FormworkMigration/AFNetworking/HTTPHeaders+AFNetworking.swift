import FormworkFoundation
import Foundation

extension HTTPHeaders {
    /// The fields with which a version of AFNetworking describes the sender: the user's languages and the running
    /// program.
    public static func afnetworking(_ version: AFNetworkingVersion) -> HTTPHeaders {
        [
            .afnetworkingAcceptLanguage(Locale.preferredLanguages, version: version),
            .userAgent(AFNetworkingUserAgent(bundle: .main, system: .current).text(version)),
        ]
    }
}

extension HTTPHeader {
    /// `Accept-Language` like a version of AFNetworking: at most six languages, the best first.
    public static func afnetworkingAcceptLanguage(
        _ languages: [String], version: AFNetworkingVersion = .latest
    ) -> HTTPHeader {
        guard version >= "1.2" else {
            return .acceptLanguage("\(languages.joined(separator: ", ")), en-us;q=0.8")
        }
        let graded = languages.prefix(6).enumerated().map { "\($1);q=\($0 == 0 ? "1" : "0.\(10 - $0)")" }
        return .acceptLanguage(graded.joined(separator: ", "))
    }
}

/// The parts of AFNetworking's `User-Agent`.
public struct AFNetworkingUserAgent: Hashable, Sendable {
    /// The system that the program runs on.
    public enum System: Hashable, Sendable {
        /// `iPhone; iOS 9.0; Scale/2.00`: iOS, tvOS or watchOS.
        case device(model: String, name: String = "iOS", version: String, scale: Double)
        /// `Mac OS X Version 10.11 (Build 15A284)`.
        case mac(version: String)
        /// A system that AFNetworking doesn't know, with its own description.
        case other(String)

        /// The current system, with the details that are available everywhere.
        public static var current: System {
            let version = ProcessInfo.processInfo.operatingSystemVersionString
            #if os(macOS)
            return .mac(version: version)
            #else
            return .other(version)
            #endif
        }
    }

    /// The program's name.
    public var executable: String
    /// The version that users see; `nil` if there is none.
    public var shortVersion: String?
    /// The build's version; `nil` if there is none.
    public var bundleVersion: String?
    /// The system that it runs on.
    public var system: System

    /// Creates a `User-Agent` from its parts.
    public init(executable: String, shortVersion: String?, bundleVersion: String? = nil, system: System) {
        (self.executable, self.shortVersion) = (executable, shortVersion)
        (self.bundleVersion, self.system) = (bundleVersion, system)
    }

    /// Takes the names and versions from a bundle; without them it uses the process's name.
    public init(bundle: Bundle, system: System) {
        let info = bundle.infoDictionary ?? [:]
        self.init(
            executable: info["CFBundleExecutable"] as? String ?? info["CFBundleIdentifier"] as? String
                ?? ProcessInfo.processInfo.processName,
            shortVersion: info["CFBundleShortVersionString"] as? String,
            bundleVersion: info["CFBundleVersion"] as? String, system: system)
    }

    /// The value in the format of a version: in ASCII, with letters of other scripts transliterated. Before 2.5.0 the
    /// build's version is preferred.
    public func text(_ version: AFNetworkingVersion = .latest) -> String {
        let number =
            version < "2.5" ? self.bundleVersion ?? self.shortVersion : self.shortVersion ?? self.bundleVersion
        let text = "\(self.executable)\(number.map { "/\($0)" } ?? "") (\(self.systemText))"
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return text }
        let latin = text.applyingTransform(StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove"), reverse: false)
        return String((latin ?? text).unicodeScalars.filter(\.isASCII).map(Character.init))
    }

    private var systemText: String {
        switch self.system {
        case .device(let model, let name, let version, let scale):
            return "\(model); \(name) \(version); Scale/\(String(format: "%.2f", scale))"
        case .mac(let version): return "Mac OS X \(version)"
        case .other(let text): return text
        }
    }
}
