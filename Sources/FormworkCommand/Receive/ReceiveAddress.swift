#if Transfer
import ArgumentParser
import Formwork
import FormworkReceiver
import NIOCore
import SystemPackage

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where `receive` is reached, and who may.
struct ReceiveAddress: ParsableArguments {
    @Option(help: "The name or address to listen on; only this machine's own (127.0.0.1) without --public.")
    var host: String?

    @Option(parsing: .unconditional, help: "The port; 0 has the system choose one, which is printed.")
    var port = 8_080

    @Flag(name: .customLong("public"), help: "Listen on all addresses, for whoever has the token.")
    var isPublic = false

    @Option(
        help: ArgumentHelp(
            "What uploads have to show; --public makes one up and prints it unless it is given. The environment's "
                + "FORMWORK_TOKEN, which counts without this option, doesn't show it to who lists processes."))
    var token: String?

    @Option(
        help: ArgumentHelp(
            "A file that holds the token, in its first line; read again at SIGHUP.", valueName: "file"))
    var tokenFile: String?

    @Option(
        help: ArgumentHelp(
            "Proxies in front whose word about their clients is taken, by Forwarded, X-Forwarded-For or PROXY protocol 2: "
                + "10.0.0.0/8, fd00::/8 or one address. Can be given more than once.",
            valueName: "CIDR"))
    var trustedProxy: [AddressBlockOption] = []

    @Option(
        help: ArgumentHelp(
            "Whose files the page lists: all to everybody who is let in; own: to each login or address its own; none. "
                + "(default: own with a token and --public, else all)", valueName: "all|own|none"))
    var list: ListOption?

    @Option(help: ArgumentHelp("The certificate chain, PEM: HTTPS, HTTP/2 included.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's key, PEM.", valueName: "file"))
    var tlsKey: String?

    /// Fills in the options.
    func apply(to options: inout ReceiverOptions) throws {
        var host = self.host ?? (self.isPublic ? "0.0.0.0" : "127.0.0.1")
        // As URLs have it.
        if host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") {
            host = String(host.dropFirst().dropLast())
        }
        options.host = host
        options.port = self.port
        options.isLoopback = !self.isPublic
        guard self.isPublic || Self.isLoopback(host) else {
            throw ExitStatus(
                2,
                "formwork: --host \(ShellQuote.quote(host).withControlCharactersEscaped): "
                    + "others reach that address: say --public too, which asks them for a token")
        }
        guard (0...65_535).contains(self.port) else {
            throw ExitStatus(2, "formwork: --port \(self.port): a port is 0 to 65535")
        }
        options.token = try self.readToken()
        if self.isPublic, options.token == nil { options.token = .random() }
        options.tls = try self.tls()
        options.proxies = TrustedProxies(self.trustedProxy.map(\.block))
        options.listing = self.list?.scope
    }

    /// What there is to say about how it is reached.
    var warnings: [String] {
        guard self.isPublic, self.tlsCert == nil, self.trustedProxy.isEmpty else { return [] }
        return [
            "without --tls-cert and --tls-key the token and the files go over the network as plain text; "
                + "say --trusted-proxy if a proxy in front speaks HTTPS"
        ]
    }

    /// Characters of a token for --public: fewer can be guessed.
    private static let tokenLength = 16

    /// The token that was given; `nil` when none was.
    func readToken() throws -> AccessToken? {
        guard let (text, place) = try self.givenToken else { return nil }
        let token: AccessToken
        do { token = try AccessToken(text) } catch {
            throw ExitStatus(2, "formwork: \(place): a token is printable ASCII without blanks")
        }
        guard !self.isPublic || text.utf8.count >= Self.tokenLength else {
            throw ExitStatus(
                2,
                "formwork: \(place): a token for --public has \(Self.tokenLength) characters or more: "
                    + "leave it away, and one is made")
        }
        return token
    }

    /// Where it is reached at that port: of a host that stands for all addresses, at those that others see.
    static func urls(of host: String, port: Int, isTLS: Bool) -> [String] {
        var hosts = [host]
        if ["0.0.0.0", "::"].contains(host) {
            let addresses = ((try? System.enumerateDevices()) ?? []).compactMap { $0.address?.ipAddress }
            let seen = addresses.filter {
                !Self.isLoopback($0) && !$0.hasPrefix("fe80:") && (host == "::" || !$0.contains(":"))
            }
            hosts = seen.isEmpty ? [host == "::" ? "::1" : "127.0.0.1"] : seen
        }
        return hosts.map { host in
            "\(isTLS ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)/"
        }
    }

    /// The token that was given, and where; `nil` when none was.
    private var givenToken: (text: String, place: String)? {
        get throws {
            if let token { return (token, "--token") }
            if let tokenFile {
                let place = "--token-file \(ShellQuote.quote(tokenFile).withControlCharactersEscaped)"
                guard let data = FileManager.default.contents(atPath: tokenFile), data.count <= 4_096 else {
                    throw ExitStatus(26, "formwork: \(place): can't be read, or has more than 4 KiB")
                }
                let line = String(decoding: data, as: UTF8.self).prefix { !$0.isNewline }
                return (String(line), place)
            }
            let variable = "FORMWORK_TOKEN"
            return ProcessInfo.processInfo.environment[variable].map { ($0, variable) }
        }
    }

    /// Whether a token was given at all.
    var hasGivenToken: Bool { (try? self.givenToken) != nil }

    func validate() throws {
        guard self.token == nil || self.tokenFile == nil else {
            throw ValidationError("--token and --token-file: give one of them")
        }
    }

    /// What TLS needs, as the files are now; `nil` for plain HTTP.
    func tls() throws -> ReceiverOptions.TLS? {
        switch (self.tlsCert, self.tlsKey) {
        case (nil, nil): return nil
        case (let certificates?, let key?):
            try PEMFile(option: "--tls-cert", path: certificates).check(.certificates, status: 2)
            try PEMFile(option: "--tls-key", path: key).check(.privateKey, status: 2)
            do {
                return try ReceiverOptions.tls(certificates: FilePath(certificates), key: FilePath(key))
            } catch {
                throw ExitStatus(
                    2,
                    "formwork: --tls-cert, --tls-key: \(certificates) and \(key) can't be used together: the key is another certificate's, or one of the two is damaged"
                        .withControlCharactersEscaped)
            }
        default: throw ExitStatus(2, "formwork: --tls-cert and --tls-key go together: give both")
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        guard let address = try? SocketAddress(ipAddress: host, port: 0), let text = address.ipAddress else {
            return false
        }
        return text == "::1" || (!text.contains(":") && text.hasPrefix("127."))
    }
}
#endif
