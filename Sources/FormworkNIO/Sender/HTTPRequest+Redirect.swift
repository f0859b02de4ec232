#if NIO
    import FormworkHTTP
    import HTTPTypes

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
            let status = response.status.code
            guard [301, 302, 303, 307, 308].contains(status), let location = response.headerFields[.location],
                var next = self.resolving(location), let here = try? Endpoint(self), let there = try? Endpoint(next)
            else { return nil }
            if here != there {
                // Credentials that stand in the new URL are meant for it.
                let isItsOwn = next.headerFields[.authorization] != self.headerFields[.authorization]
                for name in HTTPField.Name.boundToOrigin where name != .authorization || !isItsOwn {
                    next.headerFields[name] = nil
                }
            }
            let becomesGet = status == 303 && self.method != .head || status < 303 && self.method == .post
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
    }
#endif
