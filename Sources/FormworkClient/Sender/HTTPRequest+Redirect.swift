import FormworkEssentials
import FormworkValues

/// What is wrong with a redirect's `Location`.
package struct LocationFault: Error, CustomStringConvertible {
    package let description: String
    /// Whether its scheme is another than http or https.
    package var isOtherScheme = false
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
        let (status, location) = (response.status.code, response.headerFields[.location])
        if [307, 308].contains(status), location?.isEmpty ?? true {
            return TransferError(
                .redirects,
                "the server redirects (\(status)), which can't be followed"
                    + (hasBody ? "; the body was not delivered" : ""),
                cause: LocationFault(
                    description: location == nil ? "the answer has no Location" : "its Location is empty"))
        }
        guard Redirection.statuses.contains(status), let location, !location.isEmpty,
            self.redirection(by: response) == nil
        else { return nil }
        let scheme = URL(text: location, relativeTo: URL(text: self.urlText))?.scheme?.lowercased()
        var fault = LocationFault(description: "it isn't a valid URL")
        if let scheme, scheme != "http", scheme != "https" {
            fault = LocationFault(
                description: "forms are sent with http or https, not \(scheme)", isOtherScheme: true)
        }
        let isLeft = hasBody && !Redirection.dropsBody(status: status, method: self.method.rawValue)
        let end = isLeft ? "the body was not delivered" : "it isn't known whether the body was delivered"
        return TransferError(
            .redirects,
            "the server redirects (\(status)) to \(SecretText.masked(url: location)), which can't be followed; \(end)",
            cause: fault)
    }
}
