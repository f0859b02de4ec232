import Foundation
import Formwork
import TestSupport
import Testing

@Suite("Ways out", .timeLimit(.minutes(10)))
struct WriteTests {
    private let folder = TemporaryFolder()

    @Test("A NUL in a path isn't the end of another file's name")
    func pathWithNUL() throws {
        let other = try self.folder.file("a", "kept")
        #expect("a\0.txt".filePath == "a\u{2400}.txt")
        try formB().plan().write(toFile: "\(self.folder.path)/a\0.txt")
        #expect(try String(contentsOfFile: other.string, encoding: .utf8) == "kept")
        #expect(self.folder.names == ["a", "a\u{2400}.txt"])
    }

    @Test("Every way out gives the same bytes", arguments: UInt64(300)..<310)
    func allWays(seed: UInt64) throws {
        let folder = TemporaryFolder()
        let (form, body) = try generatedForm(seed: seed, in: folder)
        let plan = try form.plan()
        for way in [WayOut.reading, .pipe, .socket, .file] {
            #expect(try Sink.drain(plan.makeReader(), by: way, folder) == body, "\(way)")
        }
        #expect(try plan.write(toFile: "/dev/null") == Int64(body.count))
    }

    @Test("Large files go whole through the kernel's ways", arguments: [WayOut.pipe, .socket, .file])
    func largeFiles(way: WayOut) throws {
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 &* 17 >> 3) }
        let path = try self.folder.file("big", content)
        var form = formB()
        form.append(name: "a", source: .file(path))
        form.append(name: "b", source: .file(path, offset: 1_234_567, length: 1_000_000))
        let body = try Sink.drain(form.plan().makeReader(), by: way, self.folder)
        var expected = Array("--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n".utf8)
        expected += content
        expected += "\r\n--b\r\nContent-Disposition: form-data; name=\"b\"\r\n\r\n".utf8
        expected += content[1_234_567..<2_234_567]
        expected += "\r\n--b--\r\n".utf8
        #expect(body == expected)
    }

    @Test("Large files in a sequence of parts do too, and are held to their state", arguments: [WayOut.pipe, .file])
    func largeFilesInSequence(way: WayOut) throws {
        let folder = TemporaryFolder()
        let paths = try (0..<3).map { try folder.file("big\($0)", [UInt8](repeating: UInt8($0), count: 300_000)) }
        var form = formB()
        form.append(
            PartSequence(count: 6) { index in
                index % 2 == 0 ? BodyPart(name: "n", value: "\(index)") : BodyPart(name: "f", file: paths[index / 2])
            })
        let plan = try form.plan()
        let body = try plan.bytes(upTo: 2 << 20)
        #expect(try Sink.drain(plan.makeReader(), by: way, folder) == body)
        #expect(try Sink.drain(plan.makeReader(from: 350_000), by: way, folder) == Array(body[350_000...]))
        try Meddling.isUnlinked.apply(to: paths[1])
        let error = #expect(throws: FormworkError.self) { try Sink.drain(plan.makeReader(), by: way, folder) }
        #expect(error?.code == .sourceChanged && error?.part == PartReference(index: 3, name: "f"))
    }

    @Test("A file opened to append is appended to")
    func appending() throws {
        let big = try self.folder.file("big", [UInt8](repeating: 66, count: 200_000))
        let log = try self.folder.file("log", "before")
        let descriptor = try FileDescriptor.open(log, .writeOnly, options: .append)
        var form = formB()
        form.append(name: "a", source: .file(big))
        let plan = try form.plan()
        try plan.write(to: descriptor)
        try descriptor.close()
        #expect(try contents(of: log) == Array("before".utf8) + plan.bytes(upTo: 1 << 20))
    }

    @Test("A non-blocking pipe with a slow reader gets everything")
    func nonBlocking() throws {
        let path = try self.folder.file("big", (0..<1_000_000).map { UInt8(truncatingIfNeeded: $0) })
        var form = formB()
        form.append(name: "t", value: String(repeating: "x", count: 300_000))
        form.append(name: "a", source: .file(path))
        let plan = try form.plan()
        let (input, output) = try FileDescriptor.pipe()
        #expect(fcntl(output.rawValue, F_SETFL, O_NONBLOCK) == 0)
        let collected = Sink.collect(input, pausing: true)
        try plan.write(to: output)
        try output.close()
        #expect(try collected() == plan.bytes(upTo: 2 << 20))
        try input.close()
    }

    @Test("Signals in between cost nothing")
    func interrupted() throws {
        var action = sigaction()
        action.__sigaction_handler.sa_handler = { _ in }
        #expect(unsafe sigaction(SIGUSR2, &action, nil) == 0, "without SA_RESTART")
        var form = formB()
        form.append(name: "t", source: .synthetic(SyntheticBytes(.random(seed: 5), count: 2_000_000)))
        let plan = try form.plan()
        let (input, output) = try FileDescriptor.pipe()
        let stop = DispatchSemaphore(value: 0)
        let stopped = DispatchSemaphore(value: 0)
        let pinger = SignalPinger(pthread_self())
        Thread.detachNewThread {
            while stop.wait(timeout: .now() + .microseconds(300)) == .timedOut { pinger.ping() }
            stopped.signal()
        }
        let collected = Sink.collect(input, pausing: true)
        try plan.write(to: output)
        try output.close()
        stop.signal()
        stopped.wait()
        #expect(try collected() == plan.bytes(upTo: 3 << 20))
        try input.close()
    }

    @Test("A reader that went away is an error, not a signal", arguments: [WayOut.pipe, .socket])
    func closedPipe(way: WayOut) throws {
        let (input, output) = way == .pipe ? try FileDescriptor.pipe() : try Sink.socketPair()
        try input.close()
        defer { try? output.close() }
        var form = formB()
        form.append(name: "t", source: .synthetic(SyntheticBytes(.zeros, count: 1_000_000)))
        let plan = try form.plan()
        let error = #expect(throws: FormworkError.self) { try plan.write(to: output) }
        #expect(error?.code == .writeFailed)
        #expect(error?.cause as? Errno == .brokenPipe)
        let reader = plan.makeReader()
        #expect(throws: FormworkError.self) { try reader.write(to: output) }
        // Bytes that were taken are lost: going on would leave a hole in the body.
        expect(.writeFailed) { try reader.read(upTo: 10) }
    }

    @Test("A descriptor that isn't open, or not for writing, is an error")
    func badDescriptor() throws {
        let plan = try formB().plan()
        expect(.writeFailed) { try plan.write(to: FileDescriptor(rawValue: 9999)) }
        let null = try FileDescriptor.open("/dev/null", .readOnly)
        defer { try? null.close() }
        expect(.writeFailed) { try plan.write(to: null) }
    }

    @Test("A full device leaves nothing, and what was there stays")
    func fullDevice() throws {
        var form = formB()
        form.append(name: "t", value: "1")
        let error = #expect(throws: FormworkError.self) { try form.plan().write(toFile: "/dev/full") }
        #expect(error?.cause as? Errno == .noSpace)
    }

    @Test("A link to nothing has its target made, as a shell's > does; a loop of links is an error and stays")
    func danglingLinks() throws {
        let subfolder = self.folder.path.appending("sub")
        try FileManager.default.createDirectory(atPath: subfolder.string, withIntermediateDirectories: false)
        for (link, target) in [
            ("one", "two"), ("two", "sub/three"), ("sub/three", "../made"), ("absolute", "\(self.folder.path)/there"),
            ("loop", "loop"), ("lost", "nowhere/made"),
        ] {
            let path = self.folder.path.pushing(FilePath(link)).string
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
        }
        var form = formB()
        form.append(name: "t", value: "1")
        let plan = try form.plan()
        for name in ["one", "absolute"] {
            expect(.writeFailed) { try plan.write(toFile: self.folder.path.appending(name)) }
            try plan.write(toFile: self.folder.path.appending(name), replacing: true)
        }
        for name in ["loop", "lost"] {
            expect(.writeFailed) { try plan.write(toFile: self.folder.path.appending(name), replacing: true) }
        }
        #expect(self.folder.names == ["absolute", "loop", "lost", "made", "one", "sub", "there", "two"])
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: self.folder.path.appending("one").string) == "two"
        )
        #expect(try contents(of: self.folder.path.appending("made")).count == 59)
        #expect(try contents(of: self.folder.path.appending("there")).count == 59)
    }

    @Test("A file whose name is as long as names can be is replaced", arguments: ["x", "ü", "🇩🇪", "e\u{301}"])
    func longNames(letter: String) throws {
        let name = String(repeating: letter, count: 248 / letter.utf8.count)
        let target = try self.folder.file(name, "old")
        var form = formB()
        form.append(name: "t", value: "1")
        try form.plan().write(toFile: target, replacing: true)
        #expect(try contents(of: target).count == 59)
        #expect(self.folder.names == [name])
    }

    @Test("A file is replaced only by a whole one, keeps its permissions, and a link stays a link")
    func replacing() throws {
        let target = try self.folder.file("target", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: target.string)
        let link = self.folder.path.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "target")
        var failing = formB()
        failing.append(name: "s", source: .stream(length: 10) { _ in DripStream([1, 2]) })
        #expect(throws: FormworkError.self) { try failing.plan().write(toFile: link, replacing: true) }
        #expect(try contents(of: target) == Array("old".utf8))
        #expect(self.folder.names == ["link", "target"])
        var form = formB()
        form.append(name: "t", value: "1")
        try form.plan().write(toFile: link, replacing: true, durably: true)
        #expect(try contents(of: target).count == 59)
        #expect(self.folder.names == ["link", "target"])
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.string) == "target")
        let attributes = try FileManager.default.attributesOfItem(atPath: target.string)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
    }

    @Test("A folder, or a place in a folder that isn't there, can't be written")
    func badTargets() throws {
        let plan = try formB().plan()
        expect(.writeFailed) { try plan.write(toFile: self.folder.path) }
        let error = #expect(throws: FormworkError.self) {
            try plan.write(toFile: self.folder.path.appending("no/file"))
        }
        #expect(error?.cause as? Errno == .noSuchFileOrDirectory)
    }

    @Test("A spool gives a pipe a length and lets it be read again")
    func spool() throws {
        let (input, output) = try FileDescriptor.pipe()
        try output.writeAll("spooled".utf8)
        try output.close()
        var form = formB()
        do {
            let spool = try BodySpool(collecting: input)
            #expect(spool.count == 7)
            form.append(name: "s", source: spool.source)
        }
        try input.close()
        let plan = try form.plan()
        #expect(plan.contentLength == 65)
        #expect(plan.isReplayable)
        #expect(try plan.bytes(upTo: 100) == plan.bytes(upTo: 100))
    }

    @Test("A rate limit is kept by the writer")
    func rateLimit() throws {
        var form = formB()
        form.append(name: "t", source: .synthetic(SyntheticBytes(.zeros, count: 50_000)))
        let plan = try form.plan()
        let null = try FileDescriptor.open("/dev/null", .writeOnly)
        defer { try? null.close() }
        let start = ContinuousClock.now
        try plan.write(to: null, options: ReaderOptions(rateLimit: RateLimit(packet: 10_000, delay: .milliseconds(20))))
        #expect(start.duration(to: .now) >= .milliseconds(100), "five pauses: no fewer, however long they really took")
    }
}

/// Sends a signal to one thread, from another.
final class SignalPinger: @unchecked Sendable {
    // SAFETY: a pthread_t is only handed to pthread_kill, and its thread outlives the pinger's use.
    private let thread: pthread_t
    init(_ thread: pthread_t) { self.thread = thread }
    func ping() { _ = pthread_kill(self.thread, SIGUSR2) }
}
