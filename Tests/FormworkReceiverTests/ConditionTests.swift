@testable import FormworkReceiver
import FormworkResumable
import TestSupport
import Testing

/// The conditions of requests: those of a PUT, and digests of a body.
@Suite(.timeLimit(.minutes(10)))
struct ConditionTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"

    @Test(arguments: [false, true])
    func `A PUT is done only where its condition holds`(replacing: Bool) async throws {
        let folder = TemporaryFolder()
        try folder.file("a", "old")
        let storage = try FolderStorage(folder.path, replacing: replacing)
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            for (name, field, status) in [
                ("a", "If-None-Match: *", 412), ("a", "If-None-Match: *, *", 400), ("a", "If-Match: \"nope\"", 412),
                ("b", "If-Match: *", 412),
                ("a", "If-Match: *, \"x\"", 412), ("a", "If-None-Match: \"x\"", 201), ("b", "If-None-Match: * ", 201),
                ("b", "If-None-Match: *", 412), ("b", "If-Match: *", replacing ? 201 : 409),
                ("a", "If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT", 412),
            ] {
                let before = folder.names
                let answer = try await receiver.request("PUT /\(name)", [field], "new")
                #expect(answer.status == status, "\(name) \(field)")
                if status >= 400 { #expect(folder.names == before, "\(name) \(field)") }
            }
            #expect(folder.names == (replacing ? ["a", "b"] : ["a", "a (1)", "b"]))
            #expect(try folder.text(of: "a") == (replacing ? "new" : "old"))
            #expect(try await receiver.status("PUT /c", ["If-Match: *", "If-None-Match: *"], "new") == 412)
        }
    }

    @Test(arguments: [false, true])
    func `Of two that come at once for a name that has to be free one is stored`(avoidsUnnamedFiles: Bool) async throws
    {
        let folder = TemporaryFolder()
        let storage = try FolderStorage(folder.path, replacing: true, avoidsUnnamedFiles: avoidsUnnamedFiles)
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            let first = try receiver.connect()
            let head =
                "PUT /a HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nIf-None-Match: *\r\nConnection: close\r\n\r\n"
            await first.send(head + "1")
            #expect(try await receiver.isReceiving())
            #expect(try await receiver.status("PUT /a", ["If-None-Match: *"], "222") == 201)
            await first.send("11")
            #expect(RawAnswer(await first.receiveAll()).status == 412)
            #expect(folder.names == ["a"])
            #expect(try folder.text(of: "a") == "222")
        }
    }

    /// A field, and whether `hello` is what it says.
    static let digests: [(String, Int)] = [
        ("Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:", 201),
        ("Repr-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:", 201),
        ("Content-MD5: XUFAKrxLKna5cZ2REBfFkg==", 201),
        ("Content-Digest: unknown=:AAAA:", 201),
        ("Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCA=:", 400),
        ("Repr-Digest: unknown=:AAAA:, sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCA=:", 400),
        (
            "Content-Digest: sha-512=:m3HSJL1i83hdltRq0+o9czGb+8KJDKra4t/3JRlnPKcjI8PZm6XBHXx6zG4UuMXaDEZjR1wuXDre9G9zvN7AQg==:",
            400
        ),
        ("Content-MD5: XUFAKrxLKna5cZ2REBfFkQ==", 400), ("Content-MD5: zzz", 400),
        ("Content-Digest: sha-256=hello", 400),
    ]

    @Test(arguments: digests)
    func `A file that doesn't match its digest isn't kept`(field: String, status: Int) async throws {
        try await TestReceiver.run { receiver in
            let body = status == 400 && field.contains("sha-512") ? "hellO" : "hello"
            let given = try await receiver.status("PUT /a", [field], body)
            #expect(given == status)
            #expect(receiver.folder.names == (status == 201 ? ["a"] : []))
        }
    }

    @Test func `A form that doesn't match its digest isn't kept, nor is one with bytes after its end`() async throws {
        try await TestReceiver.run { receiver in
            let body = formBody([("title", "x"), ("f;a", "hello")])
            // Of exactly this body, by sha256sum.
            let field = "Content-Digest: sha-256=:EOzEc9tFsKuVrDGEEZ9YpDHPBjvVPrJZZo/Yr4SQ2P4=:"
            #expect(try await receiver.status("POST /", [Self.form, field], body) == 201)
            #expect(receiver.folder.names == ["a", "a.form.json"])
            try receiver.folder.empty()
            for other in [body + "more", body.replacing("hello", with: "hellO")] {
                let answer = try await receiver.request("POST /", [Self.form, field], other)
                #expect(answer.status == 400)
                #expect(answer.body.contains("None of it was kept"))
                #expect(receiver.folder.names == [])
            }
        }
    }

    @Test func `Digests of a piece aren't those of the whole`() async throws {
        try await TestReceiver.resuming { receiver, _ in
            let version = "Upload-Draft-Interop-Version: 8"
            let location = try await receiver.begin(
                "PUT /a",
                [
                    version, "Upload-Complete: ?0",
                    "Content-Digest: sha-256=:LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=:",
                ], "hello")
            let second = try await receiver.request(
                "PATCH \(location)",
                [version, "Content-Type: application/partial-upload", "Upload-Offset: 5", "Upload-Complete: ?1"], "!")
            #expect(second.status == 201)
            #expect(try receiver.folder.text(of: "a") == "hello!")
        }
    }
}
