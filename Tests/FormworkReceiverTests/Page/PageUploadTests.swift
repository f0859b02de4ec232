@testable import FormworkReceiver
import FormworkResumable
import TestSupport
import Testing

/// The requests that the page's script sends, in its own words.
@Suite(.timeLimit(.minutes(10)))
struct PageUploadTests {
    private static let version = "Upload-Draft-Interop-Version: 8"
    private static let script = ["Accept: application/json", "X-Requested-With: XMLHttpRequest", version]
    private static let piece = ["Content-Type: application/partial-upload", "Upload-Complete: ?1"]

    private static func creation(_ path: String, length: Int) -> [String] {
        Self.script + [
            "Origin: http://localhost:PORT", "Sec-Fetch-Site: same-origin", "Upload-Complete: ?0",
            "Upload-Length: \(length)", "Content-Type: image/jpeg",
            "Content-Disposition: attachment; filename*=UTF-8''\(path)",
        ]
    }

    @Test(arguments: [("hello", true), ("", true), ("hello", false)])
    func `A small file arrives in one request`(content: String, resumes: Bool) async throws {
        let folder = TemporaryFolder()
        try await TestReceiver.run(store: resumes ? UploadStore(folder.path) : nil) { receiver in
            let fields =
                Self.script.dropLast() + [
                    "Origin: http://localhost:\(receiver.port)", "Sec-Fetch-Site: same-origin",
                    "Content-Type: image/jpeg",
                    "Content-Disposition: attachment; filename*=UTF-8''he%20said%20%22hi%22%28%29.jpg",
                ]
            let answer = try await receiver.request("POST /", Array(fields), content)
            #expect(answer.status == 201)
            #expect(answer.body.contains(#""name":"he said _hi_().jpg""#))
            #expect(try receiver.folder.text(of: "he said _hi_().jpg") == content)
            #expect(folder.names == [])
        }
    }

    @Test(arguments: [
        (true, "trip%2Fgr%C3%BC%C3%9Fe.jpg", "trip/grüße.jpg"), (false, "trip%2Fgr%C3%BC%C3%9Fe.jpg", "grüße.jpg"),
        (false, "he%20said%20%22hi%22%28%29.jpg", "he said _hi_().jpg"),
    ])
    func `A file arrives in two pieces, under its name`(keepsPaths: Bool, path: String, name: String) async throws {
        try await TestReceiver.resuming({ $0.keeping.keepsPaths = keepsPaths }) { receiver, _ in
            let fields = Self.creation(path, length: 5).map { $0.replacing("PORT", with: "\(receiver.port)") }
            let url = try await receiver.begin("POST /", fields, "")
            #expect(url.hasPrefix("/.uploads/"))

            // Cut after two of five bytes.
            let cut = try receiver.connect()
            let head =
                (["PATCH \(url) HTTP/1.1", "Host: localhost", "Upload-Offset: 0", "Content-Length: 5"]
                + Self.script + Self.piece).joined(separator: "\r\n")
            await cut.send(head + "\r\n\r\nhe")
            await cut.finishSending()
            _ = await cut.receiveAll()
            await cut.cut()
            let offset = try await receiver.request("HEAD \(url)", Self.script)
            #expect(offset.status == 204)
            #expect(offset.field("Upload-Offset") == "2")
            #expect(offset.field("Upload-Complete") == "?0")

            let end = try await receiver.request("PATCH \(url)", Self.script + Self.piece + ["Upload-Offset: 2"], "llo")
            #expect(end.status == 201)
            #expect(end.field("Upload-Complete") == "?1")
            #expect(try receiver.folder.text(of: name) == "hello")
            let digest = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824"
            #expect(end.body.contains(#""sha256":"\#(digest)""#))

            // An answer that was lost is sent again, and the file isn't stored again.
            let again = try await receiver.request("PATCH \(url)", Self.script + Self.piece + ["Upload-Offset: 5"], "")
            #expect(again.status == 201)
            #expect(again.body == end.body)
            #expect(receiver.folder.names.count == 1)
        }
    }

    @Test func `A receiver that doesn't resume refuses the first request`() async throws {
        try await TestReceiver.run { receiver in
            let fields = Self.creation("a.jpg", length: 5).map { $0.replacing("PORT", with: "\(receiver.port)") }
            let given = try await receiver.status("POST /", fields, "")
            #expect(given == 501)
            #expect(receiver.folder.names == [])
        }
    }
}
