import FormworkHTTP
import Testing

@testable import FormworkReceiver

/// Links and their signatures. Those written here were made with OpenSSL:
/// `printf TEXT | openssl dgst -sha256 -hmac KEY -binary | basenc --base64url`.
@Suite(.timeLimit(.minutes(10))) struct SignedLinkTests {
    static let key = "0123456789abcdef0123456789abcdef"

    private static let text = """
        formwork-link 1
        expires=4102444800
        id=7f3a90c2d1e4b586
        max-size=5368709120
        prefix=inbox/ann
        title=Photos of the wedding
        """
    private static let token =
        "Zm9ybXdvcmstbGluayAxCmV4cGlyZXM9NDEwMjQ0NDgwMAppZD03ZjNhOTBjMmQxZTRiNTg2Cm1heC1zaXplPTUzNjg3MDkxMjAKcHJlZml4"
        + "PWluYm94L2Fubgp0aXRsZT1QaG90b3Mgb2YgdGhlIHdlZGRpbmc.tKA8AHy5xVX7iE6gHYTSCnHxGkWyfIF3g_rT_yD_r2s"

    private static func link() throws -> SignedLink {
        SignedLink(
            expires: 4_102_444_800, maxSize: 5 << 30, folders: try #require(SignedLink.folders(of: "inbox/ann")),
            title: "Photos of the wedding", id: "7f3a90c2d1e4b586")
    }

    private static func refusal(_ token: String, now: Int64 = 0, key: String = Self.key) throws -> String? {
        let keys = try LinkKeys(key)
        do throws(ProblemDetails) {
            _ = try keys.link(token, now: now)
            return nil
        } catch {
            #expect(error.status == 403)
            return error.detail
        }
    }

    @Test func `A link is what OpenSSL signs`() throws {
        let link = try Self.link()
        #expect(link.text == Self.text)
        #expect(try LinkKeys(Self.key).token(for: link) == Self.token)
        #expect(try LinkKeys(Self.key).link(Self.token, now: 4_102_444_799) == link)
        #expect(link.expiry == "2100-01-01T00:00:00Z")
    }

    @Test func `Any other character makes the link invalid`() throws {
        for index in Self.token.indices {
            for other in ["A", "b", "_", ".", "=", "%"] where !Self.token[index...].hasPrefix(other) {
                let changed = Self.token.replacingCharacters(in: index, by: other)
                #expect(try Self.refusal(changed) != nil, "\(changed)")
            }
        }
        #expect(try Self.refusal(Self.token) == nil)
    }

    @Test(arguments: ["", ".", "a", "a.b", "a.b.c", "Zm9v.", "=.=", String(repeating: "a", count: 100_000) + ".b"])
    func `What isn't a link is refused`(token: String) throws {
        #expect(try Self.refusal(token) == "This upload link isn't complete: copy all of it.")
    }

    @Test func `A link of another key is refused`() throws {
        #expect(
            try Self.refusal(Self.token, key: "another key that is long enough!")
                == "This upload link's signature is wrong: the link was changed, or made with another receiver's key.")
    }

    @Test func `A link expires by the receiver's clock, which the refusal shows`() throws {
        let token =
            "Zm9ybXdvcmstbGluayAxCmV4cGlyZXM9MTAwMAppZD0wMDAwMDAwMDAwMDAwMDAx"
            + ".HI4HyWQNoOKTkautrmiyBPvKSpz9DATbLZ_WW87yGA4"
        #expect(try Self.refusal(token, now: 999) == nil)
        #expect(
            try Self.refusal(token, now: 1_000)
                == "This upload link expired at 1970-01-01T00:16:40Z. The receiver's clock shows 1970-01-01T00:16:40Z.")
    }

    @Test func `A claim of a later version is refused, although its signature is right`() throws {
        // only=pdf
        let token =
            "Zm9ybXdvcmstbGluayAxCmV4cGlyZXM9NDEwMjQ0NDgwMAppZD0wMDAwMDAwMDAwMDAwMDAxCm9ubHk9cGRm"
            + ".oR7Bxz68JDfQqWW6yWB-FzjFA0q0Fl-xyzPhE3cCv50"
        #expect(try Self.refusal(token) == "This upload link has a claim that this receiver doesn't accept.")
    }

    @Test func `Claims that aren't UTF-8 are refused, although their signature is right`() throws {
        // title=a and the byte FF, prefix=a, the byte FF and /b
        for token in [
            "Zm9ybXdvcmstbGluayAxCmV4cGlyZXM9NDEwMjQ0NDgwMAppZD0wMDAwMDAwMDAwMDAwMDAxCnRpdGxlPWH_"
                + ".a8QsHeXSz_NyHJ8hTYmXNMjtP157fqQB04_nmj3UN7M",
            "Zm9ybXdvcmstbGluayAxCmV4cGlyZXM9NDEwMjQ0NDgwMAppZD0wMDAwMDAwMDAwMDAwMDAxCnByZWZpeD1h_y9i"
                + ".6Fag_AP7UHG_JCBD6x97BDEhCA1Xs29a1Ds_rurFq4U",
        ] {
            #expect(try Self.refusal(token) == "This upload link has a claim that this receiver doesn't accept.")
        }
    }

    @Test func `The first key signs, and links of all keys are accepted`() throws {
        let (old, new) = (Self.key, "a new key with 32 characters, too")
        let both = try LinkKeys("\(new)\n\(old)\n")
        #expect(try both.link(Self.token, now: 0) == Self.link())
        let made = both.token(for: try Self.link())
        #expect(try LinkKeys(new).link(made, now: 0) == Self.link())
        #expect(try Self.refusal(made) != nil)
    }

    @Test func `A line with a link's id withdraws that link`() throws {
        #expect(
            try Self.refusal(Self.token, key: "\(Self.key)\n7f3a90c2d1e4b586\n0000000000000001")
                == "This upload link was withdrawn.")
        #expect(try Self.refusal(Self.token, key: "0000000000000001\n\(Self.key)\n") == nil)
        #expect(throws: SecretFault.self) { try LinkKeys("7f3a90c2d1e4b586") }
        #expect(throws: SecretFault.self) { try LinkKeys("\(Self.key)\n7F3A90C2D1E4B586") }
        let ids = (0..<1_000).map { _ in SignedLink.newID() }
        #expect(try Self.refusal(Self.token, key: ([Self.key] + ids).joined(separator: "\n")) == nil)
    }

    @Test(arguments: ["", "\n\n", "short", "0123456789abcdef0123456789abcde", "\(Self.key)\nshort"])
    func `Keys are long enough`(text: String) {
        #expect(throws: SecretFault.self) { try LinkKeys(text) }
    }

    @Test(arguments: [
        "", "/a", "a/", "a//b", ".", "..", "../a", "a/../b", "a/./b", ".hidden", "a\\b", "a:b", "CON", "a ", "-a",
        "a\nb",
        "a*", "e\u{301}", Array(repeating: "a", count: 17).joined(separator: "/"), String(repeating: "a", count: 256),
    ])
    func `A folder that isn't safe as it is can't be a prefix`(prefix: String) {
        #expect(SignedLink.folders(of: prefix) == nil)
    }

    @Test func `Folders are kept as they are`() {
        #expect(SignedLink.folders(of: "Fotos 2026/Ann & Bob/été")?.map(\.text) == ["Fotos 2026", "Ann & Bob", "été"])
    }

    @Test func `A title, and a folder, may begin with a mark`() throws {
        let folders = try #require(SignedLink.folders(of: "in/\u{301}x"))
        #expect(folders.map { Array($0.text.utf8) } == [[0x69, 0x6E], [0xCC, 0x81, 0x78]])
        var link = try Self.link()
        (link.folders, link.title) = (folders, "\u{301}x")
        let keys = try LinkKeys(Self.key)
        let read = try keys.link(keys.token(for: link), now: 0)
        #expect(read.prefix.map { Array($0.utf8) } == Array("in/\u{301}x".utf8))
        #expect(read.title.map { Array($0.utf8) } == [0xCC, 0x81, 0x78])
        (link.folders, link.title) = (try #require(SignedLink.folders(of: "\u{301}x")), nil)
        #expect(try keys.link(keys.token(for: link), now: 0) == link)
    }

    @Test(arguments: [
        ("/.link/a.b/", "a.b", "/", true), ("/.link/a.b/\u{301}x", "a.b", "/\u{301}x", true),
        ("/.link/\u{301}", "\u{301}", "/", false), ("/.link/a.b", "a.b", "/", false),
        ("/.link/a.b/x/y?z", "a.b", "/x/y?z", true),
        ("/.link/a.b?z", "a.b", "/?z", false), ("/.link/", "", "/", false), ("/.link//x", "", "/x", true),
        ("/.link//a.b/x", "", "/a.b/x", true),
    ])
    func `A target below a link is divided`(target: String, token: String, rest: String, isFolder: Bool) throws {
        let path = try #require(LinkPath(target))
        #expect(path.token == token && path.rest == rest && path.isFolder == isFolder)
        // Anything else than a link may have one after it.
        #expect(LinkPath.masked(target) == (token.contains(".") ? "/.link/***\(rest)" : "/.link/***"))
    }

    @Test(arguments: ["/", "/.link", "/.linka/", "/x.link/a", "/%2Elink%2", "*", ""])
    func `Other targets aren't below a link`(target: String) {
        #expect(LinkPath(target) == nil && LinkPath.masked(target) == target)
    }

    @Test(arguments: [
        "http://h/.link/a.b/x", "/%2Elink/a.b/x", "https://h:1/%2elink/a.b", "//.link/a.b/f", "/x/.link/a.b/",
        "/.link%2Fa.b/f", "/%2elink/a.b/%zz", "/.LINK/a.b/f", "/%FF/.%6Cink/a.b", "/x?y=/.link/a.b",
    ])
    func `A link that is written in another way isn't shown`(target: String) {
        #expect(LinkPath(target) == nil)
        #expect(LinkPath.masked(target) == "/.link/***")
        #expect(LinkPath.masked("/.link/a.b" + target).contains("a.b") == false)
    }
}

extension String {
    fileprivate func replacingCharacters(in index: Index, by other: String) -> String {
        String(self[..<index]) + other + String(self[self.index(after: index)...])
    }
}
