import Formwork
import Synchronization
import Testing

@Suite("Streams and sequences that begin again", .timeLimit(.minutes(10)))
struct ReopenedTests {
    private struct Digits: ByteStream {
        var next: UInt8 = 0x30

        mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
            guard self.next <= 0x39 else { return 0 }
            let count = min(buffer.byteCount, 3, Int(0x3A - self.next))
            for index in 0..<count {
                buffer.storeBytes(of: self.next + UInt8(index), toByteOffset: index, as: UInt8.self)
            }
            self.next += UInt8(count)
            return count
        }
    }

    private static func sequence<Element: Sendable>(_ elements: [Element]) -> AsyncStream<Element> {
        AsyncStream { continuation in
            for element in elements { continuation.yield(element) }
            continuation.finish()
        }
    }

    private static let digits = Array("0123456789".utf8)
    private static let chunks: [[UInt8]] = [Array("012".utf8), Array("3".utf8), [], Array("456789".utf8)]

    private static let sources: [@Sendable (Int64?) -> BodySource] = [
        { .stream(length: $0) { Digits() } },
        { .chunks(length: $0) { Self.sequence(Self.chunks) } },
        { .chunks(length: $0) { Self.sequence(Self.chunks.map { OnlyChunk(bytes: $0) }) } },
        { .chunks(length: $0) { Self.sequence(Self.digits) } },
        { .chunks(length: $0) { offset in Self.sequence([OnlyChunk(bytes: Self.digits(from: offset))]) } },
        { .chunks(length: $0) { offset in Self.sequence(Self.digits(from: offset)) } },
    ]

    private static func digits(from offset: Int64) -> [UInt8] { Array(Self.digits.dropFirst(Int(offset))) }

    private static func text(of source: BodySource, from offset: Int64) async throws -> String {
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "a", source: source)
        let plan = try await form.plan()
        let head: Int64 = 49
        let reader = AsyncBodyReader(try plan.makeReader(from: offset < 0 ? 0 : head + offset))
        var text = ""
        while let chunk = try await reader.next() { text += String(decoding: chunk, as: UTF8.self) }
        return text
    }

    @Test("A reader at any offset gets the bytes from there on", arguments: sources.indices)
    func offsets(index: Int) async throws {
        let source = Self.sources[index](10)
        for offset in 0...10 {
            let rest = String("0123456789".dropFirst(offset)) + "\r\n--b--\r\n"
            #expect(try await Self.text(of: source, from: Int64(offset)) == rest)
        }
        let whole = "--b\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n0123456789\r\n--b--\r\n"
        // Twice: it is opened again.
        for source in [source, source, Self.sources[index](nil)] {
            #expect(try await Self.text(of: source, from: -1) == whole)
        }
    }

    @Test("One that is shorter or longer than declared is an error, at any offset", arguments: sources.indices)
    func lengths(index: Int) async throws {
        for (length, offset) in [(9, 0), (9, 5), (11, 0), (11, 5), (20, 15)] as [(Int64, Int64)] {
            let error = await #expect(throws: FormworkError.self) {
                _ = try await Self.text(of: Self.sources[index](length), from: offset)
            }
            #expect(error?.code == .lengthMismatch)
        }
    }

    /// The chunks that each opening returns.
    private static let openings: [(first: [[UInt8]], second: [[UInt8]], isSame: Bool)] = [
        ([[1, 2], [3]], [[1], [2, 3]], true), ([], [], true), ([[1, 2]], [], false), ([[1, 2]], [[1]], false),
        ([[1, 2]], [[1, 2, 3]], false), ([[1, 2]], [[1, 2], [3]], false), ([[1, 2]], [[1, 3]], false),
        ([], [[1]], false),
    ]

    @Test("What is opened again has to return the same bytes", arguments: openings.indices, [false, true])
    func otherBytes(index: Int, isPull: Bool) async throws {
        let (first, second, isSame) = Self.openings[index]
        let opened = Counter()
        let source: BodySource =
            isPull
            ? .stream { ListStream(chunks: opened.next() == 0 ? first : second) }
            : .chunks { Self.sequence(opened.next() == 0 ? first : second) }
        _ = try await Self.text(of: source, from: -1)
        if isSame {
            _ = try await Self.text(of: source, from: -1)
        } else {
            let error = await #expect(throws: FormworkError.self) { try await Self.text(of: source, from: -1) }
            #expect(error?.code == .notReplayable && error?.part?.name == "a")
            #expect(error.map { "\($0)" }?.contains("returned other bytes than before") == true)
        }
    }

    @Test("A sequence that was read in part already is an error", arguments: [1, 2])
    func stale(count: Int) async throws {
        let log = Self.sequence([[1, 1], [2, 2], [3, 3]] as [[UInt8]])
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("b")))
        form.append(name: "a", source: .chunks { log })
        let plan = try await form.plan()
        do {
            // The head, and some of the chunks.
            let reader = AsyncBodyReader(plan.makeReader())
            for _ in 0..<1 + count { _ = try await reader.next() }
        }
        let error = await #expect(throws: FormworkError.self) {
            let reader = AsyncBodyReader(plan.makeReader())
            while try await reader.next() != nil {}
        }
        #expect(error?.code == .notReplayable)
    }

    @Test("A sequence that ignores the offset is an error that says where it has to begin")
    func ignoredOffset() async throws {
        let source = BodySource.chunks(length: 10) { _ in Self.sequence(Self.chunks) }
        let error = await #expect(throws: FormworkError.self) { _ = try await Self.text(of: source, from: 4) }
        #expect(
            error?.message
                == "an async sequence has more bytes than its declared length of 10: it was opened at byte 4, where it "
                + "has to begin")
    }

    @Test("A sequence that can't begin at an offset is only too long")
    func unknownOffset() async throws {
        let sources: [(BodySource, String)] = [
            (.chunks(length: 9) { Self.sequence(Self.chunks) }, "an async sequence"),
            (.stream(length: 9) { Digits() }, "a stream"),
        ]
        for (source, label) in sources {
            let error = await #expect(throws: FormworkError.self) { _ = try await Self.text(of: source, from: 4) }
            #expect(error?.message == "\(label) has more bytes than its declared length of 9")
        }
    }
}

/// A buffer that isn't a sequence.
private struct OnlyChunk: BodyChunk {
    var bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }

    init(copying bytes: ArraySlice<UInt8>) { self.bytes = Array(bytes) }

    func withBytes<Result, Failure: Error>(_ body: (RawSpan) throws(Failure) -> Result) throws(Failure) -> Result {
        try body(self.bytes.span.bytes)
    }

    func content(_ range: Range<Int>) -> ArraySlice<UInt8> { self.bytes[range] }
}

private struct ListStream: ByteStream {
    var chunks: [[UInt8]]

    mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
        guard !self.chunks.isEmpty else { return 0 }
        let chunk = self.chunks.removeFirst()
        for (place, byte) in chunk.enumerated() { buffer.storeBytes(of: byte, toByteOffset: place, as: UInt8.self) }
        return chunk.count
    }
}

private final class Counter: Sendable {
    private let count = Mutex(0)

    func next() -> Int {
        self.count.withLock { count in
            defer { count += 1 }
            return count
        }
    }
}
