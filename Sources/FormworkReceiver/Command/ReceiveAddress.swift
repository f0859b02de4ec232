import ArgumentParser
import Formwork
import FormworkCommand
import FormworkSystem
import FormworkEssentials
import NIOCore

/// The address of `receive`, and who may use it.
struct ReceiveAddress: ParsableArguments {
    @Option(
        help: "The name or address to listen on. Default 127.0.0.1; one that other machines can reach needs --public.")
    var host: String?

    @Option(parsing: .unconditional, help: "The port. With 0 the system chooses one, and it is printed.")
    var port = 8_080

    @Flag(name: .customLong("public"), help: "Listen on all IPv4 addresses, or on --host. Clients need the token.")
    var isPublic = false

    @OptionGroup var token: ReceiveToken

    @Option(
        file: "A file with the key of upload links ('formwork link'), which need no token; several keys, one a line, "
            + "are all accepted. SIGHUP reads it again. Without it, the keys are read from FORMWORK_LINK_KEY.")
    var linkKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "Proxies that are trusted to name their clients, with Forwarded, X-Forwarded-For or PROXY protocol 2: "
                + "10.0.0.0/8, fd00::/8 or one address. Can be repeated.",
            valueName: "CIDR"), transform: AddressBlock.read)
    var trustedProxy: [AddressBlock] = []

    @Option(
        help: ArgumentHelp(
            "The path below which a proxy serves the receiver. The proxy may remove it from requests, or not.",
            valueName: "/path"))
    var basePath = "/"

    @Option(
        help: ArgumentHelp(
            "A site whose pages may upload here, with a token or a link: https://example.org. Can be repeated.",
            valueName: "origin"))
    var allowOrigin: [String] = []

    @Option(
        value: "all|own|none",
        "Which files the page lists: all; own, those of the same login or address; or none. "
            + "(default: own with a token and --public, otherwise all)", completion: .list(ListScope.allValueStrings))
    var list: ListScope?

    @OptionGroup var tls: ReceiveTLS

    /// Fills in the options.
    func apply(to options: inout ReceiverOptions) throws {
        var host = self.host ?? (self.isPublic ? "0.0.0.0" : "127.0.0.1")
        // An IPv6 address in brackets, as in URLs.
        if host.hasPrefix("["), host.hasSuffix("]"), host.contains(":") {
            host = String(host.dropFirst().dropLast())
        }
        if let fault = Self.fault(of: host) { throw GivenValue("--host", host).fails(fault) }
        let port = try self.passedSocket(&host, &options)
        options.address.host = host
        options.address.port = port
        options.isLoopback = !self.isPublic
        guard !host.isEmpty else { throw ExitStatus(2, "--host: the name is empty") }
        guard self.isPublic || Self.isLoopback(host) else {
            let place =
                options.address.socket == nil ? GivenValue("--host", host).text : "the passed socket, \(host)"
            throw ExitStatus(2, "\(place): other machines may reach this address: add --public, which requires a token")
        }
        guard (0...65_535).contains(port) else {
            throw ExitStatus(2, "--port \(port): a port is 0 to 65535")
        }
        options.token = try self.token.read(isPublic: self.isPublic)
        if self.isPublic, options.token == nil { options.token = .random() }
        options.access.linkKeys = try self.readLinkKeys()
        options.address.tls = try self.tls.configuration()
        options.access.proxies = TrustedProxies(self.trustedProxy)
        options.access.listing = self.list
        options.address.basePath = try self.checkedPath()
        options.access.allowedOrigins = Set(try self.allowOrigin.map(Self.origin))
    }

    private func checkedPath() throws -> String {
        guard self.basePath.hasPrefix("/"), let path = Self.basePath(self.basePath) else {
            throw GivenValue("--base-path", self.basePath).fails(
                "give a path such as /drop, of letters, digits and -._~")
        }
        return path
    }

    /// The path with a slash at both ends; `nil` if a receiver can't have it.
    static func basePath(_ path: String) -> String? {
        let segments = path.split(separator: "/").map(String.init)
        let isPath = segments.allSatisfy { segment in
            segment != "." && segment != ".."
                && segment.utf8.allSatisfy { $0.isLetterOrDigit || "-._~!$&'()*+,;=:@".utf8.contains($0) }
        }
        guard isPath else { return nil }
        return segments.isEmpty ? "/" : "/\(segments.joined(separator: "/"))/"
    }

    private static func origin(_ text: String) throws -> String {
        let origin = text.lowercased()
        let host = ["https://", "http://"].first(where: origin.hasPrefix).map { origin.dropFirst($0.count) } ?? ""
        let isOrigin = host.utf8.allSatisfy { $0.isLetterOrDigit || "-.:[]".utf8.contains($0) }
        guard !host.isEmpty, isOrigin else {
            throw GivenValue("--allow-origin", text).fails(
                "give a scheme and a host, as in https://example.org, without a path")
        }
        return origin
    }

    /// Uses the socket that a service manager passed, if it did.
    /// - Returns: The port.
    private func passedSocket(_ host: inout String, _ options: inout ReceiverOptions) throws -> Int {
        do throws(PassedSocket.Failure) {
            guard let socket = try PassedSocket.find() else { return self.port }
            (host, options.address.socket) = (socket.host, socket.descriptor)
            return socket.port
        } catch {
            let reason =
                switch error {
                case .count(let count): "LISTEN_FDS is \(count): one socket can be passed"
                case .unsuitable(let errno): "the passed socket can't be used: give one that listens on TCP (\(errno))"
                }
            throw ExitStatus(2, reason)
        }
    }

    /// Warnings about the address.
    var warnings: [String] {
        guard self.isPublic, self.tls.tlsCert == nil, self.trustedProxy.isEmpty else { return [] }
        return [
            "without --tls-cert and --tls-key the token and the files are sent unencrypted; "
                + "give --trusted-proxy if a proxy handles HTTPS"
        ]
    }

    /// The keys of upload links; `nil` if none are given.
    func readLinkKeys() throws -> LinkKeys? { try LinkKeys.read("--link-key-file", file: self.linkKeyFile) }

    /// The URLs at a port. A host that means all addresses gives one URL for each address that others can reach.
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

    func validate() throws {
        try GivenPath.check([
            "--token-file": self.token.tokenFile, "--link-key-file": self.linkKeyFile, "--tls-cert": self.tls.tlsCert,
            "--tls-key": self.tls.tlsKey,
        ])
        guard self.token.token == nil || self.token.tokenFile == nil else {
            throw ValidationError("give --token or --token-file, not both")
        }
    }

    /// What is wrong with a host that looks like an address; `nil` for an address or a name.
    private static func fault(of host: String) -> String? {
        guard !host.contains("/") else {
            return "is not a name or an address: receive listens on TCP only, not on a Unix socket"
        }
        guard (try? SocketAddress(ipAddress: host, port: 0)) == nil else { return nil }
        // One with a zone is read by the system.
        if host.contains(":"), !host.contains("%") { return "is not an IPv6 address; --port gives the port" }
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        guard numbers.count > 3, numbers.allSatisfy({ Int($0) != nil }) else { return nil }
        return "is not an IPv4 address: give four numbers from 0 to 255"
    }

    private static func isLoopback(_ host: String) -> Bool {
        if host == "localhost" { return true }
        guard let address = try? SocketAddress(ipAddress: host, port: 0), let text = address.ipAddress else {
            return false
        }
        return text == "::1" || (!text.contains(":") && text.hasPrefix("127."))
    }
}

/// The token of `receive`.
struct ReceiveToken: ParsableArguments {
    @Option(
        help: """
            The token that clients must send: ASCII without blanks, with --public at least 16 characters. --public generates and \
            prints one if none is given. Prefer the variable FORMWORK_TOKEN, used without this option: process lists don't show it.
            """)
    var token: String?

    @Option(file: "A file with the token in its first line. SIGHUP reads it again.")
    var tokenFile: String?

    /// The fewest characters of a token for --public. A shorter one can be guessed.
    private static let tokenLength = 16

    /// The given token, checked; `nil` if there is none.
    /// - Parameters:
    ///   - isPublic: Whether other machines can reach the receiver.
    ///   - again: Whether the receiver has one already.
    func read(isPublic: Bool, again: Bool = false) throws -> AccessToken? {
        guard let (text, place) = try self.given else { return nil }
        let token: AccessToken
        do { token = try AccessToken(text) } catch {
            // Without it everyone would be let in.
            let isUnset = place == Self.variable && text.isEmpty
            let remedy =
                isUnset
                ? "it is empty: set it, or unset it for none"
                : "a token is one or more characters of printable ASCII without blanks"
            throw ExitStatus(2, "\(place): \(remedy)")
        }
        guard !isPublic || text.utf8.count >= Self.tokenLength else {
            throw ExitStatus(
                2,
                "\(place): the token is too short: --public needs \(Self.tokenLength, "character") or more"
                    + (again ? "; the old token stays in use" : ": leave it out to have one generated"))
        }
        return token
    }

    /// The given token, and the option or variable it came from; `nil` if there is none.
    private var given: (text: String, place: String)? {
        get throws {
            if let token { return (token, "--token") }
            let secret = try GivenSecret(
                "--token-file", file: self.tokenFile, variable: Self.variable, limit: 4_096)
            guard let secret, self.tokenFile != nil else { return secret.map { ($0.text, $0.place) } }
            let line = secret.text.utf8.prefix { $0 != 0x0A && $0 != 0x0D }
            return (String(Substring(line)), secret.place)
        }
    }

    /// Whether a token was given. A file isn't read for it, as it may be a pipe.
    var isGiven: Bool {
        self.token != nil || self.tokenFile != nil || ProcessInfo.processInfo.environment[Self.variable] != nil
    }

    private static let variable = "FORMWORK_TOKEN"
}

/// The certificate of `receive`.
struct ReceiveTLS: ParsableArguments {
    @Option(file: "The certificate chain, in PEM. Enables HTTPS with HTTP/2.")
    var tlsCert: String?

    @Option(file: "The certificate's private key, in PEM.")
    var tlsKey: String?

    /// TLS settings from the files' current content; `nil` for plain HTTP.
    func configuration() throws -> ReceiverOptions.TLS? {
        switch (self.tlsCert, self.tlsKey) {
        case (nil, nil): return nil
        case (let certificates?, let key?):
            try PEMFile.check("--tls-cert", certificates, .certificates, status: 2, unreadable: 26)
            try PEMFile.check("--tls-key", key, .privateKey, status: 2, unreadable: 26)
            do {
                return try ReceiverOptions.tls(certificates: FilePath(certificates), key: FilePath(key))
            } catch {
                throw ExitStatus(
                    2,
                    ("formwork: --tls-cert, --tls-key: \(certificates) and \(key) can't be used together: the key "
                        + "belongs to another certificate, or one of the two is damaged").withControlCharactersEscaped)
            }
        default: throw ExitStatus(2, "--tls-cert and --tls-key go together: give both")
        }
    }
}

extension AddressBlock {
    /// An option's value.
    fileprivate static func read(_ argument: String) throws -> AddressBlock {
        guard let block = AddressBlock(argument) else {
            throw ValidationError("write an address or a block, such as 10.0.0.1 or 10.0.0.0/8")
        }
        return block
    }
}

extension ListScope: ChoiceOption {}
