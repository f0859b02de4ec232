@testable import FormworkReceiver
import TestSupport
import Testing

/// The text fields of a form, which are kept beside its files.
@Suite(.timeLimit(.minutes(10)))
struct FormRecordTests {
    private static let form = "Content-Type: multipart/form-data; boundary=b"
    /// Of `1`.
    private static let digest = "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b"

    @Test func `Fields are kept in their order, beside the first file`() async throws {
        try await TestReceiver.run { receiver in
            let body = formBody([("tag", "a"), ("f;a.txt", "1"), ("tag", "b"), ("note", "Härbour\r\n\"x\"")])
            for (file, record) in [("a.txt", "a.txt.form.json"), ("a (1).txt", "a (1).txt.form.json")] {
                let answer = try await receiver.request("POST /", [Self.form], body)
                #expect(answer.status == 201)
                #expect(
                    answer.body.hasSuffix(
                        #""fieldsIn":"\#(record)","files":[{"field":"f","name":"\#(file)","sha256":"\#(Self.digest)","size":1,"type":"text/plain"}]}"#
                    ))
                #expect(
                    try receiver.folder.text(of: record) == """
                        {"fields":[{"name":"tag","value":"a"},{"name":"tag","value":"b"},\
                        {"name":"note","value":"Härbour\\r\\n\\"x\\""}],\
                        "files":[{"field":"f","name":"\(file)","sha256":"\(Self.digest)","size":1,"type":"text/plain"}]}
                        """)
            }
            #expect(receiver.folder.names == ["a (1).txt", "a (1).txt.form.json", "a.txt", "a.txt.form.json"])
            #expect(receiver.log.all.contains { $0.contains("fields kept fields=tag, tag, note name=a.txt.form.json") })
        }
    }

    @Test func `Fields that aren't UTF-8 are kept as bytes too, with their type`() async throws {
        try await TestReceiver.run { receiver in
            let part =
                "--b\r\nContent-Disposition: form-data; name=t\r\nContent-Type: text/plain; charset=iso-8859-1\r\n\r\n"
            let answer = try await receiver.request(
                "POST /", [Self.form], Array(part.utf8) + [0xE9] + Array("\r\n--b--\r\n".utf8))
            #expect(answer.status == 201)
            let name = try #require(receiver.folder.names.first)
            #expect(name.hasPrefix("form-") && name.hasSuffix(".form.json"))
            #expect(
                answer.body
                    == #"{"fields":[{"base64":"6Q==","name":"t","value":"é"}],"fieldsIn":"\#(name)","files":[]}"#)
            #expect(
                try receiver.folder.text(of: name)
                    == #"{"fields":[{"base64":"6Q==","name":"t","type":"text/plain; charset=iso-8859-1","value":"é"}],"files":[]}"#
            )
        }
    }

    @Test func `A field that contains the delimiter is refused, and nothing is kept`() async throws {
        try await TestReceiver.run { receiver in
            let boundary = "0123456789abcdef"
            func post(_ boundary: String) async throws -> (status: Int, body: String) {
                let body =
                    "--\(boundary)\r\nContent-Disposition: form-data; name=a\r\n\r\n1--\(boundary)\r\n"
                    + "Content-Disposition: form-data; name=f; filename=x\r\n\r\nXX\r\n--\(boundary)--\r\n"
                let answer = try await receiver.request(
                    "POST /", ["Content-Type: multipart/form-data; boundary=\(boundary)"], body)
                return (answer.status, answer.body)
            }
            let refused = try await post(boundary)
            #expect(refused.status == 400)
            #expect(refused.body.contains("A field has the form's boundary in its text, so a part would be lost"))
            #expect(receiver.folder.names == [])
            #expect(try await post("short").status == 201, "it may be there by chance")
        }
    }

    @Test func `Where fields are dropped the answer says so`() async throws {
        try await TestReceiver.run({ $0.keeping.keepsFields = false }) { receiver in
            let answer = try await receiver.request("POST /", [Self.form], formBody([("tag", "a"), ("f;a", "1")]))
            #expect(answer.body.hasPrefix(#"{"fields":[{"name":"tag","value":"a"}],"fieldsDropped":true,"files":[{"#))
            #expect(receiver.folder.names == ["a"])
            #expect(receiver.log.all.contains { $0.contains("fields dropped fields=tag") })
            let plain = try await receiver.request("POST /", [Self.form], formBody([("f;b", "1")]))
            #expect(plain.body.hasPrefix(#"{"fields":[],"files":[{"#))
        }
    }

    @Test func `A record replaces the previous record, but no file of its own form`() async throws {
        let folder = TemporaryFolder()
        let storage = try FolderStorage(folder.path, replacing: true)
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            for tag in ["1", "2"] {
                _ = try await receiver.request("POST /", [Self.form], formBody([("tag", tag), ("f;a", "1")]))
            }
            #expect(folder.names == ["a", "a.form.json"])
            #expect(try folder.text(of: "a.form.json").hasPrefix(#"{"fields":[{"name":"tag","value":"2"}]"#))
            let body = formBody([("tag", "3"), ("f;a", "1"), ("f;a.form.json", "mine")])
            #expect(try await receiver.status("POST /", [Self.form], body) == 201)
            #expect(folder.names == ["a", "a (1).form.json", "a.form.json"])
            #expect(try folder.text(of: "a.form.json") == "mine")
        }
    }

    @Test func `A form whose record has no room is not kept`() async throws {
        let folder = TemporaryFolder()
        let storage = FailingStorage(base: try FolderStorage(folder.path), fault: .committing("a.form.json"))
        try await TestReceiver.run(in: folder, storage: storage) { receiver in
            let given = try await receiver.status("POST /", [Self.form], formBody([("tag", "a"), ("f;a", "1")]))
            #expect(given == 500)
            #expect(folder.names == [])
        }
    }

    /// The body that `curl -F tag=1 -F photos=@1.jpg,2.jpg` sends.
    private static func nested(_ inner: String, type: String = "multipart/mixed") -> String {
        "--b\r\nContent-Disposition: form-data; name=\"tag\"\r\n\r\n1\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"photos\"\r\nContent-Type: \(type); boundary=i\r\n\r\n"
            + inner + "\r\n--b--\r\n"
    }

    private static func attachment(_ name: String, _ text: String) -> String {
        "--i\r\nContent-Disposition: attachment; filename=\"\(name)\"\r\nContent-Type: image/jpeg\r\n\r\n\(text)\r\n"
    }

    @Test func `Several files of one field are files`() async throws {
        try await TestReceiver.run({ $0.limits.fieldBytes = 100 }) { receiver in
            let long = String(repeating: "x", count: 5_000)
            let inner = Self.attachment("1.jpg", "1") + Self.attachment("2.jpg", long) + "--i--"
            let answer = try await receiver.request("POST /", [Self.form], Self.nested(inner))
            #expect(answer.status == 201)
            #expect(receiver.folder.names == ["1.jpg", "1.jpg.form.json", "2.jpg"])
            #expect(try receiver.folder.text(of: "1.jpg") == "1")
            #expect(try receiver.folder.text(of: "2.jpg") == long)
            #expect(answer.body.hasPrefix(#"{"fields":[{"name":"tag","value":"1"}],"#))
            #expect(answer.body.contains(#"{"field":"photos","name":"1.jpg","#))
        }
    }

    @Test func `Nested text is a field, other multipart types stay whole, and a cut form is refused`() async throws {
        try await TestReceiver.run { receiver in
            let text = "--i\r\n\r\nx\r\n--i--"
            let mixed = try await receiver.request("POST /", [Self.form], Self.nested(text))
            #expect(mixed.body.hasPrefix(#"{"fields":[{"name":"tag","value":"1"},{"name":"photos","value":"x"}],"#))
            let other = try await receiver.request(
                "POST /", [Self.form], Self.nested(text, type: "multipart/alternative"))
            #expect(other.body.contains(#"{"name":"photos","value":"--i\r\n\r\nx\r\n--i--"}"#))
            try receiver.folder.empty()
            #expect(try await receiver.status("POST /", [Self.form], Self.nested(Self.attachment("1.jpg", "1"))) == 400)
            #expect(receiver.folder.names == [])
        }
    }

    @Test func `Limits count what is inside`() async throws {
        try await TestReceiver.run({ ($0.limits.files, $0.limits.fields) = (2, 2) }) { receiver in
            let files = (1...3).map { Self.attachment("\($0)", "x") }.joined() + "--i--"
            let fields = String(repeating: "--i\r\n\r\nx\r\n", count: 2) + "--i--"
            for inner in [files, fields] {
                let given = try await receiver.status("POST /", [Self.form], Self.nested(inner))
                #expect(given == 413)
            }
            #expect(receiver.folder.names == [])
        }
    }
}
