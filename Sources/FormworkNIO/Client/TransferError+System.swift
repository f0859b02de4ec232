#if NIO
    import NIOCore
    import NIOPosix
    import NIOSSL
    import SystemPackage

    extension TransferError {
        /// Why no connection was made.
        init(connecting place: String, _ error: any Error) {
            switch error {
            case let error as TransferError: self = error
            case let error as NIOConnectionError where error.connectionErrors.isEmpty:
                // What the system says of it is that it isn't known.
                self.init(.resolve, "\(error.host): the name can't be resolved")
            case let error as NIOConnectionError:
                let last = error.connectionErrors.last.map { Self.text($0.error) } ?? ""
                let isLate = error.connectionErrors.allSatisfy {
                    if case .connectTimeout = $0.error as? ChannelError { true } else { false }
                }
                self.init(isLate ? .timedOut : .connect, "\(place): no connection (\(last))")
            case ChannelError.connectTimeout: self.init(.timedOut, "\(place): no connection in time")
            default: self.init(.connect, "\(place): no connection (\(Self.text(error)))")
            }
        }

        /// Why a connection that was made couldn't be used.
        init(opening endpoint: Endpoint, _ proxy: Proxy?, _ error: any Error) {
            let host = endpoint.host
            switch error {
            case let error as TransferError: self = error
            case let error as NIOSSLExtraError where error == .failedToValidateHostname:
                self.init(.certificate, "\(host): the server's certificate is another host's", cause: error)
            case let error as NIOSSLError:
                let text = "\(error)"
                if text.contains("CERTIFICATE_VERIFY_FAILED") || text.contains("unableToValidateCertificate") {
                    self.init(
                        .certificate,
                        "\(host): the server's certificate is not trusted"
                    )
                } else {
                    self.init(.tls, "\(host): the TLS handshake failed", cause: error)
                }
            case is NIOSSLExtraError, is BoringSSLError: self.init(.tls, "\(host): TLS failed", cause: error)
            case is CancellationError: self.init(.timedOut, "\(host): no connection in time")
            default:
                let isTunnel = proxy != nil && endpoint.isSecure
                self.init(
                    isTunnel ? .proxy : .tls,
                    "\(host): the connection ended while \(isTunnel ? "the tunnel was made" : "TLS was set up")",
                    cause: error)
            }
        }

        /// What an error of NIO's says, without its type's name.
        static func text(_ error: any Error) -> String {
            guard let error = error as? IOError else { return "\(error)" }
            // Its own text names the call and the number too.
            return Errno(rawValue: error.errnoCode).description
        }
    }
#endif
