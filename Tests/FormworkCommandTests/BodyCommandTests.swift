#if Command
import Foundation
import Testing

@Suite("formwork body", .timeLimit(.minutes(10)))
struct BodyCommandTests {
    @Test("Parts keep the order of the command line, whichever option they come by")
    func order() throws {
        let result = try Command.run(
            "body", "--boundary", "b", "-F", "a=1", "--form-string", "b=@;type=x", "-F", "c=\"x;y\";type=text/plain")
        #expect(
            result.text == """
                --b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\
                \r\n--b\r\nContent-Disposition: form-data; name="b"\r\n\r\n@;type=x\
                \r\n--b\r\nContent-Disposition: form-data; name="c"\r\nContent-Type: text/plain\r\n\r\nx;y\
                \r\n--b--\r\n
                """)
        #expect(result.status == 0)
        #expect(result.errors == "")
    }

    @Test("Files, field files and types by name")
    func files() throws {
        let folder = Folder()
        try folder.file("a.JPG", "jpeg")
        try folder.file("notes", "some\nnotes")
        let result = try Command.run(
            "body", "--type-from", "extension", "--boundary", "b", "-F", "p=@a.JPG", "-F", "n=<notes", "-F",
            "q=@notes;filename=\"x;\\\"y\"",
            in: folder.path)
        #expect(
            result.text == """
                --b\r\nContent-Disposition: form-data; name="p"; filename="a.JPG"\r\nContent-Type: image/jpeg\r\n\r\njpeg\
                \r\n--b\r\nContent-Disposition: form-data; name="n"\r\n\r\nsome\nnotes\
                \r\n--b\r\nContent-Disposition: form-data; name="q"; filename="x;%22y"\r\n\
                Content-Type: application/octet-stream\r\n\r\nsome\nnotes\
                \r\n--b--\r\n
                """)
    }

    @Test("A checked body is the same, and one that its own content breaks leaves no file")
    func check() throws {
        let folder = Folder()
        try folder.file("good", "\r\n--c\r\n")
        try folder.file("bad", "\r\n--b\r\n")
        let form = "--type-from extension --boundary b -F f=@"
        let plain = try Command.shell("$F body \(form)good", in: folder.path)
        let checked = try Command.shell("$F body --check \(form)good", in: folder.path)
        #expect(checked.output == plain.output && checked.status == 0)
        let broken = try Command.shell("$F body --check \(form)bad -o out", in: folder.path)
        #expect(broken.status == 2)
        #expect(broken.errors.hasPrefix("formwork: part 1 \"f\": "), "\(broken.errors)")
        #expect(try Command.shell("ls out", in: folder.path).status != 0)
    }

    @Test("Any slice is that slice of the whole")
    func slices() throws {
        let folder = Folder()
        try folder.file("f", String(repeating: "0123456789", count: 20_000))
        let form = ["body", "--type-from", "extension", "--boundary", "b", "-F", "a=1", "-F", "f=@f", "-F", "z=2"]
        let whole = try Command.shell("$F \(form.joined(separator: " "))", in: folder.path).output
        #expect(whole.count == 200_216)
        for (offset, length) in [(0, 10), (150, 100_000), (200_000, 500), (100, 0), (0, 200_216)] {
            let script = "$F \(form.joined(separator: " ")) --offset \(offset) --length \(length)"
            #expect(
                try Command.shell(script, in: folder.path).output
                    == Array(whole[offset..<min(offset + length, whole.count)]), "\(offset), \(length)")
        }
        let outside = try Command.run("body", "-F", "a=1", "--boundary", "b", "--offset", "60")
        #expect(outside.status == 2)
        #expect(outside.errors == "formwork: offset 60 is outside the body of 59 bytes\n")
    }

    @Test("Types come from one place: curl's table, or another")
    func typesFromTwo() throws {
        let both = try Command.run("body", "--compat", "curl", "--type-from", "content", "-F", "a=1")
        #expect(both.status == 2 && both.output.isEmpty)
        #expect(both.errors.contains("--type-from") && both.errors.contains("--compat"))
    }

    @Test("Standard input is streamed, with a length where one is given, and spooled on request")
    func standardInput() throws {
        let head =
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"-\"\r\n"
            + "Content-Type: text/plain\r\n\r\n"
        let plain = try Command.run("body", "--boundary", "b", "-F", "f=@-", input: Array("hello".utf8))
        #expect(plain.text == head + "hello\r\n--b--\r\n")
        let sized = try Command.run("body", "--boundary", "b", "-F", "f=@-;length=5", input: Array("hello".utf8))
        #expect(sized.text == plain.text)
        for length in [4, 6] {
            let wrong = try Command.run("body", "-F", "f=@-;length=\(length)", input: Array("hello".utf8))
            #expect(wrong.status == 26)
            #expect(wrong.errors.contains("declared length of \(length)"), "\(wrong.errors)")
        }
        let spooled = try Command.run("headers", "--boundary", "b", "--spool", "-F", "f=@-", input: Array("hello".utf8))
        #expect(spooled.text == "Content-Type: multipart/form-data; boundary=b\nContent-Length: 103\n")
        let twice = try Command.run("body", "-F", "f=@-", "-F", "g=<-")
        #expect(twice.status == 2)
        #expect(twice.errors == "formwork: -F 'g=<-': standard input is already the content of another part\n")
    }

    @Test("A regular file as standard input has a length, from where it stands")
    func standardInputFile() throws {
        let folder = Folder()
        try folder.file("in", "line 1\nline 2\n")
        let result = try Command.shell("{ read -r -N 7 x; $F headers --boundary b -F f=@-; } < in", in: folder.path)
        #expect(result.text == "Content-Type: multipart/form-data; boundary=b\nContent-Length: 105\n")
    }

    @Test("Process substitution works: a FIFO is streamed")
    func processSubstitution() throws {
        let result = try Command.shell("$F body --boundary b -F 'f=<'<(printf hello)")
        #expect(result.text == "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nhello\r\n--b--\r\n")
    }

    @Test("An output file appears only when it is whole")
    func output() throws {
        let folder = Folder()
        let good = try Command.run("body", "--boundary", "b", "-F", "a=1", "-o", "out", in: folder.path)
        #expect(good.status == 0 && good.output.isEmpty)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/out")).count == 59)
        let bad = try Command.run("body", "-F", "a=1", "-F", "f=@-;length=9", "-o", "other", in: folder.path)
        #expect(bad.status == 26)
        #expect(folder.names == ["out"])
        let device = try Command.run("body", "-F", "a=1", "-o", "/dev/null")
        #expect(device.status == 0)
        #expect(try Command.shell("test -c /dev/null").status == 0, "a device isn't replaced")
    }

    @Test("A full disk and a size limit: 23, said plainly, and nothing is left")
    func fullDisk() throws {
        let folder = Folder()
        try folder.sparse("big", 4 << 20)
        let full = try Command.run("body", "-F", "f=@\(folder.path)/big", "-o", "/dev/full")
        #expect(full.status == 23)
        #expect(full.errors == "formwork: /dev/full: can't be written (No space left on device)\n")
        for form in ["-F f=@big", "-F 's=@-' < big"] {
            let limited = try Command.shell("ulimit -f 1000; $F body -o out \(form)", in: folder.path)
            #expect(limited.status == 23, "\(form)")
            #expect(limited.errors == "formwork: out: can't be written (File too large)\n")
            let piped = try Command.shell(
                "ulimit -f 1000; $F body \(form) > redirected; echo $?; rm redirected", in: folder.path)
            #expect(piped.text == "23\n")
        }
        #expect(folder.names == ["big"])
        let tmpfs = """
            unshare -m bash -c 'mount -t tmpfs -o size=1m tmpfs "$1" && cd "$1" && "$F" body -F f=@"$2" -o out; \
            echo $?; ls -A' -- "$PWD/small" "$PWD/big"
            """
        let mounted = try Command.shell("mkdir small; \(tmpfs)", in: folder.path)
        // Mounting needs rights that not every machine gives.
        if mounted.status == 0, !mounted.text.isEmpty {
            #expect(mounted.text == "23\n")
            #expect(mounted.errors == "formwork: out: can't be written (No space left on device)\n")
        }
    }

    @Test("An empty path of curl's grammar is called that")
    func emptyPath() throws {
        for argument in ["a=@", "a=<", "a=@;type=x/y"] {
            let result = try Command.run("body", "--compat", "curl", "-F", argument)
            #expect(result.status == 26 && result.text == "")
            #expect(result.errors == "formwork: -F '\(argument)': the path is empty\n".replacing("'a=@'", with: "a=@"))
        }
    }

    @Test("A closed pipe ends it with 23, quietly")
    func closedPipe() throws {
        let folder = Folder()
        try folder.sparse("big", 10 << 20)
        let result = try Command.shell(
            "$F body -F f=@big | head -c 10 > /dev/null; echo ${PIPESTATUS[0]}", in: folder.path)
        #expect(result.text == "23\n")
        #expect(result.errors == "")
    }

    @Test("Progress is one line on standard error, redrawn, and silent where nobody looks")
    func progress() throws {
        let folder = Folder()
        try folder.sparse("big", 20 << 20)
        let form = ["body", "--boundary", "b", "-F", "f=@big", "-o", "out"]
        #expect(try Command.shell("$F \(form.joined(separator: " "))", in: folder.path).errors == "")
        let shown = try Command.shell("$F \(form.joined(separator: " ")) --progress bar", in: folder.path)
        let last = shown.errors.split(separator: "\r").last ?? ""
        #expect(last.contains("=]  20.0 MiB of 20.0 MiB  100%  ") && last.hasSuffix("\u{1B}[K\n"), "\(shown.errors)")
    }

    @Test("Ten thousand files under a limit of 16 descriptors")
    func descriptorLimit() throws {
        let folder = Folder()
        let script = """
            for i in $(seq 10000); do printf 'file %s' $i > f$i; args+=(-F f=@f$i); done
            ulimit -n 16; $F body "${args[@]}" | wc -c; $F headers "${args[@]}" | tail -1
            """
        let result = try Command.shell(script, in: folder.path)
        let words = result.text.split(whereSeparator: \.isWhitespace)
        #expect(words.count == 3 && words[0] == words[2], "\(result.text) \(result.errors)")
    }

    @Test("Memory stays flat: 1 MiB and 4 GiB within 2 MiB, below 48 MiB")
    func memory() throws {
        let folder = Folder()
        try folder.sparse("small", 1 << 20)
        try folder.sparse("large", 4 << 30)
        var peaks: [Int] = []
        for name in ["small", "large"] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Command.path)
            process.arguments = ["body", "--boundary", "b", "-F", "f=@\(folder.path)/\(name)", "-F", "s=@-"]
            let (input, output) = (Pipe(), Pipe())
            process.standardInput = input
            process.standardOutput = output
            try process.run()
            // The file is through and the process waits for its second part: the kernel tells its peak.
            let size = (name == "small" ? 1 << 20 : 4 << 30) + 100
            var got = 0
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            while got < size {
                let count = read(output.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
                if count <= 0 { break }
                got += count
            }
            #expect(got >= size)
            let status = try String(contentsOfFile: "/proc/\(process.processIdentifier)/status", encoding: .utf8)
            let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
            peaks.append(Int(line.filter(\.isNumber)) ?? .max)
            try input.fileHandleForWriting.close()
            _ = try output.fileHandleForReading.readToEnd()
            process.waitUntilExit()
            #expect(process.terminationStatus == 0)
        }
        #expect(abs(peaks[0] - peaks[1]) <= 2048, "\(peaks) KiB")
        // The test's own build is a debug one with dynamic libraries; scripts/bench holds the release build to 24 MiB.
        #expect(peaks[1] <= 48 * 1024, "\(peaks) KiB")
    }
}
#endif
