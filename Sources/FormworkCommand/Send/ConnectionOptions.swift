#if Transfer
import ArgumentParser
import Formwork
import FormworkNIO
import FormworkClient
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Which HTTP is spoken.
enum VersionOption: String, EnumerableFlag {
    case http1, http2, http2PriorKnowledge

    static func name(for value: Self) -> NameSpecification {
        switch value {
        case .http1: .customLong("http1.1")
        case .http2: .customLong("http2")
        case .http2PriorKnowledge: .customLong("http2-prior-knowledge")
        }
    }

    static func help(for value: Self) -> ArgumentHelp? {
        switch value {
        case .http1: "Speak HTTP/1.1."
        case .http2: "Speak HTTP/2 where TLS negotiates it, and else HTTP/1.1; this is the default."
        case .http2PriorKnowledge: "Speak HTTP/2 and nothing else, without TLS too."
        }
    }
}

/// The options that say how a server is reached.
struct ConnectionOptions: ParsableArguments {
    @Flag(exclusivity: .exclusive) var version: VersionOption?

    @Flag(name: [.customShort("k"), .long], help: "Don't check the server's certificate.")
    var insecure = false

    @Option(help: ArgumentHelp("Certificates to trust, in PEM, instead of the system's.", valueName: "file"))
    var cacert: String?

    @Option(
        name: [.customShort("E"), .long], help: ArgumentHelp("The client's certificate, in PEM.", valueName: "file")
    )
    var cert: String?

    @Option(help: ArgumentHelp("Its private key, in PEM, where it isn't in the same file.", valueName: "file"))
    var key: String?

    @Option(
        name: [.customShort("x"), .long],
        help: ArgumentHelp(
            "The proxy, as http://user:password@host:port; an empty one for none. Without the option the variables "
                + "http_proxy, HTTPS_PROXY, ALL_PROXY and NO_PROXY are obeyed, as curl does.", valueName: "url"))
    var proxy: String?

    @Option(
        help: ArgumentHelp(
            "Hosts, domains and networks for which no proxy is used, instead of NO_PROXY's; '*' for all.",
            valueName: "list"))
    var noproxy: String?

    @Option(help: ArgumentHelp("Connect to this Unix socket, whatever the URL's host.", valueName: "path"))
    var unixSocket: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The longest that connecting may take, 300 by default, and for 0.", valueName: "seconds")
    )
    var connectTimeout: SecondsOption?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The longest that the server may neither take nor give anything while it is its turn; 0, the default, "
                + "for as long as it likes.",
            valueName: "seconds"))
    var stallTimeout: SecondsOption?

    @Option(
        name: .customLong("expect100-timeout"), parsing: .unconditional,
        help: ArgumentHelp(
            "How long to wait for '100 Continue' before a body above 1 MiB is sent, 1 by default; 0 doesn't ask, nor "
                + "does -H 'Expect:'.", valueName: "seconds"))
    var expectationTimeout: SecondsOption?

    /// Looks at the files of certificates and keys.
    func checkPEM() throws {
        if let cacert, !self.insecure {
            try PEMFile(option: "--cacert", path: cacert).check(.certificates, status: 77)
        }
        guard let cert else { return }
        try PEMFile(option: "--cert", path: cert).check(.certificates, status: 58)
        try PEMFile(option: self.key == nil ? "--cert" : "--key", path: self.key ?? cert)
            .check(.privateKey, status: 58)
    }

    /// The proxy that the environment names for a request; `nil` where an option decides.
    func environmentProxy(isSecure: Bool) -> EnvironmentProxy? {
        guard self.proxy == nil, self.unixSocket == nil else { return nil }
        return EnvironmentProxy(ProcessInfo.processInfo.environment, isSecure: isSecure)
    }

    /// - Parameter reading: What the body's readers do besides reading.
    func clientOptions(_ reading: ReaderOptions, asksFirst: Bool) throws -> FormClient.Options {
        guard self.key == nil || self.cert != nil else {
            throw ExitStatus(2, "formwork: --key: there is no --cert that it belongs to")
        }
        var options = FormClient.Options(reading: reading)
        switch self.version {
        case .http1: options.version = .http1
        case .http2PriorKnowledge: options.version = .http2
        case .http2, nil: options.version = .negotiated
        }
        options.tls = FormClient.Options.TLS(
            verifiesServer: !self.insecure, trustedCertificates: self.cacert.map { FilePath($0) },
            certificate: self.cert.map { FilePath($0) }, privateKey: self.key.map { FilePath($0) })
        var proxies = ProxySettings(environment: ProcessInfo.processInfo.environment)
        if let proxy { proxies = ProxySettings(url: proxy, exceptions: proxies.exceptions) }
        if let noproxy { proxies.exceptions = noproxy }
        options.proxies = proxies
        options.unixSocket = self.unixSocket.map { FilePath($0) }
        if let bound = try self.connectTimeout?.bound("--connect-timeout") { options.connectTimeout = bound }
        options.stallTimeout = try self.stallTimeout?.bound("--stall-timeout")
        if let time = try self.expectationTimeout?.duration("--expect100-timeout") {
            options.expectationTimeout = time
            if time == .zero { options.expectationThreshold = nil }
        }
        if !asksFirst { options.expectationThreshold = nil }
        return options
    }
}
#endif
