import FormworkFoundation
import Foundation

extension HTTPHeaders {
    /// The fields with which a version of AFNetworking describes the sender: the user's languages and the running
    /// program.
    static func afnetworking(_ version: AFNetworkingVersion) -> HTTPHeaders {
        let info = Bundle.main.infoDictionary ?? [:]
        #if os(macOS)
        let system = "Mac OS X "
        #else
        let system = ""
        #endif
        let agent = HTTPHeader.afnetworkingUserAgent(
            executable: info["CFBundleExecutable"] as? String ?? info["CFBundleIdentifier"] as? String
                ?? ProcessInfo.processInfo.processName,
            shortVersion: info["CFBundleShortVersionString"] as? String,
            bundleVersion: info["CFBundleVersion"] as? String,
            system: system + ProcessInfo.processInfo.operatingSystemVersionString, version: version)
        return [.afnetworkingAcceptLanguage(Locale.preferredLanguages, version: version), agent]
    }
}

extension HTTPHeader {
    /// `Accept-Language` like a version of AFNetworking: at most six languages, the best first.
    static func afnetworkingAcceptLanguage(_ languages: [String], version: AFNetworkingVersion = .latest) -> Self {
        guard version >= "1.2" else {
            return .acceptLanguage("\(languages.joined(separator: ", ")), en-us;q=0.8")
        }
        let graded = languages.prefix(6).enumerated().map { "\($1);q=\($0 == 0 ? "1" : "0.\(10 - $0)")" }
        return .acceptLanguage(graded.joined(separator: ", "))
    }

    /// `User-Agent` like a version of AFNetworking: in ASCII, with letters of other scripts transliterated. Before 2.5.0 the
    /// build's version is preferred.
    /// - Parameters:
    ///   - executable: The program's name.
    ///   - shortVersion: The version that users see; `nil` if there is none.
    ///   - bundleVersion: The build's version; `nil` if there is none.
    ///   - system: What the program runs on, as AFNetworking describes it: `iPhone; iOS 9.0; Scale/2.00`, or
    ///     `Mac OS X Version 10.11 (Build 15A284)`.
    ///   - version: The version of AFNetworking.
    public static func afnetworkingUserAgent(
        executable: String, shortVersion: String?, bundleVersion: String? = nil, system: String,
        version: AFNetworkingVersion = .latest
    ) -> Self {
        let number = version < "2.5" ? bundleVersion ?? shortVersion : shortVersion ?? bundleVersion
        let text = "\(executable)\(number.map { "/\($0)" } ?? "") (\(system))"
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return .userAgent(text) }
        let latin = text.applyingTransform(StringTransform("Any-Latin; Latin-ASCII; [:^ASCII:] Remove"), reverse: false)
        return .userAgent(String((latin ?? text).unicodeScalars.filter(\.isASCII).map(Character.init)))
    }
}
