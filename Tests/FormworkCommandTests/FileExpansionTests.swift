#if Command
import Foundation
import Testing

/// Patterns and folders in `-F`.
@Suite("Several files in one -F", .timeLimit(.minutes(10)))
struct FileExpansionTests {
    private func folder() throws -> Folder {
        let folder = Folder()
        for path in ["photos/sub/deep", "photos/empty"] {
            try FileManager.default.createDirectory(
                atPath: folder.path + "/" + path, withIntermediateDirectories: true)
        }
        for name in [
            "2.jpg", "1.jpg", "c.txt", "photos/b.txt", "photos/sub/deep/z.txt", "photos/sub/a.txt", "lit[1].txt",
        ] {
            try folder.file(name, "x")
        }
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/photos/sub/link", withDestinationPath: "../b.txt")
        try FileManager.default.createSymbolicLink(
            atPath: folder.path + "/photos/loop", withDestinationPath: ".")
        return folder
    }

    /// The names and filenames of the parts.
    private func parts(_ words: String, in folder: Folder, warning: Bool = false) throws -> [String] {
        let result = try Command.shell("\"$F\" body \(words) --boundary b", in: folder.path)
        #expect(result.status == 0 && (warning || result.errors == ""), "\(result.errors)")
        return result.text.components(separatedBy: "\r\n").compactMap { line in
            let head = "Content-Disposition: form-data; "
            return line.hasPrefix(head) ? String(line.dropFirst(head.count)) : nil
        }
    }

    @Test("A pattern is each file that matches, in order; a file of that very name is itself")
    func patterns() throws {
        let folder = try self.folder()
        #expect(
            try self.parts("-F a=1 -F 'p=@*.jpg;type=image/x' -F z=2", in: folder)
                == [#"name="a""#, #"name="p"; filename="1.jpg""#, #"name="p"; filename="2.jpg""#, #"name="z""#])
        #expect(try self.parts("-F 'p=@lit[1].txt'", in: folder) == [#"name="p"; filename="lit[1].txt""#])
        #expect(try self.parts("-F 'p=@[c].txt;filename=d'", in: folder) == [#"name="p"; filename="d""#])
    }

    @Test("A pattern doesn't wait for a FIFO that it matches")
    func fifo() throws {
        let folder = try self.folder()
        let result = try Command.shell(
            """
            mkfifo 3.jpg; "$F" body -F 'p=@*.jpg' --boundary b | grep -ao 'filename=".*"'
            mkdir none; mkfifo none/f; "$F" body -F 'p=@none/*'
            """, in: folder.path)
        #expect(result.text == "filename=\"1.jpg\"\nfilename=\"2.jpg\"\n")
        #expect(
            result.errors == """
                formwork: warning: 3.jpg isn't a file, and isn't sent
                formwork: warning: none/f isn't a file, and isn't sent
                formwork: -F 'p=@none/*': none/* matches no file

                """, "\(result.errors)")
    }

    @Test("curl has no patterns: with --compat curl one is the name of a file")
    func curl() throws {
        let folder = try self.folder()
        let result = try Command.shell("\"$F\" body -F 'p=@*.jpg' --compat curl", in: folder.path)
        #expect(result.status == 26, "\(result.text)")
        #expect(
            result.errors == "formwork: -F 'p=@*.jpg': *.jpg can't be read (No such file or directory)\n",
            "\(result.errors)")
    }

    @Test("--recursive sends the files below a folder, with relative names")
    func recursive() throws {
        let folder = try self.folder()
        let names = ["photos/b.txt", "photos/sub/a.txt", "photos/sub/deep/z.txt", "photos/sub/link"]
        #expect(
            try self.parts("-F p=@photos/ --recursive", in: folder, warning: true)
                == names.map { "name=\"p\"; filename=\"\($0)\"" })
        #expect(
            try self.parts("-F p=@./photos/sub --recursive", in: folder)
                == ["sub/a.txt", "sub/deep/z.txt", "sub/link"].map { "name=\"p\"; filename=\"\($0)\"" })
        // One of the folders that the pattern matches has no files.
        #expect(
            try self.parts("-F 'p=@photos/[es]*' --recursive", in: folder)
                == ["sub/a.txt", "sub/deep/z.txt", "sub/link"].map { "name=\"p\"; filename=\"\($0)\"" })
    }

    @Test(
        "What means no file, or too many, is named",
        arguments: [
            ("-F 'p=@*.png'", 26, "-F 'p=@*.png': *.png matches no file"),
            ("-F p=@photos/empty --recursive", 26, "-F p=@photos/empty: photos/empty is a folder without files"),
            (
                "-F 'p=@*.jpg;filename=x'", 2,
                "-F 'p=@*.jpg;filename=x': filename= names one file, but *.jpg means 2: leave it out"
            ),
            ("-F p=@1.jpg -F 'q=@*.jpg' -F r=@none", 26, "-F r=@none: none can't be read (No such file or directory)"),
        ])
    func errors(words: String, status: Int, message: String) throws {
        let folder = try self.folder()
        let result = try Command.shell("\"$F\" body \(words)", in: folder.path)
        #expect(result.status == Int32(status) && result.errors == "formwork: \(message)\n", "\(result.errors)")
    }

    @Test("A folder or a link's file that can't be reached is an error; a link to nothing isn't a file")
    func unreachable() throws {
        let folder = Folder()
        let result = try Command.shell(
            """
            mkdir -p deep nx locked; echo x | tee deep/top.txt nx/top.txt > locked/a.txt; ln -s none nx/dangling
            (cd deep; for i in $(seq 25); do mkdir $(printf 'd%.0s' $(seq 200)); cd d*; done; echo leaf > leaf)
            "$F" body -F f=@deep/ --recursive -o out 2> e; echo "$? $(grep -c 'can.t be read (File name too long)' e)"; ls out
            "$F" body -F f=@nx --recursive -o out; echo $?
            ln -s ../locked/a.txt nx/link; chmod 0 locked; chmod 711 .
            as=""; [ "$(id -u)" != 0 ] || as="setpriv --reuid=65534 --regid=65534 --clear-groups"
            $as "$F" body -F f=@nx --recursive > /dev/null; echo $?
            $as "$F" body -F 'f=@locked/*' > /dev/null; echo $?
            mkdir open; echo x > open/a.txt; chmod 755 .
            $as "$F" body -F 'f=@*/*.txt'; $as "$F" body -F 'f=@*/a.txt' > /dev/null; echo $?; chmod 700 locked
            """, in: folder.path)
        #expect(result.text == "26 1\n0\n26\n26\n26\n", "\(result.text)")
        #expect(
            result.errors.contains("-F 'f=@*/*.txt': locked/ can't be read (Permission denied)"), "\(result.errors)")
        #expect(result.errors.contains("-F 'f=@*/a.txt': locked/a.txt can't be read (Permission denied)"))
        #expect(result.errors.contains("locked/ can't be read (Permission denied)"), "\(result.errors)")
        #expect(result.errors.contains("nx/dangling is a link to nothing, and isn't sent"), "\(result.errors)")
        #expect(result.errors.contains("nx/link can't be read (Permission denied)"), "\(result.errors)")
    }

    @Test(
        "A file whose name isn't UTF-8 is an error, not left out",
        arguments: [
            ("-F f=@d/ --recursive", "-F f=@d/: d/bad\\xFF.txt"), ("-F f=@d --recursive", "-F f=@d: d/bad\\xFF.txt"),
            ("-F 'f=@d/*.txt'", "-F 'f=@d/*.txt': d/bad\\xFF.txt"),
            ("-F f=@e --recursive", "-F f=@e: e/ü\\xC3"), ("-F 'f=@e/*' --recursive", "-F 'f=@e/*': e/ü\\xC3"),
        ])
    func notUTF8(words: String, start: String) throws {
        let folder = try self.folder()
        let result = try Command.shell(
            "mkdir d e e/$'ü\\xc3'; echo secret > d/$'bad\\xff.txt'; echo y | tee d/ok.txt > e/$'ü\\xc3'/f; \"$F\" body \(words)",
            in: folder.path)
        #expect(result.status == 26 && result.output.isEmpty)
        let reason = "has a name that isn't UTF-8: rename it, or send it as NAME=@- with ;filename=NAME"
        #expect(result.errors == "formwork: \(start) \(reason)\n", "\(result.errors)")
    }

    @Test("Several files in one part are warned about, with the fix")
    func nested() throws {
        let folder = try self.folder()
        let result = try Command.shell("\"$F\" body -F 'p=@1.jpg,2.jpg'", in: folder.path)
        #expect(result.status == 0)
        #expect(
            result.errors == """
                formwork: warning: -F p=@1.jpg,2.jpg: most servers read several files in one part as one field, and store \
                no file: write -F p=@1.jpg -F p=@2.jpg

                """)
    }

    @Test("body --as request writes what inspect reads")
    func request() throws {
        let folder = try self.folder()
        let result = try Command.shell(
            """
            "$F" body -F title=Harbour -F f=@1.jpg --boundary b --as request --url http://h:8080/up?x=1 -H 'X-One: 1' \
              -o request.http
            head -n 5 request.http | tr -d '\\r'; "$F" inspect request.http --json | grep -o '^      "name": "[a-z]*"'
            "$F" body -F title=Harbour -F f=@1.jpg --boundary b --as request --url http://h:8080/up?x=1 -H 'X-One: 1' |
              cmp - request.http && echo same
            echo x | "$F" body -F 'f=@-;filename=x' --as request
            """, in: folder.path)
        #expect(
            result.text == """
                POST /up?x=1 HTTP/1.1
                Host: h:8080
                X-One: 1
                Content-Type: multipart/form-data; boundary=b
                Content-Length: 179
                      "name": "title"
                      "name": "f"
                same

                """, "\(result.text)")
        #expect(result.errors.contains("formwork: --as request needs the body's length: "))
    }
}
#endif
