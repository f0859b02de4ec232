import FormworkResumable
import TestSupport
import Testing

@testable import FormworkReceiver

/// A receiver below a path of a site, and for pages of other sites.
@Suite(.timeLimit(.minutes(10))) struct BasePathTests {
    private static let draft = "Upload-Draft-Interop-Version: 8"

    @Test(arguments: ["/drop/", "/"]) func `Requests come with the path or without it`(prefix: String) async throws {
        let folder = TemporaryFolder()
        let store = UploadStore(folder.path.appending(".formwork-resumable"))
        try await TestReceiver.run(
            {
                $0.address.basePath = "/drop/"
                $0.token = try AccessToken("s3cret")
            }, in: folder, store: store
        ) { receiver in
            let bearer = "Authorization: Bearer s3cret"
            let page = try await receiver.request("GET \(prefix)", [bearer, "Accept: text/html"])
            #expect(page.status == 200)
            for text in [#"href="/drop/page.css""#, #"src="/drop/page.js""#, #"action="/drop/""#] {
                #expect(page.body.contains(text), "\(text)")
            }
            #expect(try await receiver.request("GET \(prefix)page.css").status == 200)
            let login = try await receiver.request(
                "POST \(prefix)login", ["Content-Type: application/x-www-form-urlencoded"], "token=s3cret")
            #expect(login.field("Location") == "/drop/")
            let created = try await receiver.request(
                "POST \(prefix)", [bearer, Self.draft, "Upload-Complete: ?0"], "he")
            #expect(created.field("Location")?.hasPrefix("/drop/.uploads/") == true)
            #expect(try await receiver.request("PUT \(prefix)a.txt", [bearer], "1").status == 201)
            #expect(folder.names.filter { !$0.hasPrefix(".") } == ["a.txt"])
        }
    }

    @Test(arguments: [
        ("/drop", "/"), ("/drop/", "/"), ("/drop/a", "/a"), ("/drop?x", "/?x"), ("/dropbox", "/dropbox"), ("/", "/"),
        ("/drop/\u{301}", "/\u{301}"), ("*", "*"),
    ])
    func `A target without the path`(target: String, expected: String) {
        var router = RequestRouter()
        router.root = "/drop/"
        #expect(router.target(target) == expected)
    }

    @Test func `Pages of a named site upload with a token, and those of others don't`() async throws {
        try await TestReceiver.run({
            $0.token = try AccessToken("s3cret")
            $0.access.allowedOrigins = ["https://example.org"]
        }) { receiver in
            let (origin, site) = ("Origin: https://example.org", "Sec-Fetch-Site: cross-site")
            let asked = try await receiver.request(
                "OPTIONS /a",
                [origin, "Access-Control-Request-Method: PUT", "Access-Control-Request-Headers: authorization"])
            #expect(asked.status == 204)
            #expect(asked.field("Access-Control-Allow-Origin") == "https://example.org")
            #expect(asked.field("Access-Control-Allow-Headers") == "authorization")
            #expect(asked.field("Access-Control-Allow-Methods") == "GET, HEAD, POST, PUT, OPTIONS, PATCH, DELETE")
            let stored = try await receiver.request("PUT /a", [origin, site, "Authorization: Bearer s3cret"], "1")
            #expect(stored.status == 201)
            #expect(stored.field("Access-Control-Allow-Origin") == "https://example.org")
            #expect(stored.field("Access-Control-Expose-Headers")?.contains("Upload-Offset") == true)
            // A login is for this site's own page.
            let login = try await receiver.request(
                "POST /login", ["Content-Type: application/x-www-form-urlencoded"], "token=s3cret")
            let cookie = "Cookie: \(login.field("Set-Cookie")?.prefix { $0 != ";" } ?? "")"
            #expect(try await receiver.request("PUT /b", [cookie], "1").status == 201)
            #expect(try await receiver.request("PUT /c", [origin, site, cookie], "1").status == 401)
            let other = ["Origin: https://example.com", site, "Authorization: Bearer s3cret"]
            let refused = try await receiver.request("PUT /d", other, "1")
            #expect(refused.status == 403)
            #expect(refused.field("Access-Control-Allow-Origin") == nil)
            #expect(receiver.folder.names == ["a", "b"])
        }
    }
}
