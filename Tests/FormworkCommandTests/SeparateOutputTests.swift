#if Transfer
import Foundation
import Testing

@Suite("An output that is also read", .timeLimit(.minutes(10)))
struct SeparateOutputTests {
    @Test(
        "It is refused before anything is written or sent, under any name",
        arguments: [
            ("body -F f=@a -o a", "-o a"), ("body -F f=@a -o ./link", "-o ./link"),
            ("body -F f=@a -o hard", "-o hard"), ("body -F 'f=<a' -o a", "-o a"),
            ("body -F 'f=@a;encoder=base64' -o a", "-o a"), ("body -F f=@- -o a < a", "-o a"),
            ("body -F f=@a --as request -o a", "-o a"), ("body -F f=@a --as wget --url http://h/ -o a", "-o a"),
            ("body --from plan.json -o plan.json", "-o plan.json"), ("plan -F f=@a --save a", "--save a"),
            ("send http://127.0.0.1:1/ -F f=@a -o a", "-o a"), ("send http://127.0.0.1:1/ -T a -o a", "-o a"),
            ("send http://127.0.0.1:1/ -d @a -o a", "-o a"), ("body -F 'f=1;headers=@h' -o h", "-o h"),
            ("plan -F 'f=1;headers=@h' --save h", "--save h"),
            ("send http://127.0.0.1:1/ -F 'f=1;headers=@h' -o h", "-o h"),
            ("send http://127.0.0.1:1/ -F f=1 -H @h -o h", "-o h"),
            ("send http://127.0.0.1:1/ -F f=1 -w @h -o h", "-o h"),
            ("send http://127.0.0.1:1/ -F f=1 --url-query @h -o h", "-o h"),
            ("send http://127.0.0.1:1/ -F f=1 --cacert h -o h", "-o h"),
            ("send http://127.0.0.1:1/ -F f=1 --cert h --key a -o a", "-o a"),
            ("send http://127.0.0.1:1/ -F f=1 --netrc-file netrc -o netrc", "-o netrc"),
            ("send http://127.0.0.1:1/ -F f=@a --state a", "--state a"),
            ("send http://127.0.0.1:1/ -F f=@x.lock --state x", "--state x.lock"),
            ("send http://127.0.0.1:1/ -T x.lock --state x", "--state x.lock"),
            ("send http://127.0.0.1:1/ --from plan.json -o plan.json", "-o plan.json"),
            ("extract body.bin --part f --to body.bin --overwrite", "--to body.bin"),
            ("extract body.bin --to . --overwrite", "--to ./body.bin"),
            ("extract --part f --to body.bin --overwrite < body.bin", "--to body.bin"),
        ])
    func refused(words: String, output: String) throws {
        let folder = Folder()
        try folder.file("a", "content")
        try folder.file("body.bin", "x")
        try folder.file("h", "X-A: b\n")
        try folder.file("netrc", "machine h login u password p\n")
        try folder.file("x.lock", "")
        let made = try Command.shell(
            """
            ln -s a link; ln a hard; "$F" plan -F f=@a --save plan.json
            "$F" body -F 'f=@a;filename=body.bin' -o made && cat made > body.bin && rm made; cksum * > ../sums-$$
            "$F" \(words) 2> ../errors-$$ > ../out-$$; echo $?; cksum * | cmp - ../sums-$$ && cat ../errors-$$
            rm ../sums-$$ ../errors-$$ ../out-$$
            """, in: folder.path)
        #expect(
            made.text == """
                2
                formwork: \(output): this file is also read, and would be replaced: name another one

                """, "\(made.errors)")
    }

    @Test("A file that isn't empty is no lock, and the answer isn't written where the state is")
    func state() throws {
        let folder = Folder()
        try folder.file("a", "content")
        try folder.file("db.lock", "precious\n")
        let send = "\"$F\" send http://127.0.0.1:1/ -F f=@a"
        let result = try Command.shell(
            """
            \(send) --state db; echo $?; cat db.lock; ls
            \(send) --state up -o ./up; echo $?; \(send) --state up -o up.lock; echo $?; ls
            """, in: folder.path)
        #expect(result.text == "55\nprecious\na\ndb.lock\n2\n2\na\ndb.lock\n")
        #expect(
            result.errors == """
                formwork: db.lock: isn't a lock, because it isn't empty: move it away, or name the state differently
                formwork: -o up: --state uses this file: name another one
                formwork: -o up.lock: --state uses this file: name another one

                """)
    }

    @Test(
        "Another file, and what isn't a file, may be written",
        arguments: ["body -F f=@a -o b", "body -F f=@/dev/null -o /dev/null", "plan -F f=@a --save b"])
    func others(words: String) throws {
        let folder = Folder()
        try folder.file("a", "content")
        let result = try Command.shell("\"$F\" \(words)", in: folder.path)
        #expect(result.status == 0 && result.errors == "", "\(result.errors)")
    }
}
#endif
