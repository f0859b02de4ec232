@testable import FormworkReceiver
import FormworkResumable
import Foundation
import TestSupport
import Testing

/// Folders of a file's path, which are kept below the receiver's where that is asked for.
@Suite(.timeLimit(.minutes(10)))
struct KeptPathTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"

    private static func files(in folder: TemporaryFolder) -> [String] {
        let paths = FileManager.default.enumerator(atPath: folder.path.string)?.compactMap { $0 as? String } ?? []
        return paths.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: folder.path.string + "/" + path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    @Test(arguments: [false, true])
    func `Folders of a form's files are kept or cut off`(keepsPaths: Bool) async throws {
        try await TestReceiver.run({ $0.keeping.keepsPaths = keepsPaths }) { receiver in
            let body = formBody([("f;two/x/same.txt", "1"), ("f;two/y/same.txt", "2"), ("note", "n")])
            let answer = try await receiver.request("POST /", [Self.form], body)
            #expect(answer.status == 201)
            if keepsPaths {
                #expect(
                    Self.files(in: receiver.folder) == ["two/x/same.txt", "two/x/same.txt.form.json", "two/y/same.txt"])
                #expect(try receiver.folder.text(of: "two/y/same.txt") == "2")
                #expect(answer.body.contains(#""name":"two/y/same.txt""#))
                let page = try await receiver.request("GET /", ["Accept: text/html"])
                #expect(page.body.contains("<bdi>two/y/same.txt</bdi>"))
            } else {
                #expect(Self.files(in: receiver.folder) == ["same (1).txt", "same.txt", "same.txt.form.json"])
            }
            let again = try await receiver.request("POST /", [Self.form], formBody([("f;two/x/same.txt", "3")]))
            #expect(again.body.contains(keepsPaths ? #""name":"two/x/same (1).txt""# : #""name":"same (2).txt""#))
        }
    }

    @Test(
        arguments: [
            ("a/b", "a/b"), ("/a//b/", "a/b"), ("../a/../b", "a/b"), ("a\\b", "a/b"), ("a/b/..", nil), ("a/.", nil),
            ("a/\u{202E}", nil), ("..", nil), ("", nil),
        ] as [(String, String?)])
    func `A path that ends in no name names no file`(path: String, text: String?) {
        #expect(SafePath(path)?.text == text)
    }

    @Test func `A path in a PUT, or in tus metadata, makes folders`() async throws {
        try await TestReceiver.resuming({ $0.keeping.keepsPaths = true }) { receiver, _ in
            #expect(try await receiver.request("PUT /a%20b/c.txt?x", [], "1").status == 201)
            // relativePath is "d/e.txt", filename is "e.txt".
            let location = try await receiver.begin(
                "POST /",
                [
                    "Tus-Resumable: 1.0.0", "Upload-Length: 1",
                    "Upload-Metadata: filename ZS50eHQ=,relativePath ZC9lLnR4dA==",
                ])
            let path =
                location.hasPrefix("http")
                ? "/" + location.split(separator: "/").dropFirst(2).joined(separator: "/") : location
            let sent = try await receiver.request(
                "PATCH \(path)",
                ["Tus-Resumable: 1.0.0", "Upload-Offset: 0", "Content-Type: application/offset+octet-stream"], "2")
            #expect(sent.status == 204)
            #expect(Self.files(in: receiver.folder) == ["a b/c.txt", "d/e.txt"])
        }
    }

    @Test(arguments: ["%CC%81", "%E2%80%8C", "%EF%B8%8F", "%E0%B8%B1"])
    func `A name below a folder may begin with a mark`(mark: String) async throws {
        try await TestReceiver.run({ $0.keeping.keepsPaths = true }) { receiver in
            for _ in 0..<2 {
                #expect(try await receiver.request("PUT /dir/\(mark)x.txt", [], "1").status == 201)
                #expect(try await receiver.request("PUT /\(mark)y/\(mark)x.txt", [], "1").status == 201)
            }
            let decoded = try #require(mark.removingPercentEncoding)
            for folder in ["dir", decoded + "y"] {
                let path = receiver.folder.path.string + "/" + folder
                let names = Set(try FileManager.default.contentsOfDirectory(atPath: path))
                #expect(names == [decoded + "x.txt", decoded + "x (1).txt"])
            }
        }
    }

    /// A path as it is sent, and where its file is.
    static let hostile: [(String, String)] = [
        ("../../etc/passwd", "etc/passwd"), ("/etc/passwd", "etc/passwd"), (#"C:\\x\\y.txt"#, "x/y.txt"),
        (".git/config", "git/config"), ("a/./b//c", "a/b/c"), ("CON/aux.txt", "_CON/_aux.txt"), ("a /b./c", "a/b/c"),
        (".formwork-resumable/x", "formwork-resumable/x"), ("a\u{202E}/b", "a/b"),
    ]

    @Test(arguments: hostile)
    func `No path leads out of the folder`(path: String, expected: String) async throws {
        try await TestReceiver.run({ $0.keeping.keepsPaths = true }) { receiver in
            let given = try await receiver.status("POST /", [Self.form], formBody([("f;\(path)", "x")]))
            #expect(given == 201)
            #expect(Self.files(in: receiver.folder) == [expected])
        }
    }

    @Test func `A path that is too deep, or too long, is refused`() async throws {
        try await TestReceiver.run({ $0.keeping.keepsPaths = true }) { receiver in
            let deep = String(repeating: "d/", count: 32)
            let long = String(repeating: "n", count: 200) + "/"
            let paths = [(deep, 201), ("d/" + deep, 400), (long + long + long + long, 400)]
            for (path, status) in paths {
                let given = try await receiver.status("PUT /\(path)a", [], "x")
                #expect(given == status)
            }
        }
    }

    @Test(arguments: [false, true])
    func `Nothing but a folder is a folder, and no link is followed`(replacing: Bool) async throws {
        let (folder, outside) = (TemporaryFolder(), TemporaryFolder())
        try folder.file("file", "mine")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path.appending("link").string, withDestinationPath: outside.path.string)
        let storage = try FolderStorage(folder.path, replacing: replacing)
        try await TestReceiver.run({ $0.keeping.keepsPaths = true }, in: folder, storage: storage) { receiver in
            for name in ["file/a", "link/a"] {
                let body = formBody([("f;new/b", "x"), ("f;\(name)", "x")])
                let given = try await receiver.status("POST /", [Self.form], body)
                #expect(given == 409)
                #expect(folder.names == ["file", "link"])
            }
            #expect(outside.names == [])
            #expect(try folder.text(of: "file") == "mine")
        }
    }

    @Test func `Files below folders are replaced, and what was there comes back where a form fails`() async throws {
        let folder = TemporaryFolder()
        let storage = try FolderStorage(folder.path, replacing: true, durably: true)
        try await TestReceiver.run({ $0.keeping.keepsPaths = true }, in: folder, storage: storage) { receiver in
            for text in ["1", "2"] {
                let body = formBody([("f;x/a", text), ("f;x/b/c", text)])
                let given = try await receiver.status("POST /", [Self.form], body)
                #expect(given == 201)
                for name in ["x/a", "x/b/c"] { #expect(try folder.text(of: name) == text) }
            }
            let body = formBody([("f;x/a", "3"), ("f;y/z", "3"), ("f;x/b", "3")])
            #expect(try await receiver.status("POST /", [Self.form], body) == 409)
            #expect(Self.files(in: folder) == ["x/a", "x/b/c"])
            #expect(folder.names == ["x"])
            #expect(try folder.text(of: "x/a") == "2")
        }
    }
}
