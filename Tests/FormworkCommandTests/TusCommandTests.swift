import Foundation
import Testing

/// `send --resume tus` to servers that store files, and to ours.
@Suite("send to a tus server", .timeLimit(.minutes(10)))
struct TusCommandTests {
    private let folder = Folder()

    @Test("A server that isn't ours stores the file, with its name, type and the form's fields")
    func file() throws {
        let (folder, store) = (Folder(), try TusStore())
        try folder.file("grüße.txt", "hello, world")
        let result = try Command.run(
            "send", store.url, "-F", "title=Harbour, dawn", "-F", "f=@grüße.txt", "--resume", "tus", in: folder.path)
        #expect(result.status == 0)
        let (time, line) = (result.errors.prefix(9), result.errors.dropFirst(9))
        #expect(time.wholeMatch(of: #/[0-9:]{8} /#) != nil, "\(result.errors)")
        #expect(line == "formwork: grüße.txt is at \(store.url)/0\n", "\(result.errors)")
        #expect(store.uploads.map { String(decoding: $0.bytes, as: UTF8.self) } == ["hello, world"])
        #expect(
            store.uploads.first?.metadata
                == ["filename": "grüße.txt", "filetype": "text/plain", "title": "Harbour, dawn"])
        #expect(store.heads.map { $0.prefix { $0 != " " } } == ["OPTIONS", "POST", "PATCH"])
    }

    @Test("Several files are uploads of their own, and the report lists them")
    func files() throws {
        let (folder, store) = (Folder(), try TusStore(options: "", status: "405 Method Not Allowed"))
        try folder.file("a.txt", "one")
        try folder.file("b.png", "two")
        let result = try Command.run(
            "send", store.url, "-F", "f=@a.txt", "-F", "f=@b.png", "-F", "k=v", "--resume", "tus", "--json", "-q",
            in: folder.path)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
        #expect(store.uploads.map { String(decoding: $0.bytes, as: UTF8.self) } == ["one", "two"])
        #expect(store.uploads.map { $0.metadata["filename"] } == ["a.txt", "b.png"])
        #expect(store.uploads.map { $0.metadata["k"] } == ["v", "v"])
        let violations = try SchemaCheck("send").violations(result.text)
        #expect(violations == [], "\(violations)")
        let report = try result.object()
        let uploads = try #require(report["uploads"] as? [[String: Any]])
        #expect(uploads.map { $0["url"] as? String } == ["\(store.url)/0", "\(store.url)/1"])
        #expect(uploads.map { $0["bytes"] as? Int } == [3, 3])
        // The form's own length isn't sent.
        #expect(report["bytesSent"] as? Int == 6 && report["bytesTotal"] as? Int == 6)
        #expect(report["isBodyComplete"] as? Bool == true)
    }

    /// The question for what the server supports has cleaning up of its own, which ends before.
    @Test("A signal stops it in a pause before another try", arguments: [("INT", 130), ("TERM", 143)])
    func stopped(signal: String, status: Int) throws {
        let (folder, store) = (Folder(), try TusStore(isBusy: true))
        try folder.file("a.txt", "one")
        let result = try Command.shell(
            """
            set -m
            "$F" send \(store.url) -F f=@a.txt --resume tus 2> log & P=$!
            until grep -q 'try 2' log; do sleep 0.05; done; kill -\(signal) $P; wait $P; echo $?
            """, in: folder.path)
        #expect(result.text == "\(status)\n", "\(result.errors)")
    }

    @Test("Where a file is stored is an object of --progress json, too")
    func storedEvent() throws {
        let (folder, store, check) = (Folder(), try TusStore(), try SchemaCheck("progress"))
        try folder.file("a.txt", "one")
        let result = try Command.run(
            "send", store.url, "-F", "f=@a.txt", "--resume", "tus", "--progress", "json", in: folder.path)
        let lines = result.errors.split(separator: "\n").map(String.init)
        #expect(try lines.flatMap { try check.violations($0) } == [])
        let stored = lines.filter { $0.contains(#""event":"stored""#) }
        #expect(stored.count == 1 && stored[0].contains(#""filename":"a.txt","url":"\#(store.url)/0""#), "\(lines)")
    }

    @Test(
        "What can't be said in metadata is an error, and nothing is created",
        arguments: [
            (["-F", "a=1"], "add a file to this form"),
            (["-F", "f=@a.txt", "-F", "name of it=1"], "a field's name must be visible ASCII without spaces"),
            (["-F", "f=@a.txt", "-F", "filename=b"], "\"filename\" describes the file:"),
            (["-F", "f=@a.txt", "-F", "k=1", "-F", "k=2"], "a field's name can appear only once"),
            (["-F", "f=@a.txt", "-F", "k={};type=application/json"], "the type of a field"),
            (["-F", "f=@a.txt;encoder=base64"], "leave out its transfer encoding"),
            (["-F", "f=@a.txt,a.txt"], "leave out parts inside a part"),
            (["-F", "f=@a.txt", "-F", "k=<long"], "the field is too long for Upload-Metadata"),
        ])
    func refused(form: [String], message: String) throws {
        let (folder, store) = (Folder(), try TusStore())
        try folder.file("a.txt", "one")
        try folder.file("long", String(repeating: "x", count: 8000))
        let words = ["$F", "send", store.url, "--resume", "tus"] + form.map(\.shellQuoted)
        let result = try Command.shell(words.joined(separator: " "), in: folder.path)
        #expect(result.status == 2 && result.errors.contains(message), "\(result.errors)")
        #expect(result.errors.contains("send the form without tus"), "\(result.errors)")
        #expect(store.uploads.isEmpty)
    }

    @Test("A killed upload of a file continues as a file")
    func state() throws {
        let (folder, store) = (Folder(), try TusStore())
        try folder.sparse("large", 4 << 20)
        let send = "\"$F\" send \(store.url) -F k=v -F f=@large --resume tus --piece-size 1M --state state -q"
        let result = try Command.shell(
            """
            \(send) --limit-rate 1M & S=$!; until [ -s state ]; do sleep 0.05; done; sleep 2; kill -KILL $S; wait $S
            \(send) --json > report; echo "exit $?"; grep -c '"resumptions": 1' report; ls state 2> /dev/null
            """, in: folder.path)
        #expect(result.text == "exit 0\n1\n", "\(result.errors)")
        let upload = try #require(store.uploads.first)
        #expect(store.uploads.count == 1 && upload.bytes.count == 4 << 20 && upload.metadata["filename"] == "large")
    }

    @Test("--repr-digest sends Upload-Checksum for each piece, and refuses a server that checks none")
    func checksum() throws {
        try self.folder.file("a.txt", "hello")
        let none = try TusStore()
        let refused = try Command.run(
            "send", none.url, "-F", "f=@a.txt", "--resume", "tus", "--repr-digest", in: self.folder.path)
        #expect(refused.status == 2 && none.uploads.isEmpty)
        #expect(
            refused.errors
                == "formwork: --repr-digest: this tus server checks neither SHA-256 nor SHA-1: leave it out\n")
        // Nothing is created whose length this server can't learn later.
        let endless = try Command.shell(
            "echo hi | \"$F\" send \(none.url) -F 'f=@-;filename=x' --resume tus -q", in: self.folder.path)
        #expect(endless.status == 2 && none.heads.filter { $0.hasPrefix("POST") }.isEmpty)
        #expect(
            endless.errors
                == "formwork: this tus server needs the length beforehand (no creation-defer-length): --spool finds it\n"
        )
        let named = try Command.shell(
            "mkfifo fifo; timeout -s KILL 60 \"$F\" send \(none.url) -T fifo --resume tus -q", in: self.folder.path)
        #expect(named.status == 2, "\(named)")
        #expect(named.errors.hasSuffix("length beforehand (no creation-defer-length): --spool finds it\n"), "\(named)")
        let spooled = try Command.shell(
            "printf hello > fifo & timeout -s KILL 60 \"$F\" send \(none.url) -F f=@fifo --spool --resume tus -q",
            in: self.folder.path)
        #expect(spooled.status == 0 && none.uploads.map(\.bytes) == [Array("hello".utf8)], "\(spooled)")
        let store = try TusStore(
            options: "Tus-Extension: creation,checksum\r\nTus-Checksum-Algorithm: md5,sha1\r\n")
        let sent = try Command.run(
            "send", store.url, "-F", "f=@a.txt", "--resume", "tus", "--repr-digest", "--piece-size", "3", "-q",
            in: self.folder.path)
        #expect(sent.status == 0, "\(sent.errors)")
        let patches = store.heads.filter { $0.hasPrefix("PATCH") }
        #expect(patches.count == 2 && store.uploads.map { String(decoding: $0.bytes, as: UTF8.self) } == ["hello"])
        // As printf hel | openssl sha1 -binary | base64 prints, and for lo.
        #expect(patches.first?.contains("Upload-Checksum: sha1 Nhez1m04BJZkKINmzi75+Ll0eIM=\r\n") == true, "\(patches)")
        #expect(patches.last?.contains("Upload-Checksum: sha1 Y46PAXFXWGQybwbSpfjnIodCexU=\r\n") == true, "\(patches)")
    }

    @Test("Our receiver says that it reads forms, and gets the form")
    func ours() throws {
        try self.folder.sparse("large", 2 << 20)
        let outcome = try Command.shell(
            """
            receive in
            "$F" send $(cat url) -F title=Harbour -F f=@large --resume tus --repr-digest -q --json > report
            echo "exit $?"; ls in; cmp in/large large && echo same; grep -c Harbour in/large.form.json
            kill $P; wait $P
            """, in: self.folder.path)
        let lines = outcome.text.split(separator: "\n").map(String.init)
        #expect(lines == ["exit 0", "large", "large.form.json", "same", "1"], "\(outcome.errors)")
    }

    @Test("A bit that is flipped on the way is never exit 0, in any way", arguments: ["off", "auto", "ietf", "tus"])
    func flipped(way: String) throws {
        try self.folder.sparse("large", 1 << 20)
        let relay = try FlippingRelay(flippingAt: 500_000, to: self.folder.path + "/url")
        let outcome = try Command.shell(
            """
            receive in
            "$F" send http://127.0.0.1:\(relay.port)/ -F f=@large --resume \(way) --repr-digest -q > /dev/null
            echo "exit $?"; [ -e in/large ] && cmp in/large large; kill $P; wait $P
            """, in: self.folder.path)
        // A piece with its own digest is sent again; a whole body is refused.
        #expect(outcome.text == (way == "tus" ? "exit 0\n" : "exit 22\n"), "\(outcome.errors)")
        #expect(relay.count >= 1)
    }

    @Test("Several files have no common --state")
    func severalStates() throws {
        let (folder, store) = (Folder(), try TusStore())
        try folder.file("a", "1")
        try folder.file("b", "2")
        let result = try Command.run(
            "send", store.url, "-F", "f=@a", "-F", "f=@b", "--resume", "tus", "--state", "state", in: folder.path)
        #expect(result.status == 2 && result.errors.contains("makes each of the 2 files an upload: send them"))
        #expect(store.uploads.isEmpty)
    }

    @Test("More than Tus-Max-Size is 63, before anything is created")
    func tooLarge() throws {
        let (folder, store) = (Folder(), try TusStore(options: "Tus-Max-Size: 3\r\n"))
        try folder.file("a", "1234")
        let result = try Command.run("send", store.url, "-F", "f=@a", "--resume", "tus", in: folder.path)
        #expect(
            result.status == 63
                && result.errors == "formwork: the body has 4 bytes, but the server accepts at most 3\n",
            "\(result.errors)")
        #expect(store.uploads.isEmpty)
    }
}
