#if NIO
import HTTPTypes

extension HTTPField.Name {
    /// What a request tells one origin (RFC 6454) and no other, to which a redirect or an upload's URL may lead.
    package static let boundToOrigin: [HTTPField.Name] = [
        .authorization, .cookie, HTTPField.Name("Host")!, .origin, .proxyAuthorization,
    ]
}
#endif
