import FormworkResumable
import Foundation
import TestSupport
import Testing

@testable import FormworkReceiver

/// Requests under upload links.
@Suite(.timeLimit(.minutes(10)))
struct LinkServiceTests {
    private static let version = "Upload-Draft-Interop-Version: 8"
    private static let partial = "Content-Type: application/partial-upload"
    private static let tus = "Tus-Resumable: 1.0.0"
    private static let octets = [Self.tus, "Content-Type: application/offset+octet-stream", "Upload-Offset: 0"]
    private static let token = "Authorization: Bearer secret-of-the-owner"

    /// The path of a link that allows ten bytes.
    private static func link(
        _ folder: String? = "inbox/ann", maxSize: Int64? = 10, title: String? = nil, id: String = "0000000000000001",
        expires: Int64 = 4_102_444_800, total: Int64? = nil, uses: Int64? = nil
    ) throws -> String {
        let folders = try folder.map { try #require(SignedLink.folders(of: $0)) } ?? []
        let link = SignedLink(
            expires: expires, maxSize: maxSize, total: total, uses: uses, folders: folders, title: title, id: id)
        return "/.link/\(try LinkKeys(SignedLinkTests.key).token(for: link))"
    }

    /// Runs a receiver with a token and a key of links.
    private static func run(
        replacing: Bool = false, _ change: @escaping (inout ReceiverOptions) -> Void = { _ in },
        _ test: @escaping @Sendable (TestReceiver) async throws -> Void
    ) async throws {
        let (folder, uploads) = (TemporaryFolder(), TemporaryFolder())
        let storage = try FolderStorage(folder.path, replacing: replacing)
        try await TestReceiver.run(
            {
                $0.token = try AccessToken("secret-of-the-owner")
                $0.access.linkKeys = try LinkKeys(SignedLinkTests.key)
                $0.access.linkUses = LinkUses(box: try FolderRecordBox(in: folder.path, LinkUses.folderName))
                change(&$0)
            }, in: folder, storage: storage, store: UploadStore(uploads.path), metrics: MemoryMetrics(), test)
        withExtendedLifetime(uploads) {}
    }

    private static func names(_ receiver: TestReceiver) throws -> [String] {
        let root = receiver.folder.path.string
        let found = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
        return found.filter { name in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    @Test func `A link needs no token, and its files are in its folder`() async throws {
        try await Self.run { receiver in
            let link = try Self.link()
            #expect(try await receiver.request("PUT /a.txt", [], "1").status == 401)
            let answer = try await receiver.request("PUT \(link)/a.txt", [], "1")
            #expect(answer.status == 201 && answer.body.contains(#""name":"inbox/ann/a.txt""#))
            #expect(try await receiver.request("POST \(link)/", ["Content-Type: text/plain"], "1").status == 201)
            #expect(try await receiver.request("PUT \(link)/a.txt", [], "2").body.contains("inbox/ann/a (1).txt"))
            #expect(try Self.names(receiver).allSatisfy { $0.hasPrefix("inbox/ann/") })
            #expect(receiver.log.all.filter { $0.contains("link=0000000000000001") }.count == 3)
        }
    }

    @Test func `A form's files and fields are in the folder`() async throws {
        try await Self.run { receiver in
            let link = try Self.link()
            let type = ["Content-Type: multipart/form-data; boundary=b"]
            let both = formBody([("title", "x"), ("f;a.txt", "1"), ("g;b.txt", "2")])
            #expect(try await receiver.request("POST \(link)/", type, both).status == 201)
            #expect(try await receiver.request("POST \(link)/", type, formBody([("title", "x")])).status == 201)
            let names = try Self.names(receiver)
            #expect(names.prefix(3) == ["inbox/ann/a.txt", "inbox/ann/a.txt.form.json", "inbox/ann/b.txt"])
            #expect(names.count == 4 && names[3].hasPrefix("inbox/ann/form-"))
        }
    }

    @Test(arguments: [
        "/../../x", "/..%2F..%2Fx", "/%2e%2e/x", "/..%5C..%5Cx", "/C:%5Cx", "/%2Fetc%2Fx", "/./x", "//x",
    ])
    func `No name leaves the folder`(path: String) async throws {
        for keepsPaths in [false, true] {
            try await Self.run({ $0.keeping.keepsPaths = keepsPaths }) { receiver in
                let link = try Self.link()
                _ = try await receiver.request("PUT \(link)\(path)", [], "1")
                let type = ["Content-Type: multipart/form-data; boundary=b"]
                _ = try await receiver.request("POST \(link)/", type, formBody([("f;\(path)", "1")]))
                #expect(try Self.names(receiver).allSatisfy { $0.hasPrefix("inbox/ann/") })
                #expect(try !Self.names(receiver).isEmpty)
            }
        }
    }

    @Test func `More than the link allows is refused at every door`() async throws {
        try await Self.run { receiver in
            let (link, eleven) = (try Self.link(), "12345678901")
            let whole = try await receiver.request("PUT \(link)/a", [], eleven)
            #expect(whole.status == 413 && whole.body.contains("The file has 11 bytes: the limit is 10."))
            let long = try await receiver.request("PUT \(link)/a", ["Content-Length: 2000000"])
            #expect(long.status == 413 && long.body.contains("The file has 2000000 bytes: the limit is 10."))
            let chunked = ["Transfer-Encoding: chunked"]
            let chunks = "b\r\n\(eleven)\r\n0\r\n\r\n"
            #expect(try await receiver.request("PUT \(link)/a", chunked, chunks).status == 413)
            let type = ["Content-Type: multipart/form-data; boundary=b"]
            #expect(try await receiver.request("POST \(link)/", type, formBody([("f;a", eleven)])).status == 413)
            let huge = formBody([("f;a", "1"), ("t", String(repeating: "x", count: 1_100_000))])
            #expect(try await receiver.request("POST \(link)/", type, huge).status == 413)

            let tus = try await receiver.request("POST \(link)/", [Self.tus, "Upload-Length: 11"])
            #expect(tus.status == 413)
            let draft = [Self.version, "Upload-Complete: ?0", "Upload-Length: 11"]
            #expect(try await receiver.request("POST \(link)/", draft).status == 413)
            // A form may have framing and fields besides the file.
            let options = try await receiver.request("OPTIONS \(link)/", [])
            #expect(options.field("Upload-Limit")?.hasPrefix("max-size=1048586,") == true)

            // Without a length, which shows with the bytes.
            let path = try await receiver.begin("POST \(link)/", [Self.tus, "Upload-Defer-Length: 1"])
            #expect(try await receiver.request("PATCH \(path)", Self.octets, eleven).status == 413)
            let place = try await receiver.begin("POST \(link)/", [Self.version, "Upload-Complete: ?0"])
            let fields = [Self.version, Self.partial, "Upload-Offset: 0", "Upload-Complete: ?1"]
            #expect(try await receiver.request("PATCH \(place)", fields, eleven).status == 413)
            #expect(try Self.names(receiver) == [])
        }
    }

    @Test func `Ten bytes are accepted at every door`() async throws {
        try await Self.run { receiver in
            let (link, ten) = (try Self.link(), "1234567890")
            #expect(try await receiver.request("PUT \(link)/a", [], ten).status == 201)
            let type = ["Content-Type: multipart/form-data; boundary=b"]
            #expect(try await receiver.request("POST \(link)/", type, formBody([("f;b", ten)])).status == 201)
            let path = try await receiver.begin(
                "POST \(link)/", [Self.tus, "Upload-Length: 10", "Upload-Metadata: filename Yw=="])
            #expect(path.hasPrefix("\(link)/.uploads/"))
            #expect(try await receiver.request("PATCH \(path)", Self.octets, ten).status == 204)
            let draft = [Self.version, "Upload-Complete: ?0", "Content-Disposition: attachment; filename=d"]
            let place = try await receiver.begin("POST \(link)/", draft)
            let rest = [Self.version, Self.partial, "Upload-Offset: 0", "Upload-Complete: ?1"]
            #expect(try await receiver.request("PATCH \(place)", rest, ten).status == 201)
            let whole = formBody([("f;e", ten)])
            let form = [Self.version, "Upload-Complete: ?1"] + type
            #expect(try await receiver.request("POST \(link)/", form, whole).status == 201)
            #expect(try Self.names(receiver) == ["a", "b", "c", "d", "e"].map { "inbox/ann/\($0)" })
        }
    }

    @Test func `A link accepts as many uploads as it says`() async throws {
        try await Self.run { receiver in
            let link = try Self.link(uses: 3)
            let type = ["Content-Type: multipart/form-data; boundary=b"]
            #expect(try await receiver.request("PUT \(link)/a", [], "1").status == 201)
            // What fails doesn't count.
            #expect(try await receiver.request("PUT \(link)/b", [], "12345678901").status == 413)
            #expect(try await receiver.request("POST \(link)/", type, "no form").status == 400)
            let both = formBody([("f;b", "1"), ("g;c", "2")])
            #expect(try await receiver.request("POST \(link)/", type, both).status == 201)
            let begin = [Self.tus, "Upload-Length: 1", "Upload-Metadata: filename ZA=="]
            let (path, late) = (
                try await receiver.begin("POST \(link)/", begin), try await receiver.begin("POST \(link)/", begin)
            )
            #expect(try await receiver.request("PATCH \(path)", Self.octets, "1").status == 204)
            let refused = try await receiver.request("PUT \(link)/e", [], "1")
            #expect(refused.status == 403 && refused.body.contains("used as often as it can be"))
            #expect(try await receiver.request("POST \(link)/", begin).status == 403)
            #expect(try await receiver.request("PATCH \(late)", Self.octets, "1").status == 403)
            #expect(
                try Self.names(receiver).filter { !$0.hasPrefix(".") }
                    == ["a", "b", "c", "d"].map { "inbox/ann/\($0)" })
            #expect(
                try await receiver.request("PUT \(try Self.link(id: "0000000000000002", uses: 1))/e", [], "1").status
                    == 201)
        }
    }

    @Test func `Of uploads at once through several receivers a link accepts no more, in a folder or a bucket`()
        async throws
    {
        let (folder, store) = (TemporaryFolder(), try FakeStore())
        var terms = UploadTerms(link: "0000000000000001")
        terms.uses = .init(count: 3, expires: 4_102_444_800)
        try await BucketUploadsTests.with(store, receivers: 2) { [terms] storages in
            let boxes: [[any RecordBox]] = [
                storages.map { BucketRecordBox($0, LinkUses.folderName) },
                try (0..<2).map { _ in try FolderRecordBox(in: folder.path, LinkUses.folderName) },
            ]
            for two in boxes {
                let places = await withTaskGroup(of: String?.self) { group in
                    for number in 0..<10 {
                        group.addTask { try? await LinkUses(box: two[number % 2]).take(terms, for: nil) }
                    }
                    return await group.reduce(into: [String]()) { $0 += [$1].compactMap(\.self) }
                }
                #expect(places.count == 3 && Set(places).count == 3)
                let uses = LinkUses(box: two[0])
                await uses.giveBack(places[0])
                // A complete upload that is stored again has its place already.
                for box in two { #expect(try await LinkUses(box: box).take(terms, for: "u") == places[0]) }
                await #expect(throws: StorageRefusal.self) { try await uses.take(terms, for: "other") }
                // Those of a link that has expired are removed.
                #expect(try await two[0].add([], "1000.0000000000000002.0"))
                await #expect(throws: StorageRefusal.self) { try await uses.check(terms) }
                #expect(try await two[0].list().count == 3)
            }
        }
    }

    @Test func `The files in a link's folder have no more bytes than the link says`() async throws {
        try await Self.run { receiver in
            let (link, other) = (
                try Self.link(total: 10), try Self.link("inbox/bob", id: "0000000000000002", total: 10)
            )
            #expect(try await receiver.request("PUT \(link)/a", [], "1234567").status == 201)
            #expect(try await receiver.request("PUT \(link)/b", [], "1234").status == 507)
            #expect(try await receiver.request("POST \(link)/", [Self.tus, "Upload-Length: 4"]).status == 507)
            #expect(try await receiver.request("PUT \(other)/b", [], "1234").status == 201)
            #expect(try await receiver.request("PUT \(link)/b", [], "123").status == 201)
        }
    }

    @Test func `An upload belongs to its link`() async throws {
        try await Self.run { receiver in
            let (mine, other) = (try Self.link(), try Self.link(id: "0000000000000002"))
            let draft = [Self.version, "Upload-Complete: ?0", "Content-Disposition: attachment; filename=a"]
            let place = try await receiver.begin("POST \(mine)/", draft)
            let name = try #require(place.split(separator: "/").last)
            #expect(try await receiver.request("HEAD \(place)", [Self.version]).status == 204)
            #expect(try await receiver.request("HEAD \(other)/.uploads/\(name)", [Self.version]).status == 404)
            #expect(try await receiver.request("DELETE \(other)/.uploads/\(name)", [Self.version]).status == 404)
            #expect(try await receiver.request("HEAD /.uploads/\(name)", [Self.version]).status == 401)
            // The owner may complete it; the link's terms still apply.
            let rest = [Self.version, Self.partial, "Upload-Offset: 0", "Upload-Complete: ?1", Self.token]
            let answer = try await receiver.request("PATCH /.uploads/\(name)", rest, "1")
            #expect(answer.status == 201 && answer.body.contains("inbox/ann/a"))
            // And an upload of the owner's isn't there for links.
            let own = try await receiver.begin("POST /", draft + [Self.token])
            #expect(try await receiver.request("HEAD \(mine)\(own)", [Self.version]).status == 404)
            #expect(try await receiver.request("HEAD \(own)", [Self.version, Self.token]).status == 204)
        }
    }

    @Test func `A link neither replaces nor lists other files`() async throws {
        try await Self.run(replacing: true) { receiver in
            let (mine, other) = (try Self.link(), try Self.link(id: "0000000000000002"))
            #expect(try await receiver.request("PUT \(other)/a", [], "first").status == 201)
            #expect(try await receiver.request("PUT \(mine)/a", [], "second").body.contains("inbox/ann/a (1)"))
            let refused = try await receiver.request("PUT \(mine)/a", ["If-Match: *"], "third")
            #expect(refused.status == 412 && refused.body.contains("Files aren't replaced by this upload"))
            #expect(try receiver.folder.text(of: "inbox/ann/a") == "first")
            let list = try await receiver.request("GET \(mine)/files.json")
            #expect(list.body.contains("a (1)") && !list.body.contains(#""name":"inbox/ann/a","#))
            #expect(list.body.contains(#""maxFileSize":10"#))
            // A record of fields replaces none either.
            let type = ["Content-Type: multipart/form-data; boundary=b"]
            let form = formBody([("t", "x"), ("f;b", "1")])
            for _ in 0..<2 { #expect(try await receiver.request("POST \(mine)/", type, form).status == 201) }
            #expect(try Self.names(receiver).contains("inbox/ann/b (1).form.json"))
        }
    }

    @Test(arguments: ["/metrics", "/healthz", "/readyz", "/page.css", "/page.js", "/login", "/x"])
    func `Nothing else is below a link`(path: String) async throws {
        try await Self.run { receiver in
            let given = try await receiver.status("GET \(try Self.link())\(path)")
            #expect(given == 404)
        }
    }

    @Test func `The page shows the link's title, limit and end`() async throws {
        try await Self.run { receiver in
            let link = try Self.link(title: "Photos <of> Ann")
            let page = try await receiver.request("GET \(link)/", ["Accept: text/html"])
            #expect(page.status == 200 && page.body.contains("<h1>Photos &lt;of&gt; Ann</h1>"))
            #expect(page.body.contains(#"<form id="form" method="post" action="\#(link)/""#))
            #expect(page.body.contains("At most 10 B per file"))
            #expect(page.body.contains(#"datetime="2100-01-01T00:00:00Z">2100-01-01 00:00 UTC</time>."#))
            #expect(!page.body.contains("Authorization: Bearer"))
            let address = "http://localhost:\(receiver.port)\(link)/"
            #expect(page.body.contains("-F files=@FILE <span class=\"address\">\(address)</span>"))
            let plain = try await receiver.request("GET \(link)", ["Accept: text/html"])
            #expect(plain.status == 303 && plain.field("Location") == "\(link)/")
            let fields = [
                "Content-Type: multipart/form-data; boundary=b", "Accept: text/html",
                "Origin: http://localhost:\(receiver.port)",
            ]
            let sent = try await receiver.request("POST \(link)/", fields, formBody([("f;a", "1")]))
            #expect(sent.status == 303 && sent.field("Location") == "\(link)/?received=1")
            let news = try await receiver.request("GET \(link)/?received=1", ["Accept: text/html"])
            #expect(news.body.contains("1 file has arrived."))
        }
    }

    @Test func `A link that isn't valid is refused with the reason, and isn't logged`() async throws {
        try await Self.run { receiver in
            let link = try Self.link()
            for (path, reason) in [
                (link + "x", "isn't complete"), (String(link.dropLast(3)) + "AAA", "signature is wrong"),
                (try Self.link(expires: 1_000), "expired at 1970-01-01T00:16:40Z"), ("/.link/", "isn't complete"),
            ] {
                for end in ["PUT /a.txt", "GET /", "POST /", "HEAD /.uploads/0", "OPTIONS /"] {
                    let words = end.split(separator: " ")
                    let line = "\(words[0]) \(path)\(words[1])"
                    let answer = try await receiver.request(line, [Self.tus, "Upload-Length: 1"])
                    #expect(answer.status == 403, "\(line)")
                    guard !line.hasPrefix("HEAD") else { continue }
                    #expect(answer.field("Content-Type") == "application/problem+json" && answer.body.contains(reason))
                }
            }
            #expect(try Self.names(receiver) == [])
            let signature = try #require(link.split(separator: ".").last)
            #expect(!receiver.log.all.contains { $0.contains(signature.prefix(20)) })
            #expect(receiver.log.all.contains { $0.contains("path=/.link/***/a.txt") })
        }
    }

    @Test func `A request that can't be read isn't logged with its link`() async throws {
        try await Self.run { receiver in
            let link = try Self.link()
            let connection = try receiver.connect()
            await connection.send("PUT \(link)/a HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
            _ = await connection.receiveAll()
            #expect(receiver.log.all.contains { $0.contains("path=/.link/***/a") })
            #expect(!receiver.log.all.contains { $0.contains(link) })
        }
    }

    @Test func `A link that is written in another way isn't logged`() async throws {
        try await Self.run { receiver in
            let link = try Self.link()
            let word = try #require(link.split(separator: "/").last)
            for path in ["/\(link)/f", "/%2elink/\(word)/f", "/x\(link)/f", "\(link)/\(link)/f"] {
                for method in ["GET", "DELETE"] { _ = try await receiver.request("\(method) \(path)", [Self.tus]) }
            }
            #expect(receiver.log.all.filter { $0.contains("path=/.link/***") }.count >= 8, "\(receiver.log.all)")
            #expect(!receiver.log.all.contains { $0.contains(word) })
        }
    }

    @Test func `Keys are replaced while the receiver runs, and without them links are refused`() async throws {
        try await Self.run { receiver in
            let link = try Self.link()
            #expect(try await receiver.request("PUT \(link)/a", [], "1").status == 201)
            try receiver.service.reload(
                nil, token: AccessToken("secret-of-the-owner"), linkKeys: LinkKeys("another key that is long enough!"))
            #expect(try await receiver.request("PUT \(link)/a", [], "1").status == 403)
        }
        try await Self.run({ $0.access.linkKeys = nil }) { receiver in
            let answer = try await receiver.request("PUT \(try Self.link())/a", [Self.token], "1")
            #expect(answer.status == 403 && answer.body.contains("This receiver accepts no upload links."))
        }
    }

    @Test func `A page of another site can't use a link, either`() async throws {
        try await Self.run { receiver in
            let answer = try await receiver.request("PUT \(try Self.link())/a", ["Origin: https://evil.example"], "1")
            #expect(answer.status == 403 && answer.body.contains("Another site's page"))
        }
    }
}
