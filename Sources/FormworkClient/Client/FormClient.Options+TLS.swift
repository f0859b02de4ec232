import FormworkSystem
import NIOCore
import NIOSSL

extension FormClient.Options {
    /// Which certificates to trust, and the client's own.
    public struct TLS: Hashable, Sendable {
        /// Whether the server's certificate and name are checked.
        public var verifiesServer: Bool
        /// A file with the certificates to trust, in PEM, or a folder with such files that have the names of OpenSSL's `rehash`,
        /// instead of the system's; `nil` for the system's.
        public var trustedCertificates: FilePath?
        /// A file with the client's certificate, followed by its intermediates, in PEM; `nil` for none.
        public var certificate: FilePath?
        /// A file with its private key, in PEM; `nil` if the certificate's file contains it.
        public var privateKey: FilePath?

        /// Creates options; by default the system's trusted certificates, and no client certificate.
        public init(
            verifiesServer: Bool = true, trustedCertificates: FilePath? = nil, certificate: FilePath? = nil,
            privateKey: FilePath? = nil
        ) {
            self.verifiesServer = verifiesServer
            self.trustedCertificates = trustedCertificates
            self.certificate = certificate
            self.privateKey = privateKey
        }

        /// - Returns: `nil` for an endpoint without TLS.
        /// - Throws: ``TransferError`` with ``TransferError/Code/trustAnchors`` or
        ///   ``TransferError/Code/localCertificate``.
        func context(_ protocols: [String], for endpoint: Origin) throws -> NIOSSLContext? {
            guard endpoint.isSecure else { return nil }
            var configuration = TLSConfiguration.makeClientConfiguration()
            configuration.applicationProtocols = protocols
            // RFC 8996 forbids the older versions.
            configuration.minimumTLSVersion = .tlsv12
            // Everything was received by the time a connection is closed, so the wait is short.
            configuration.shutdownTimeout = .milliseconds(100)
            if !self.verifiesServer {
                configuration.certificateVerification = .none
            } else if HostIdentity(String(endpoint.hostWithoutZone)).serverName == nil {
                // NIO would compare the address that is connected to, which may be a proxy's.
                configuration.certificateVerification = .noHostnameVerification
            }
            if let path = self.trustedCertificates {
                let isFolder = (try? SystemCalls.status(of: path))?.kind == .directory
                configuration.trustRoots =
                    isFolder
                    ? .file(path.string)
                    : .certificates(try self.certificates(path, .trustAnchors, "the certificates to trust"))
            }
            if let path = self.certificate {
                let key = self.privateKey ?? path
                configuration.certificateChain = try self.certificates(path, .localCertificate, "the certificate")
                    .map { .certificate($0) }
                do {
                    configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: key.string, format: .pem))
                } catch {
                    throw TransferError(
                        .localCertificate, "\(key): can't be read as a private key in PEM", cause: error)
                }
            }
            do { return try NIOSSLContext(configuration: configuration) } catch {
                let isOwn = self.certificate != nil
                throw TransferError(
                    isOwn ? .localCertificate : .tls,
                    isOwn ? "the certificate and its private key can't be used" : "TLS can't be set up",
                    cause: error)
            }
        }

        private func certificates(
            _ path: FilePath, _ code: TransferError.Code, _ what: String
        ) throws -> [NIOSSLCertificate] {
            do { return try NIOSSLCertificate.fromPEMFile(path.string) } catch {
                // The library has one error for everything.
                guard !Self.isEmpty(path) else {
                    throw TransferError(code, "\(path): contains no certificate in PEM (-----BEGIN CERTIFICATE-----)")
                }
                throw TransferError(code, "\(path): \(what) can't be read as PEM", cause: error)
            }
        }

        /// Whether this is an empty file, or `/dev/null`. Not a pipe: what it held has been read.
        private static func isEmpty(_ path: FilePath) -> Bool {
            guard let file = try? FileDescriptor.open(path, .readOnly, options: [.nonBlocking, .closeOnExec]) else {
                return false
            }
            defer { try? file.close() }
            return (try? file.seek(offset: 0, from: .end)) == 0
        }
    }
}
