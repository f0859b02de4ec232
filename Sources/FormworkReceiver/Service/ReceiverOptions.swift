#if Transfer
import NIOSSL
import SystemPackage

/// How a receiver is reached, and what it takes.
package struct ReceiverOptions: Sendable {
    /// A certificate chain and its key, ready for use.
    package typealias TLS = TLSConfiguration

    /// A name or address of this machine.
    package var host = "127.0.0.1"
    /// 0 has the system choose one.
    package var port = 0
    /// Whether only this machine reaches it.
    package var isLoopback = true
    package var token: AccessToken?
    package var limits = ReceivingLimits()
    package var pace = ReceivingPace()
    /// Whether files' SHA-256 is taken while they arrive.
    package var isDigesting = true
    /// Whether the folders of a file's path are kept, below where files go.
    package var keepsPaths = false
    /// Whether a form's text fields are kept, in a file beside the form's files.
    package var keepsFields = true
    /// Certificates and key, PEM; `nil` for plain HTTP. With them HTTP/2 is spoken too.
    package var tls: TLS?
    /// Proxies whose word about their clients is taken.
    package var proxies = TrustedProxies()
    /// Whose files lists show; `nil`, the default, is to each their own where a token lets others in, and all else.
    package var listing: ListScope?
    /// How long uploads under way may go on once the receiver is asked to stop.
    package var grace: Duration = .seconds(10)

    /// Connections at once; more wait until one ends. Ours: a browser opens six, and most uploads have one.
    var connections: Int { min(self.limits.uploads, 1 << 20) * 4 + 64 }

    /// Uploads of one client.
    var uploadsPerClient: Int {
        self.limits.uploadsPerClient ?? (self.isLoopback ? .max : max(1, self.limits.uploads / 4))
    }

    /// Resumable uploads of one client that are kept: a tenth of all, and no limit for a receiver that this machine alone
    /// reaches.
    func unfinishedPerClient(of count: Int) -> Int {
        self.limits.unfinishedPerClient ?? (self.isLoopback ? .max : max(1, count / 10))
    }

    /// Connections of one client: as many for each of its uploads as there are for all.
    var connectionsPerClient: Int { self.isLoopback ? .max : min(self.uploadsPerClient, 1 << 20) * 4 + 16 }

    package init() {}

    /// What TLS needs.
    /// - Throws: What NIOSSL says about a file that is none of these.
    package static func tls(certificates: FilePath, key: FilePath) throws -> TLSConfiguration {
        let chain = try NIOSSLCertificate.fromPEMFile(certificates.string).map(NIOSSLCertificateSource.certificate)
        let key = try NIOSSLPrivateKey(file: key.string, format: .pem)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain, privateKey: .privateKey(key))
        // RFC 8996: those before are not to be spoken any more.
        configuration.minimumTLSVersion = .tlsv12
        // Whether they belong together.
        _ = try NIOSSLContext(configuration: configuration)
        return configuration
    }
}
#endif
