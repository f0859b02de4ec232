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
    /// A scheme that no form is sent by.
    case scheme(String)
    /// No URL, or one whose port isn't any.
    case malformed

    package var description: String {
        switch self {
        case .scheme(let scheme): "forms are sent by http and https, not by \(scheme)"
        case .malformed: "that is no URL"
        }
    }
}

extension HTTPResponse {
    /// Where the answer wants the request to go; `nil` for an answer that isn't a redirect, or doesn't say.
    fileprivate var redirectLocation: String? {
        guard [301, 302, 303, 307, 308].contains(self.status.code),
            let location = self.headerFields[.location], !location.isEmpty
        else { return nil }
        return location
    }
}

extension HTTPRequest {
    /// Where a redirect leads.
    struct Redirection: Sendable {
        var request: HTTPRequest
        /// Whether the body goes there too.
        var keepsBody: Bool
        /// Whether it leads from https to http.
        var leavesTLS: Bool
    }

    /// What a redirect asks for; `nil` where there is none to follow.
    ///
    /// Methods as RFC 9110 section 15.4 and fetch have them: 303 makes everything but `HEAD` a `GET`, 301 and 302 make
    /// `POST` one, 307 and 308 keep all. Another origin gets no credentials of this request.
    func redirected(by response: HTTPResponse) -> Redirection? {
        guard let location = response.redirectLocation, var next = self.resolving(location),
            let here = try? Endpoint(self), let there = try? Endpoint(next)
        else { return nil }
        if here != there {
            // Credentials that stand in the new URL are meant for it.
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

    /// Why a redirect that says where it leads can't be followed there; `nil` for one that can, and for none.
    /// - Parameter hasBody: Whether this request brought the body.
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
        let end = isLeft ? "nobody has the body" : "what became of the body is not known"
        return TransferError(
            .redirects, "the server redirects (\(status)) to \(location), where nothing can be sent; \(end)",
            cause: fault)
    }

    private func becomesGet(by status: Int) -> Bool {
        status == 303 && self.method != .head || status < 303 && self.method == .post
    }
}
#endif
