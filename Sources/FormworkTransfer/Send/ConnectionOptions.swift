import ArgumentParser
import FormworkClient
import FormworkCommand
import FormworkEssentials
import FormworkValues
import NIOCore

/// The HTTP version to use.
enum VersionOption: String, ChoiceOption, EnumerableFlag {
    case http1 = "1.1", http2 = "2", http2PriorKnowledge = "2-prior-knowledge"

    /// curl's names of `--http`.
    static func name(for value: Self) -> NameSpecification { .customLong("http\(value.rawValue)") }
    static func help(for value: Self) -> ArgumentHelp? { .hidden }
}

/// How to connect to a server.
struct ConnectionOptions: ParsableArguments {
    @Option(
        value: "version",
        "1.1, 2 (the default: HTTP/2 if the server offers it with TLS, otherwise 1.1), or 2-prior-knowledge (only HTTP/2, also "
            + "without TLS).")
    var http: VersionOption?

    @Flag(exclusivity: .exclusive) var version: VersionOption?

    @Flag(name: [.customShort("k"), .long], help: "Don't check the server's certificate. --cacert has no effect then.")
    var insecure = false

    @Option(
        file:
            "Certificates to trust, in PEM, or a folder of them, instead of the system's. By default it is CURL_CA_BUNDLE, "
            + "SSL_CERT_FILE or SSL_CERT_DIR.")
    var cacert: String?

    @Option(
        [.customShort("E"), .long],
        file: "The client's certificate, in PEM, with its private key, or with --key FILE.")
    var cert: String?

    @Option(help: ArgumentHelp(visibility: .hidden), completion: .file())
    var key: String?

    @Option(
        [.customShort("x"), .long], value: "url",
        "The proxy, as http://host:port, with user:password@ before its host; empty for none. By default it comes from http_proxy, "
            + "HTTPS_PROXY, ALL_PROXY and NO_PROXY (or --noproxy), as in curl. SOCKS proxies aren't supported.")
    var proxy: String?

    @Option(help: ArgumentHelp(visibility: .hidden))
    var noproxy: String?

    @Option(
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp(
            "Connect to this address for a host and port, without resolving the name; '*' is any host. Of several "
                + "addresses the first is used.",
            valueName: "host:port:address"))
    var resolve: [String] = []

    @Option(file: "Connect to this Unix socket instead of the URL's host.", kind: "path")
    var unixSocket: String?

    @Option(
        time:
            "The time-out for connecting; 0 means the default. (default: \(FormClient.Options().connectTimeout.components.seconds)s)"
    )
    var connectTimeout: TimeOption?

    @Option(time: "Give up if the server neither reads nor answers for this long; 0 for never. (default: 0)")
    var stallTimeout: TimeOption?

    @Option(
        name: .customLong("expect100-timeout"), parsing: .unconditional, help: ArgumentHelp(visibility: .hidden),
        transform: TimeOption.read)
    var expectationTimeout: TimeOption?

    /// The certificates to trust, and the option or variable that names them; `nil` for the system's. The variables are those
    /// of curl and OpenSSL.
    private var trusted: (option: String, path: String)? {
        if let cacert { return ("--cacert", cacert) }
        for name in ["CURL_CA_BUNDLE", "SSL_CERT_FILE", "SSL_CERT_DIR"] {
            if let path = ProcessInfo.processInfo.environment[name], !path.isEmpty { return (name, path) }
        }
        return nil
    }

    /// Checks the files of certificates and keys.
    func checkPEM() throws {
        if let (option, path) = self.trusted, !self.insecure {
            try PEMFile.check(option, path, .certificatesOrFolder, status: 77, unreadable: 77)
        }
        guard let cert else { return }
        try PEMFile.check("--cert", cert, .certificates, status: 58, unreadable: 58)
        try PEMFile.check(
            self.key == nil ? "--cert" : "--key", self.key ?? cert, .privateKey, status: 58, unreadable: 58)
    }

    func validate() throws {
        try GivenPath.check([
            "--unix-socket": self.unixSocket, "--cert": self.cert, "--key": self.key, "--cacert": self.cacert,
        ])
    }

    /// Names the variable in an error that is about a proxy of the environment, not of an option.
    func explain(_ failure: any Error, isSecure: Bool) -> any Error {
        guard var error = failure as? TransferError, error.isAboutProxy, self.proxy == nil, self.unixSocket == nil
        else { return failure }
        // In the order of ProxySettings.
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        let environment = ProcessInfo.processInfo.environment
        guard let name = names.first(where: { environment[$0]?.isEmpty == false }) else { return failure }
        error.message += "; the environment's \(name) names this proxy: --noproxy '*' connects without it"
        return error
    }

    /// `host:port`, and the address for it. Of several addresses the first is used.
    private static func resolved(_ text: String) throws -> (place: String, address: String) {
        let words = text.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard words.count == 3, !words[0].isEmpty, let port = UInt16(words[1]), port > 0,
            let first = words[2].split(separator: ",").first
        else {
            throw ExitStatus(2, "--resolve \(ShellQuote.quote(text)): write host:port:address")
        }
        let address = first.hasPrefix("[") ? first.dropFirst().prefix { $0 != "]" } : first
        // Otherwise it would be resolved as a name. An address may have a zone.
        try ExitStatus.refuse(
            if: (try? SocketAddress(ipAddress: String(address.prefix { $0 != "%" }), port: 0)) == nil,
            "--resolve \(ShellQuote.quote(text)): the address is not one: write an IP address such as 127.0.0.1 or ::1")
        return ("\(words[0].lowercased()):\(port)", String(address))
    }

    func clientOptions(asksFirst: Bool) throws -> FormClient.Options {
        try ExitStatus.refuse(if: self.key != nil && self.cert == nil, "--key: give --cert too")
        var options = FormClient.Options()
        switch self.http ?? self.version {
        case .http1: options.version = .http1
        case .http2PriorKnowledge: options.version = .http2
        case .http2, nil: options.version = .negotiated
        }
        options.tls = FormClient.Options.TLS(
            verifiesServer: !self.insecure, trustedCertificates: self.trusted.map { FilePath($0.path) },
            certificate: self.cert.map { FilePath($0) }, privateKey: self.key.map { FilePath($0) })
        var proxies = ProxySettings(environment: ProcessInfo.processInfo.environment)
        if let proxy { proxies = ProxySettings(url: proxy, exceptions: proxies.exceptions) }
        if let noproxy { proxies.exceptions = noproxy }
        options.proxies = proxies
        for text in self.resolve {
            let (place, address) = try Self.resolved(text)
            options.addresses[place] = address
        }
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
