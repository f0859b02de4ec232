import Foundation
import Testing

@Suite("formwork body", .timeLimit(.minutes(10)))
struct BodyCommandTests {
    private let folder = Folder()

    @Test("A full disk and a size limit: 23, said plainly, and nothing is left")
    func fullDisk() throws {
        try self.folder.sparse("big", 4 << 20)
        let full = try Command.run("body", "-F", "f=@\(self.folder.path)/big", "-o", "/dev/full")
        #expect(full.status == 23)
        #expect(full.errors == "formwork: /dev/full: can't be written (No space left on device)\n")
        for form in ["-F f=@big", "-F 's=@-' < big"] {
            let limited = try Command.shell("ulimit -f 1000; $F body -o out \(form)", in: self.folder.path)
            #expect(limited.status == 23, "\(form)")
            #expect(limited.errors == "formwork: out: can't be written (File too large)\n")
            let piped = try Command.shell(
                "ulimit -f 1000; $F body \(form) > redirected; echo $?; rm redirected", in: self.folder.path)
            #expect(piped.text == "23\n")
        }
        #expect(self.folder.names == ["big"])
        let tmpfs = """
            unshare -m bash -c 'mount -t tmpfs -o size=1m tmpfs "$1" && cd "$1" && "$F" body -F f=@"$2" -o out; \
            echo $?; ls -A' -- "$PWD/small" "$PWD/big"
            """
        let mounted = try Command.shell("mkdir small; \(tmpfs)", in: self.folder.path)
        // Mounting needs rights that not every machine gives.
        if mounted.status == 0, !mounted.text.isEmpty {
            #expect(mounted.text == "23\n")
            #expect(mounted.errors == "formwork: out: can't be written (No space left on device)\n")
        }
    }

    @Test("A closed pipe ends it with 23, quietly")
    func closedPipe() throws {
        try self.folder.sparse("big", 10 << 20)
        let result = try Command.shell(
            "$F body -F f=@big | head -c 10 > /dev/null; echo ${PIPESTATUS[0]}", in: self.folder.path)
        #expect(result.text == "23\n")
        #expect(result.errors == "")
    }

    @Test("Progress is one line on standard error, redrawn, and silent where nobody looks")
    func progress() throws {
        try self.folder.sparse("big", 20 << 20)
        let form = ["body", "--boundary", "b", "-F", "f=@big", "-o", "out"]
        #expect(try Command.shell("$F \(form.joined(separator: " "))", in: self.folder.path).errors == "")
        let shown = try Command.shell("$F \(form.joined(separator: " ")) --progress bar", in: self.folder.path)
        let last = shown.errors.split(separator: "\r").last ?? ""
        #expect(last.contains("=]  20.0 MiB of 20.0 MiB  100%  ") && last.hasSuffix("\u{1B}[K\n"), "\(shown.errors)")
    }

    @Test("Ten thousand files under a limit of 16 descriptors")
    func descriptorLimit() throws {
        let script = """
            for i in $(seq 10000); do printf 'file %s' $i > f$i; args+=(-F f=@f$i); done
            ulimit -n 16; $F body "${args[@]}" | wc -c; $F headers "${args[@]}" | tail -1
            """
        let result = try Command.shell(script)
        let words = result.text.split(whereSeparator: \.isWhitespace)
        #expect(words.count == 3 && words[0] == words[2], "\(result.text) \(result.errors)")
    }

    @Test("Memory stays flat: 1 MiB and 4 GiB within 2 MiB, below 48 MiB")
    func memory() throws {
        try self.folder.sparse("small", 1 << 20)
        try self.folder.sparse("large", 4 << 30)
        var peaks: [Int] = []
        for name in ["small", "large"] {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: Command.path)
            process.arguments = ["body", "--boundary", "b", "-F", "f=@\(self.folder.path)/\(name)", "-F", "s=@-"]
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
