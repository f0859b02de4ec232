#if Client
import Formwork
import FormworkHTTP
import FormworkNIO
import FormworkResumable
import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What is wrong with a redirect's `Location`.
package enum LocationFault: Error, Hashable, CustomStringConvertible {
    /// A scheme other than http or https.
    case scheme(String)
    /// Not a URL, or one with an invalid port.
    case malformed

    package var description: String {
        switch self {
        case .scheme(let scheme): "forms are sent with http or https, not \(scheme)"
        case .malformed: "it isn't a valid URL"
        }
    }
}

extension HTTPResponse {
    /// The redirect's target; `nil` for an answer that isn't a redirect or has no `Location`.
    fileprivate var redirectLocation: String? {
        guard [301, 302, 303, 307, 308].contains(self.status.code),
            let location = self.headerFields[.location], !location.isEmpty
        else { return nil }
        return location
    }
}

extension HTTPRequest {
    /// The request that a redirect asks for.
    struct Redirection: Sendable {
        var request: HTTPRequest
        /// Whether the body is sent with it.
        var keepsBody: Bool
        /// Whether it goes from https to http.
        var leavesTLS: Bool
    }

    /// The request that a redirect asks for; `nil` if there is no redirect to follow.
    ///
    /// The methods follow RFC 9110 section 15.4 and fetch: 303 turns every method except `HEAD` into `GET`, 301 and 302
    /// turn `POST` into `GET`, 307 and 308 keep the method. Another origin gets no credentials of this request.
    func redirected(by response: HTTPResponse) -> Redirection? {
        guard let location = response.redirectLocation, var next = self.resolving(location),
            let here = try? Endpoint(self), let there = try? Endpoint(next)
        else { return nil }
        if here != there {
            // Credentials in the new URL are for that URL.
            let isItsOwn = next.headerFields[.authorization] != self.headerFields[.authorization]
            for name in HTTPField.Name.boundToOrigin where name != .authorization || !isItsOwn {
                next.headerFields[name] = nil
            }
        }
        let becomesGet = self.becomesGet(by: response.status.code)
        if becomesGet {
            next.method = .get
            let names = self.headerFields.map(\.name).filter {
                $0.canonicalName.hasPrefix("content-")
                    || [.transferEncoding, .trailer, .expect, .reprDigest].contains($0)
            }
            for name in names { next.headerFields[name] = nil }
        }
        return Redirection(
            request: next, keepsBody: !becomesGet, leavesTLS: here.isSecure && !there.isSecure)
    }

    /// Why a redirect with a `Location` can't be followed; `nil` if it can, or if there is no redirect.
    /// - Parameter hasBody: Whether this request had the body.
    func unfollowable(_ response: HTTPResponse, hasBody: Bool) -> TransferError? {
        guard let location = response.redirectLocation, self.redirected(by: response) == nil else { return nil }
        let base = URL(string: self.urlText)
        let scheme = URL(string: location, relativeTo: base)?.absoluteURL.scheme?.lowercased()
        let fault: LocationFault =
            switch scheme {
            case "http", "https", nil: .malformed
            case .some(let scheme): .scheme(scheme)
            }
        let status = response.status.code
        let isLeft = hasBody && !self.becomesGet(by: status)
        let end = isLeft ? "the body was not delivered" : "it isn't known whether the body was delivered"
        return TransferError(
            .redirects, "the server redirects (\(status)) to \(location), which can't be followed; \(end)",
            cause: fault)
    }

    private func becomesGet(by status: Int) -> Bool {
        status == 303 && self.method != .head || status < 303 && self.method == .post
    }
}
#endif
