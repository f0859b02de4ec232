import Formwork
import FormworkValues
import Foundation
import Testing

/// RFC 9110 section 15.4, RFC 6454, and fetch's "HTTP-redirect fetch".
@Suite("What a redirect makes of a request", .timeLimit(.minutes(10)))
struct RedirectionTests {
    private func redirection(
        _ status: Int, _ method: String = "POST", from: String = "https://example.com/a", to location: String,
        isTrusted: Bool = false
    ) -> Redirection? {
        Redirection(
            status: status, method: method, of: URL(string: from), location: location, isTrusted: isTrusted)
    }

    @Test(
        "The method and the body",
        arguments: [
            (301, "POST", false), (301, "PUT", true), (301, "GET", true), (302, "POST", false), (302, "PATCH", true),
            (303, "POST", false), (303, "PUT", false), (303, "HEAD", false), (307, "POST", true), (308, "POST", true),
        ])
    func body(status: Int, method: String, keepsBody: Bool) {
        #expect(self.redirection(status, method, to: "/b")?.keepsBody == keepsBody)
    }

    @Test("Other statuses, and places where no form can be sent, aren't followed")
    func none() {
        for status in [200, 300, 304, 305, 306, 309, 400] { #expect(self.redirection(status, to: "/b") == nil) }
        for location in ["", "ftp://example.com/", "mailto:a@b", "https:///b", "http://example.com:99999/", "https://"]
        {
            #expect(self.redirection(307, to: location) == nil, "\(location)")
        }
    }

    @Test(
        "Where it leads",
        arguments: [
            ("/b?x=1", "https://example.com/b?x=1", false), ("c", "https://example.com/c", false),
            ("//other.example/b", "https://other.example/b", false),
            ("http://example.com/b", "http://example.com/b", true),
            ("https://[::1]:8443/b", "https://[::1]:8443/b", false),
        ])
    func target(location: String, target: String, leavesTLS: Bool) {
        let redirection = self.redirection(307, to: location)
        #expect(redirection?.target == target && redirection?.leavesTLS == leavesTLS)
    }

    @Test(
        "Which names of fields say that they carry credentials",
        arguments: [
            ("Authorization", true), ("Proxy-Authorization", true), ("X-Authorization", true), ("Cookie", true),
            ("Cookie2", true), ("Set-Cookie2", true), ("X-Passwd", true), ("X-Pwd", true), ("X_Pass", true),
            ("Passphrase", true), ("X-Passcode", true), ("X-Password", true), ("Bearer", true), ("X-BearerKey", true),
            ("X-Api-Key", true), ("ApiKey", true), ("AccessKey", true), ("Private-Token", true), ("X-CSRFToken", true),
            ("Client-Secret", true), ("X-JWT", true), ("X-JWT-Assertion", true), ("OAuth2", true), ("X-SID", true),
            ("X-SessionID", true), ("X-OTP", true), ("X-Sig", true), ("X-Signature", true), ("X-Credentials", true),
            ("Idempotency-Key", false), ("Sec-WebSocket-Key", false), ("X-Compass", false), ("X-Passenger", false),
            ("Author", false), ("X-Side", false), ("X-Signal", false), ("Accept", false), ("X-Keyboard", false),
            ("If-Match", false), ("Content-Type", false), ("User-Agent", false),
        ])
    func credentials(name: String, carriesThem: Bool) {
        #expect(Redirection.carriesCredentials(name) == carriesThem)
        #expect(Redirection.carriesCredentials(name.lowercased()) == carriesThem)
        let redirection = self.redirection(307, to: "https://other.example/")
        #expect(redirection?.keeps(field: name) == !carriesThem)
    }

    @Test("Fields that are meant for one origin go to no other")
    func origins() {
        let bound = ["Authorization", "cookie", "Host", "Origin", "Proxy-Authorization"]
        for (from, to, isSame) in [
            ("https://example.com/a", "https://EXAMPLE.com:443/b", true),
            ("http://example.com/", "http://example.com:80/", true),
            ("https://[::1]/", "https://[::1]:443/", true), ("https://example.com/", "http://example.com/", false),
            ("https://example.com/", "https://example.com:8443/", false),
            ("https://example.com/", "https://www.example.com/", false),
        ] {
            let redirection = self.redirection(308, from: from, to: to)
            for name in bound { #expect(redirection?.keeps(field: name) == isSame, "\(name) to \(to)") }
            #expect(redirection?.keeps(field: "Content-Type") == true && redirection?.keeps(field: "Accept") == true)
        }
    }

    @Test(
        "A trusted target gets credentials, but not the fields that name the first origin",
        arguments: [
            ("Authorization", true), ("Cookie", true), ("Proxy-Authorization", true), ("X-Api-Key", true),
            ("Private-Token", true), ("Accept", true), ("Content-Type", true), ("Host", false), ("Origin", false),
        ])
    func trusted(name: String, follows: Bool) {
        let other = self.redirection(307, to: "https://other.example/", isTrusted: true)
        #expect(other?.keeps(field: name) == follows)
        #expect(self.redirection(307, to: "/b", isTrusted: true)?.keeps(field: name) == true)
    }

    @Test("Fields about the body stay behind with it")
    func content() {
        let redirection = self.redirection(303, to: "/b")
        for name in [
            "content-type", "Content-Length", "Content-Digest", "Transfer-Encoding", "Trailer", "Expect", "Repr-Digest",
        ] {
            #expect(redirection?.keeps(field: name) == false, "\(name)")
        }
        #expect(redirection?.keeps(field: "Authorization") == true && redirection?.keeps(field: "Accept") == true)
    }
}
