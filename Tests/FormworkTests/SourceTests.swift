import Foundation
import Formwork
import TestSupport
import Testing

@Suite("Where content comes from", .timeLimit(.minutes(10)))
struct SourceTests {
    private let folder = TemporaryFolder()

    /// The content that a source gives in a form of its own.
    private func content(of source: BodySource) throws -> String {
        var form = formB()
        form.append(name: "s", source: source)
        let body = try form.plan().bytes(upTo: 1 << 20)
        let head = "--b\r\nContent-Disposition: form-data; name=\"s\"\r\n\r\n".utf8.count
        return String(decoding: body[head..<(body.count - 9)], as: UTF8.self)
    }

    private func error(of source: BodySource) -> FormworkError? {
        do {
            _ = try self.content(of: source)
            return nil
        } catch {
            return error as? FormworkError
        }
    }

    @Test("A concatenation in a concatenation, at any depth, is its pieces")
    func concatenations() throws {
        let deep = (0..<20_000).reduce(BodySource.text("a")) { source, _ in .concatenation([source]) }
        let source = BodySource.concatenation([deep, .concatenation([.text("b"), .concatenation([])]), .text("c")])
        #expect(try self.content(of: source) == "abc")
        #expect(source == .concatenation([.text("a"), .text("b"), .text("c")]))
    }

    @Test("A slice of a file is that slice, and one outside the file is refused")
    func slices() throws {
        let path = try self.folder.file("f", "0123456789")
        #expect(try self.content(of: .file(path)) == "0123456789")
        #expect(try self.content(of: .file(path, offset: 4)) == "456789")
        #expect(try self.content(of: .file(path, offset: 4, length: 3)) == "456")
        #expect(try self.content(of: .file(path, offset: 10)) == "")
        #expect(try self.content(of: .file(path, offset: 3, length: 0)) == "")
        for (offset, length) in [(11, nil), (-1, nil), (5, 6), (0, -1), (1, .max)] as [(Int64, Int64?)] {
            #expect(self.error(of: .file(path, offset: offset, length: length))?.code == .invalidArgument)
        }
        #expect(
            self.error(of: .file(path, offset: 11))?.message
                == "a slice of all bytes from offset 11 is not in a file of 10 bytes")
        #expect(
            self.error(of: .file(path, offset: 5, length: 6))?.message
                == "a slice of 6 bytes from offset 5 is not in a file of 10 bytes")
    }

    @Test("A path that isn't one is refused with what to pass instead")
    func misreadPaths() throws {
        let rows: [(String, String)] = [
            ("file:///tmp/none.txt", "can't be read: this is the text of a file URL, so pass the URL or its path"),
            ("https://example.com/a.jpg", "can't be read: this is a URL, so download it first and pass the file"),
            ("s3+x.y-z://bucket/key", "can't be read: this is a URL, so download it first and pass the file"),
            ("~/none.txt", "can't be read: only a shell replaces ~, so write the home folder's path"),
            ("~ada/none.txt", "can't be read: only a shell replaces ~, so write the home folder's path"),
            ("none.txt", "can't be read"), ("C:/none.txt", "can't be read"), ("a b:/none.txt", "can't be read"),
            ("", "can't be read: the path is empty, so name a file"), (":/none.txt", "can't be read"),
            ("/a/https://none", "can't be read"), ("https:none", "can't be read"),
        ]
        for (path, message) in rows {
            let error = try #require(self.error(of: .file(path)))
            #expect(error.code == .sourceUnavailable && error.cause as? Errno == .noSuchFileOrDirectory)
            #expect(error.message == message)
        }
        let url = try #require(self.error(of: .file("https://example.com/a.jpg")))
        #expect(
            url.description
                == "part 1 \"s\": https:/example.com/a.jpg: can't be read: this is a URL, so download it first "
                + "and pass the file (No such file or directory)")
        let empty = try #require(self.error(of: .file("")))
        #expect(
            empty.description
                == "part 1 \"s\": \"\": can't be read: the path is empty, so name a file (No such file or directory)")
        // A file may have such a name.
        _ = try self.folder.file("~a", "tilde")
        #expect(try self.content(of: .file(self.folder.path.appending("~a"))) == "tilde")
    }

    @Test("An open file is read from where it stands, without moving it, again and again")
    func descriptor() throws {
        let descriptor = try FileDescriptor.open(try self.folder.file("f", "0123456789"), .readOnly)
        defer { try? descriptor.close() }
        try descriptor.seek(offset: 3, from: .start)
        #expect(try self.content(of: .descriptor(descriptor)) == "3456789")
        #expect(try self.content(of: .descriptor(descriptor, length: 2)) == "34")
        #expect(try descriptor.seek(offset: 0, from: .current) == 3)
        #expect(self.error(of: .descriptor(descriptor, length: 8))?.code == .lengthMismatch)
        #expect(self.error(of: .descriptor(FileDescriptor(rawValue: 9999)))?.cause as? Errno == .badFileDescriptor)
    }

    @Test("A pipe is read once, to its end or exactly as far as declared")
    func pipe() throws {
        let (input, output) = try FileDescriptor.pipe()
        try output.writeAll("hello".utf8)
        try output.close()
        defer { try? input.close() }
        var form = formB()
        form.append(name: "p", source: .descriptor(input))
        let plan = try form.plan()
        #expect(plan.contentLength == nil)
        #expect(plan.lengthBlocker?.part == PartReference(index: 0, name: "p"))
        #expect(plan.lengthBlocker?.message == "descriptor \(input.rawValue) without a declared length")
        #expect(!plan.isReplayable)
        #expect(plan.replayBlocker?.part?.name == "p")
        #expect(try plan.bytes(upTo: 1000).count == 49 + 5 + 9)
        let error = #expect(throws: FormworkError.self) { try plan.bytes(upTo: 1000) }
        #expect(error?.code == .notReplayable)
        #expect(error?.part?.name == "p")
    }

    @Test("A stream that isn't as long as declared is told; surplus may be left on request", arguments: [1, 3, 100])
    func declaredLengths(step: Int) throws {
        let bytes = Array("0123456789".utf8)
        func stream(_ length: Int64?, ignoringSurplus: Bool = false) -> BodySource {
            .stream(length: length, ignoringSurplus: ignoringSurplus) { DripStream(bytes, from: Int($0), step: step) }
        }
        #expect(try self.content(of: stream(nil)) == "0123456789")
        #expect(try self.content(of: stream(10)) == "0123456789")
        #expect(try self.content(of: stream(4, ignoringSurplus: true)) == "0123")
        #expect(try self.content(of: stream(0, ignoringSurplus: true)) == "")
        #expect(self.error(of: stream(11))?.code == .lengthMismatch)
        #expect(self.error(of: stream(11, ignoringSurplus: true))?.message.contains("ended 1 byte before") == true)
        #expect(self.error(of: stream(9))?.code == .lengthMismatch)
        #expect(self.error(of: stream(0))?.code == .lengthMismatch)
        #expect(self.error(of: stream(-1))?.code == .invalidArgument)
    }

    @Test("A one-shot stream refuses a second pass, and a seek into it")
    func oneShot() throws {
        var form = formB()
        form.append(name: "s", source: .stream(once: DripStream(Array("0123456789".utf8)), length: 10))
        form.append(name: "t", value: "x")
        let plan = try form.plan()
        #expect(plan.contentLength == 120)
        let reader = plan.makeReader()
        let inside = #expect(throws: FormworkError.self) { try reader.seek(to: 55) }
        #expect(inside?.code == .notReplayable)
        try reader.seek(to: 10)
        #expect(try readAll(reader, by: 7).count == 110)
        let again = #expect(throws: FormworkError.self) { try plan.bytes(upTo: 1000) }
        #expect(again?.code == .notReplayable)
        // Behind the stream nothing has to be read again.
        #expect(try readAll(plan.makeReader(from: 64), by: 7).count == 56)
    }

    @Test("Behind a part of unknown length there are no offsets")
    func unknownLength() throws {
        var form = formB()
        form.append(name: "s", source: .stream { DripStream(Array("0123".utf8), from: Int($0)) })
        form.append(name: "t", value: "x")
        let plan = try form.plan()
        #expect(plan.contentLength == nil)
        #expect(plan.isReplayable)
        #expect(plan.layout.map(\.offset) == [0, 49, nil, nil, nil])
        expect(.lengthUnknown) { try plan.makeReader(from: 50) }
        #expect(try readAll(plan.makeReader(from: 48), by: 9).count == 1 + 4 + 51 + 1 + 9)
    }

    @Test("A stream's own error keeps its cause and names the part")
    func failingStream() throws {
        struct Broken: ByteStream {
            func read(into buffer: inout MutableRawSpan) throws -> Int { throw Errno.ioError }
        }
        let error = self.error(of: .stream { _ in Broken() })
        #expect(error?.code == .sourceUnavailable)
        #expect(error?.cause as? Errno == .ioError)
        #expect(error?.part?.name == "s")
        #expect(error?.offset == 49)
        struct Liar: ByteStream {
            func read(into buffer: inout MutableRawSpan) throws -> Int { buffer.byteCount + 1 }
        }
        #expect(self.error(of: .stream { _ in Liar() })?.code == .sourceUnavailable)
    }

    @Test("A body is a stream that other code can own: here another form's part, at any offset")
    func bodyInBody() throws {
        var inner = FormData(framing: MultipartFraming(boundary: try Boundary("inner")))
        inner.append(name: "a", value: "1")
        let plan = try inner.plan()
        #expect(plan.contentLength == 67)
        var outer = formB()
        outer.append(
            name: "m", source: .stream(length: plan.contentLength) { try plan.makeReader(from: $0) },
            contentType: plan.contentType)
        let body = """
            --b\r\nContent-Disposition: form-data; name="m"\r\nContent-Type: multipart/form-data; boundary=inner\r\n\r\n\
            --inner\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--inner--\r\n\r\n--b--\r\n
            """
        for offset in [0, 99, 100, 120, 175] {
            let reader = try outer.plan().makeReader(from: Int64(offset))
            #expect(try readAll(reader, by: 10) == Array(body.utf8.dropFirst(offset)))
        }
    }

    @Test("What is no file is told when the form is planned")
    func notFiles() throws {
        let missing = self.folder.path.appending("missing")
        #expect(self.error(of: .file(missing))?.cause as? Errno == .noSuchFileOrDirectory)
        #expect(self.error(of: .file(missing))?.path == missing.string)
        #expect(self.error(of: .file(self.folder.path))?.message == "is a directory: name a file in it")
        let dangling = self.folder.path.appending("dangling")
        try FileManager.default.createSymbolicLink(atPath: dangling.string, withDestinationPath: missing.string)
        #expect(self.error(of: .file(dangling))?.cause as? Errno == .noSuchFileOrDirectory)
    }

    @Test("A file that can't be read says so: EIO, and files of /proc that hide their size")
    func unreadable() throws {
        #expect(self.error(of: .file("/proc/self/mem"))?.cause as? Errno == .ioError)
        let hidden = self.error(of: .file("/proc/self/status"))
        #expect(hidden?.code == .sourceUnavailable)
        #expect(hidden?.message.contains("0 bytes but has content") == true)
    }

    @Test("A FIFO and a device are streams, read once")
    func special() throws {
        let fifo = self.folder.path.appending("fifo")
        #expect(mkfifo(fifo.string, 0o600) == 0)
        var form = formB()
        form.append(name: "s", source: .file(fifo))
        form.append(name: "n", source: .file("/dev/null"))
        form.append(name: "z", source: .file("/dev/zero", length: 3))
        let plan = try form.plan()
        #expect(plan.contentLength == nil)
        #expect(plan.lengthBlocker?.message == "a FIFO or device without a declared length")
        Thread.detachNewThread {
            let output = try? FileDescriptor.open(fifo, .writeOnly)
            _ = try? output?.writeAll("through".utf8)
            try? output?.close()
        }
        let body = String(decoding: try plan.bytes(upTo: 1000), as: UTF8.self)
        #expect(body.contains("name=\"s\"\r\n\r\nthrough\r\n--b"))
        #expect(body.contains("name=\"n\"\r\n\r\n\r\n--b"))
        #expect(body.contains("name=\"z\"\r\n\r\n\0\0\0\r\n--b--"))
    }

    @Test("A million lazy parts have the length that arithmetic says, and any of them is found")
    func lazyParts() throws {
        var form = formB()
        form.append(PartSequence(count: 100_000) { BodyPart(name: "n", value: String($0 + 100_000)) })
        let plan = try form.plan()
        // "\r\n--b\r\n" + disposition + "\r\n\r\n" + 6 digits = 57 bytes a part; the first has no CRLF before it.
        #expect(plan.contentLength == 5_700_007)
        for index in [0, 1, 1023, 1024, 54_321, 99_999] {
            let offset = Int64(57 * index + 49)
            let reader = try plan.makeReader(from: offset, count: 6)
            #expect(try readAll(reader, by: 100) == Array(String(index + 100_000).utf8))
        }
    }

    @Test("A sequence that gives other parts the second time is told before they are sent")
    func inconstantSequence() throws {
        final class Counter: @unchecked Sendable { var calls = 0 }  // one thread in this test
        for other in ["longer than before", "x", ""] {
            let counter = Counter()
            var form = formB()
            form.append(
                PartSequence(count: 3) { _ in
                    counter.calls += 1
                    return BodyPart(name: "n", value: counter.calls > 4 ? other : "12345")
                })
            let plan = try form.plan()
            expect(.sourceChanged) { try plan.bytes(upTo: 10_000) }
        }
        let shrinking = Counter()
        var form = formB()
        let parts = [BodyPart(name: "a", value: "1"), BodyPart(name: "b", value: "2")]
        form.append(PartSequence(AnySequenceOnce(parts, shrinking)))
        let plan = try form.plan()
        expect(.sourceChanged) { try plan.bytes(upTo: 10_000) }

        struct AnySequenceOnce: Sequence, Sendable {
            let parts: [BodyPart]
            let counter: Counter
            init(_ parts: [BodyPart], _ counter: Counter) { (self.parts, self.counter) = (parts, counter) }
            func makeIterator() -> IndexingIterator<[BodyPart]> {
                self.counter.calls += 1
                return (self.counter.calls == 1 ? self.parts : [self.parts[0]]).makeIterator()
            }
        }
    }

    @Test("An unmeasured sequence gives the same bytes, without a length")
    func unmeasured() throws {
        let path = try self.folder.file("f", [UInt8](repeating: 65, count: 300_000))
        func form(_ isMeasured: Bool) -> FormData {
            var form = formB()
            form.append(
                PartSequence(count: 2000, isMeasured: isMeasured) { index in
                    index % 500 == 3 ? BodyPart(name: "f", file: path) : BodyPart(name: "n", value: "\(index)")
                })
            form.append(name: "last", value: "1")
            return form
        }
        let plan = try form(false).plan()
        #expect(plan.contentLength == nil)
        #expect(plan.lengthBlocker?.message == "a sequence of parts that isn't measured")
        #expect(!plan.isReplayable, "nobody looked whether its parts can be read twice")
        #expect(try plan.bytes(upTo: 2 << 20) == form(true).plan().bytes(upTo: 2 << 20))
        var broken = formB()
        let directory = self.folder.path
        broken.append(PartSequence(count: 1, isMeasured: false) { _ in BodyPart(name: "f", file: directory) })
        let error = #expect(throws: FormworkError.self) { try broken.plan().bytes(upTo: 1000) }
        #expect(error?.code == .sourceUnavailable && error?.part?.name == "f")
    }

    @Test("Wrong names are told with their part, in the form and in a sequence")
    func wrongNames() throws {
        var form = formB()
        form.append(name: "good", value: "1")
        form.append(name: "nul\0", value: "1")
        let error = #expect(throws: FormworkError.self) { try form.plan() }
        #expect(error?.code == .invalidArgument)
        #expect(error?.part == PartReference(index: 1, name: "nul\0"))
        #expect(error?.description.contains("\0") == false)
        var lazy = formB()
        lazy.append(name: "good", value: "1")
        lazy.append(PartSequence(count: 3) { BodyPart(name: $0 == 2 ? "nul\0" : "good", value: "1") })
        let lazyError = #expect(throws: FormworkError.self) { try lazy.plan() }
        #expect(lazyError?.part?.index == 3)
    }

    /// A block device that this process may read, and its size; `nil` where there is none, as in most containers.
    private static let blockDevice: (path: FilePath, size: Int64)? = {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
        for name in names.sorted() {
            let path = "/dev/\(name)"
            var status = stat()
            guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFBLK else { continue }
            let number = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
            guard number >= 0 else { continue }
            defer { close(number) }
            let size = Int64(lseek(number, 0, SEEK_END))
            if size > 0 { return (FilePath(path), size) }
        }
        return nil
    }()

    @Test("A block device has a length", .enabled(if: blockDevice != nil))
    func blockDevices() throws {
        let (path, size) = try #require(Self.blockDevice)
        var form = formB()
        form.append(name: "d", source: .file(path))
        #expect(try form.plan().contentLength == size + 58)
        let descriptor = try FileDescriptor.open(path, .readOnly)
        defer { try? descriptor.close() }
        try descriptor.seek(offset: min(size, 512), from: .start)
        form = formB()
        form.append(name: "d", source: .descriptor(descriptor))
        let plan = try form.plan()
        #expect(plan.contentLength == size - min(size, 512) + 58)
        #expect(try descriptor.seek(offset: 0, from: .current) == min(size, 512))
        #expect(!plan.isReplayable)
    }
}
