#if NIO
import HTTPTypes

extension HTTPField.Name {
    /// Fields that a request sends to one origin only (RFC 6454). They must not be sent to another origin, to which a
    /// redirect or an upload's URL may lead.
    package static let boundToOrigin: [HTTPField.Name] = [
        .authorization, .cookie, HTTPField.Name("Host")!, .origin, .proxyAuthorization,
    ]
}
#endif
