import NIOSSL
import SystemPackage

/// How a receiver is reached, and what it accepts.
struct ReceiverOptions: Sendable {
    /// A certificate chain and its key, ready for use.
    typealias TLS = TLSConfiguration

    /// Where it is reached.
    struct Address: Sendable {
        /// A name or address of this machine to listen on.
        var host = "127.0.0.1"
        /// The port; 0 lets the system choose one.
        var port = 0
        /// A socket that listens already; `nil` to open one at the host and the port.
        var socket: CInt?
        /// Certificates and key, PEM; `nil` for plain HTTP. With them, HTTP/2 is supported too.
        var tls: TLS?
        /// The path below which the receiver is reached, with a slash at both ends.
        var basePath = "/"
    }

    /// Who is let in besides clients with the token, and what they see.
    struct Access: Sendable {
        /// The keys of upload links; `nil` accepts none.
        var linkKeys: LinkKeys?
        /// Counts the uploads of links; `nil` if none are accepted.
        var linkUses: LinkUses?
        /// The sites whose pages may upload here, with a token or a link, in lower case.
        var allowedOrigins: Set<String> = []
        /// Proxies that are trusted to name their clients.
        var proxies = TrustedProxies()
        /// Which files lists show. `nil`, the default, shows each client its own files if a token lets other machines in,
        /// and otherwise all files.
        var listing: ListScope?
    }

    var address = Address()
    /// Whether the receiver can be reached from this machine only.
    var isLoopback = true
    var token: AccessToken?
    var access = Access()
    var limits = ReceivingLimits()
    /// `nil`, the default, is what ``limits`` allow.
    var memory: ReceiverMemory?
    var pace = ReceivingPace()
    var keeping = UploadKeeping()
    var page = PageSettings()
    /// How long uploads in progress may continue after the receiver is asked to stop.
    var grace: Duration = .seconds(10)

    /// Connections at once; more wait until one ends. A browser opens six, and most uploads use one.
    var connections: Int { min(self.limits.uploads, 1 << 20) * 4 + 64 }

    /// Uploads of one client at once.
    var uploadsPerClient: Int {
        if let given = self.limits.uploadsPerClient { return given }
        return self.isLoopback ? .max : max(1, min(self.limits.uploads, self.memory?.places ?? .max) / 4)
    }

    /// Unfinished resumable uploads that are kept of one client: a tenth of all; unlimited if only this machine reaches
    /// the receiver.
    func unfinishedPerClient(of count: Int) -> Int {
        self.limits.unfinishedPerClient ?? (self.isLoopback ? .max : max(1, count / 10))
    }

    /// Bytes that the unfinished uploads of one client may announce together, of as many that all may have: half; unlimited if
    /// only this machine reaches the receiver.
    func announcedPerClient(of total: Int64?) -> Int64 { self.isLoopback ? .max : total.map { max(1, $0 / 2) } ?? .max }

    /// Connections of one client, in the same ratio to its uploads as all connections to all uploads.
    var connectionsPerClient: Int {
        self.uploadsPerClient == .max ? .max : min(self.uploadsPerClient, 1 << 20) * 4 + 16
    }

    /// Reads the files that TLS needs.
    /// - Throws: NIOSSL's error for a file that isn't a certificate or key, or for a pair that doesn't match.
    static func tls(certificates: FilePath, key: FilePath) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificates.string).map(NIOSSLCertificateSource.certificate)
        let key = try NIOSSLPrivateKey(file: key.string, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        // RFC 8996 forbids older versions.
        configuration.minimumTLSVersion = .tlsv12
        // Checks that the certificate and key match.
        _ = try NIOSSLContext(configuration: configuration)
        return configuration
    }
}
