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
    /// How long uploads under way may go on once the receiver is asked to stop.
    package var grace: Duration = .seconds(10)

    /// Connections at once; more wait until one ends. Ours: a browser opens six, and most uploads have one.
    var connections: Int { min(self.limits.uploads, 1 << 20) * 4 + 64 }

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
