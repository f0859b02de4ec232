import FormworkEssentials
import FormworkValues

/// What is wrong with a redirect's `Location`.
package enum LocationFault: Error, Hashable, CustomStringConvertible {
    /// A scheme other than http or https.
    case scheme(String)
    /// Not a URL, or one with an invalid port.
    case malformed
    /// There is no `Location`.
    case missing
    /// There is one without a value.
    case empty

    package var description: String {
        switch self {
        case .scheme(let scheme): "forms are sent with http or https, not \(scheme)"
        case .malformed: "it isn't a valid URL"
        case .missing: "the answer has no Location"
        case .empty: "its Location is empty"
        }
    }
}

extension HTTPRequest {
    /// What a redirect makes of this request; `nil` if the answer is not a redirect to http or https.
    /// - Parameter isTrusted: Whether credentials may follow to another origin.
    func redirection(by response: HTTPResponse, isTrusted: Bool = false) -> Redirection? {
        let location = response.headerFields[.location]
        guard self.resolving(location ?? "") != nil else { return nil }
        return Redirection(
            status: response.status.code, method: self.method.rawValue, of: URL(text: self.urlText),
            location: location, isTrusted: isTrusted)
    }

    /// The request that a redirect asks for.
    func following(_ redirection: Redirection) -> HTTPRequest {
        guard var next = self.resolving(redirection.target) else { return self }
        // Credentials in the new URL are meant for it.
        let isItsOwn = next.headerFields[.authorization] != self.headerFields[.authorization]
        for name in Set(self.headerFields.map(\.name)) where !redirection.keeps(field: name.rawName) {
            if name != .authorization || !isItsOwn { next.headerFields[name] = nil }
        }
        if !redirection.keepsBody, next.method != .head { next.method = .get }
        return next
    }

    /// Why a redirect can't be followed; `nil` if it can, or if there is no redirect. 301, 302 and 303 without a
    /// `Location` are answers: the server may have the body.
    /// - Parameter hasBody: Whether this request had the body.
    func unfollowable(_ response: HTTPResponse, hasBody: Bool) -> TransferError? {
        if [307, 308].contains(response.status.code), response.headerFields[.location]?.isEmpty ?? true {
            return TransferError(
                .redirects,
                "the server redirects (\(response.status.code)), which can't be followed"
                    + (hasBody ? "; the body was not delivered" : ""),
                cause: response.headerFields[.location] == nil ? LocationFault.missing : .empty)
        }
        guard Redirection.statuses.contains(response.status.code), let location = response.headerFields[.location],
            !location.isEmpty, self.redirection(by: response) == nil
        else { return nil }
        let base = URL(text: self.urlText)
        let scheme = URL(text: location, relativeTo: base)?.scheme?.lowercased()
        let fault: LocationFault =
            switch scheme {
            case "http", "https", nil: .malformed
            case .some(let scheme): .scheme(scheme)
            }
        let status = response.status.code
        let isLeft = hasBody && !Redirection.dropsBody(status: status, method: self.method.rawValue)
        let end = isLeft ? "the body was not delivered" : "it isn't known whether the body was delivered"
        return TransferError(
            .redirects,
            "the server redirects (\(status)) to \(SecretText.masked(url: location)), which can't be followed; \(end)",
            cause: fault)
    }
}
