import Formwork
import TestSupport
import Testing

@Suite("Parts as they arrive", .timeLimit(.minutes(10)))
struct ReceivedPartsTests {
    private let folder = TemporaryFolder()
    static let type = "multipart/form-data; boundary=b"
    static let body =
        "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nHarbour\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"h.jpg\"\r\n"
        + "Content-Type: image/jpeg\r\n\r\nJPEG\r\n--not\r\n\r\n"
        + "--b\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n\r\n--b--\r\n"

    private func parts(
        _ source: ChunkSource, limits: ParsingLimits = .default, deadlines: ReceivingDeadlines = ReceivingDeadlines()
    ) throws -> ReceivedParts<ChunkSource>.AsyncIterator {
        try ReceivedParts(source, contentType: Self.type, limits: limits, deadlines: deadlines).makeAsyncIterator()
    }

    @Test("Headers first, then text, pieces or nothing, however the body is cut", arguments: [1, 2, 3, 7, 50, 1000])
    func anyCut(size: Int) async throws {
        var seen: [String] = []
        for try await part in try ReceivedParts(ChunkSource(Self.body, every: size), contentType: Self.type) {
            seen.append("\(part.index) \(part.name ?? "-") \(part.filename ?? "-") \(part.contentType ?? "-")")
            switch part.name {
            case "title": seen.append(try await part.text(upTo: 7))
            case "photo":
                var bytes: [UInt8] = []
                for try await piece in part.content { bytes += piece }
                seen.append(String(decoding: bytes, as: UTF8.self))
            default: break
            }
        }
        #expect(
            seen == [
                "0 title - -", "Harbour", "1 photo h.jpg image/jpeg", "JPEG\r\n--not\r\n", "2 last - -",
            ])
    }

    @Test(
        "All files are written, or none is left",
        arguments: [("", nil), ("limit", .limitExceeded), ("cut", .truncatedBody)] as [(String, FormworkError.Code?)])
    func files(how: String, code: FormworkError.Code?) async throws {
        func file(_ name: String, _ text: String) -> String {
            "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"\(name)\"\r\n\r\n\(text)\r\n"
        }
        let field = "--b\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\nHarbour\r\n"
        let body =
            file("a.txt", "one") + field + file("", "") + file("a.txt", "three") + (how == "cut" ? "" : "--b--\r\n")
        var limits = ParsingLimits()
        if how == "limit" { limits.fileBytes = 4 }
        try self.folder.file("a.txt", "there")
        let parts = try ReceivedParts(ChunkSource(body, every: 20), contentType: Self.type, limits: limits)
        if let code {
            let error = await #expect(throws: FormworkError.self) { try await parts.writeFiles(into: self.folder.path) }
            #expect(error?.code == code)
            #expect(self.folder.names == ["a.txt"])
        } else {
            let paths = try await parts.writeFiles(into: self.folder.path)
            #expect(paths.map { $0.lastComponent?.string } == ["a (1).txt", "a (2).txt"])
            #expect(self.folder.names == ["a (1).txt", "a (2).txt", "a.txt"])
        }
    }

    @Test("Slices are chunks too, and content shares their storage")
    func slices() async throws {
        let bytes = Array("....\(Self.body)".utf8)
        let (chunks, source) = AsyncStream.makeStream(of: ArraySlice<UInt8>.self)
        source.yield(bytes[4..<60])
        source.yield(bytes[60...])
        source.finish()
        var texts: [String] = []
        for try await part in try ReceivedParts(chunks, contentType: Self.type) {
            var text = ""
            for try await piece in part.content {
                let address = bytes[piece.indices].withUnsafeBytes { $0.baseAddress }
                #expect(piece.withUnsafeBytes { $0.baseAddress } == address)
                text += String(decoding: piece, as: UTF8.self)
            }
            texts.append(text)
        }
        #expect(texts == ["Harbour", "JPEG\r\n--not\r\n", ""])
    }

    @Test("What isn't read is skipped, and the end stays the end")
    func skipped() async throws {
        var parts = try self.parts(ChunkSource(Self.body, every: 5))
        for name in ["title", "photo", "last"] { #expect(try await parts.next()?.name == name) }
        for _ in 0..<3 { #expect(try await parts.next() == nil) }
    }

    @Test("A chunk is pulled when the one before is used up")
    func backPressure() async throws {
        // 47 bytes are the delimiter and the header line, 4 their line ends.
        let source = ChunkSource(Self.body, every: 10)
        var parts = try self.parts(source)
        let part = try #require(try await parts.next())
        #expect(source.log.pulled == 6)
        #expect(try await part.text(upTo: 7) == "Harbour")
        #expect(source.log.pulled == 7)
        _ = try await parts.next()
        #expect(source.log.pulled == 16)
    }

    @Test("The source is read to its end, and let go of with the last of its parts")
    func earlyStop() async throws {
        let source = ChunkSource([Array(Self.body.utf8), Array("epilogue".utf8)])
        do {
            var parts = try self.parts(source)
            while try await parts.next() != nil {}
            #expect(source.log.pulled == 3)
            #expect(source.log.iterators == 1)
        }
        #expect(source.log.iterators == 0)
        for try await part in try ReceivedParts(source, contentType: Self.type) where part.name == "title" { break }
        #expect(source.log.iterators == 0)
    }

    @Test("A part's content is gone when the next one was asked for")
    func late() async throws {
        var parts = try self.parts(ChunkSource(Self.body, every: 9))
        let first = try #require(try await parts.next())
        let second = try #require(try await parts.next())
        await expect(.invalidArgument) { try await first.collect(upTo: 100) }
        await expect(.invalidArgument) { try await first.skip() }
        #expect(throws: FormworkError.self) { try first.limit(to: 1) }
        #expect(try await second.text(upTo: 100) == "JPEG\r\n--not\r\n")
        await expect(.invalidArgument) { for try await _ in second.content {} }
        _ = try await parts.next()
        await expect(.invalidArgument) { for try await _ in second.content {} }
    }

    /// Each of these calls would otherwise give, or write, nothing.
    @Test func `Content that was read already isn't taken for empty`() async throws {
        let reads: [@Sendable (ReceivedPart<ChunkSource>) async throws -> Void] = [
            { _ = try await $0.text(upTo: 100) }, { _ = try await $0.collect(upTo: 100) },
            { _ = try await $0.write(into: self.folder.path) },
            { _ = try await $0.write(toFile: self.folder.path.appending("late")) },
            { for try await _ in $0.content {} }, { _ = try await $0.peek(1) },
            { _ = try await $0.rest.collect(upTo: 100) },
            { part in for try await _ in try part.source.chunks() {} },
        ]
        for again in reads {
            for first in reads.prefix(2) {
                var parts = try self.parts(ChunkSource(Self.body, every: 9))
                while let part = try await parts.next() {
                    try await first(part)
                    let error = await #expect(throws: FormworkError.self) { try await again(part) }
                    let text = "part \(part.index + 1) has been read already: keep what the first call gave"
                    #expect(error?.message == "the content of \(text)")
                }
            }
        }
        #expect(self.folder.names == [])
    }

    /// Otherwise the second call would give, or write, the rest of the content as if it were all.
    @Test func `After some content was read, by a failed call or a loop, the part isn't taken for whole`() async throws
    {
        typealias Read = @Sendable (ReceivedPart<ChunkSource>) async throws -> Void
        let missing = self.folder.path.appending("none/folder")
        let reads: [Read] = [
            { _ = try await $0.collect(upTo: 100) }, { for try await _ in $0.content {} },
            { _ = try await $0.write(into: self.folder.path) },
            { _ = try await $0.write(toFile: self.folder.path.appending("rest")) },
            { part in for try await _ in try part.source.chunks() {} }, { _ = try await $0.peek(1) },
        ]
        let failing: [Read] = [
            { _ = try await $0.collect(upTo: 6) }, { _ = try await $0.text(upTo: 0) },
            { _ = try await $0.write(into: missing) },
            { part in
                for try await _ in part.content { break }
                throw FormworkError(.invalidArgument, "a loop that stopped")
            },
        ]
        for size in [3, 1000] {
            for (first, again) in failing.flatMap({ first in reads.map { (first, $0) } }) {
                var parts = try self.parts(ChunkSource(Self.body, every: size))
                let part = try #require(try await parts.next())
                await #expect(throws: FormworkError.self) { try await first(part) }
                let error = await #expect(throws: FormworkError.self) { try await again(part) }
                #expect(
                    error?.message.hasPrefix("some of the content of part 1 has been read already: ") == true,
                    "\(error.map { "\($0)" } ?? "no error")")
                try await part.skip()
                await expect(.invalidArgument) { try await part.collect(upTo: 100) }
                let photo = try #require(try await parts.next())
                #expect(try await photo.text(upTo: 100) == "JPEG\r\n--not\r\n")
            }
        }
        #expect(self.folder.names == [])
    }

    @Test func `A call that failed before it read anything can be repeated`() async throws {
        let existing = self.folder.path.appending("existing")
        try await BodyPlan(copying: .bytes([])).write(toFile: existing)
        var parts = try self.parts(ChunkSource(Self.body, every: 3))
        let part = try #require(try await parts.next())
        await expect(.writeFailed) { try await part.write(toFile: self.folder.path.appending("none/file")) }
        await expect(.writeFailed) { try await part.write(toFile: existing) }
        #expect(try await part.text(upTo: 100) == "Harbour")
    }

    @Test func `An error of the parser is thrown again, and not that a call has failed`() async throws {
        var limits = ParsingLimits.default
        limits.fieldBytes = 5
        var parts = try self.parts(ChunkSource(Self.body, every: 3), limits: limits)
        let part = try #require(try await parts.next())
        for _ in 0..<2 { await expect(.limitExceeded) { try await part.collect(upTo: 100) } }
    }

    @Test func `The last part can't be read after the end`() async throws {
        var parts = try self.parts(ChunkSource(Self.body, every: 9))
        var last: ReceivedPart<ChunkSource>?
        while let part = try await parts.next() { last = part }
        let part = try #require(last)
        let error = await #expect(throws: FormworkError.self) { try await part.collect(upTo: 100) }
        let text =
            "part 3 has ended: read its content before requesting the next part, or pass all parts on with append(once:)"
        #expect(error?.message == text)
    }

    @Test func `A part of JSON is decoded as it arrives, or is the client's error with its field`() async throws {
        struct Note: Decodable, Equatable { var title: String }
        func decoded(_ json: String) async throws -> Note {
            let body = "--b\r\nContent-Disposition: form-data; name=\"note\"\r\n\r\n\(json)\r\n--b--\r\n"
            var parts = try self.parts(ChunkSource(body, every: 7))
            return try await #require(try await parts.next()).decode(Note.self, upTo: 20)
        }
        #expect(try await decoded("{\"title\": \"sea\"}") == Note(title: "sea"))
        for (json, path) in [("{\"title\": 1}", ["note", "title"]), ("{}", ["note", "title"]), ("{", ["note"])] {
            let error = await #expect(throws: FormworkError.self) { try await decoded(json) }
            #expect(error?.code == .malformedBody && error?.part == PartReference(index: 0, name: "note"))
            let keys: [any CodingKey]? =
                switch error?.cause as? DecodingError {
                case .typeMismatch(_, let context): context.codingPath
                case .keyNotFound(let key, let context): context.codingPath + [key]
                case .dataCorrupted(let context): context.codingPath
                default: nil
                }
            #expect(keys?.map(\.stringValue) == path)
        }
        await expect(.limitExceeded) { try await decoded("{\"title\": \"a longer text\"}") }
    }

    @Test("Two tasks at once are refused")
    func exclusive() async throws {
        let source = ChunkSource([Array(Self.body.utf8.prefix(60))], stops: true)
        var parts = try self.parts(source)
        let part = try #require(try await parts.next())
        let waiting = Task { try await part.collect(upTo: 100) }
        while source.log.pulled < 2 { await Task.yield() }
        await expect(.invalidArgument) { try await part.skip() }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test("More than the caller allows is an error at its offset, and the rest can be skipped")
    func collectLimit() async throws {
        var parts = try self.parts(ChunkSource(Self.body, every: 3))
        let part = try #require(try await parts.next())
        let error = await #expect(throws: FormworkError.self) { try await part.collect(upTo: 6) }
        #expect(error?.code == .limitExceeded)
        #expect(error?.parsingFailure == ParsingFailure(.fieldBytesLimit, limit: 6))
        #expect(error?.offset == 59)
        #expect(error?.part == PartReference(index: 0, name: "title"))
        #expect(try await parts.next()?.name == "photo")
    }

    @Test("A part's limit is changed when its header section has been seen, both ways")
    func partLimit() async throws {
        var limits = ParsingLimits()
        (limits.fieldBytes, limits.fileBytes) = (3, 100)
        var parts = try self.parts(ChunkSource(Self.body, every: 4), limits: limits)
        let title = try #require(try await parts.next())
        try title.limit(to: 7)
        #expect(try await title.text(upTo: 100) == "Harbour")
        let photo = try #require(try await parts.next())
        try photo.limit(to: 12)
        let error = await #expect(throws: FormworkError.self) { try await photo.skip() }
        #expect(error?.parsingFailure == ParsingFailure(.fileBytesLimit, limit: 12))
        #expect(error?.part == PartReference(index: 1, name: "photo"))
        // A parser that failed stays failed.
        let again = await #expect(throws: FormworkError.self) { try await parts.next() }
        #expect(again?.parsingFailure == error?.parsingFailure)
    }

    @Test("A source's error passes through, again and again")
    func sourceFailure() async throws {
        let source = ChunkSource([Array(Self.body.utf8.prefix(60))], failure: Errno.connectionReset)
        var parts = try self.parts(source)
        let part = try #require(try await parts.next())
        for _ in 0..<2 { await #expect(throws: Errno.connectionReset) { try await part.collect(upTo: 100) } }
        #expect(source.log.pulled == 2)
    }

    @Test("A body that ends early is truncated, at every byte")
    func truncated() async throws {
        // Behind the close delimiter's hyphens nothing is missed.
        for count in 0..<Self.body.utf8.count - 2 {
            let source = ChunkSource([Array(Self.body.utf8.prefix(count))])
            await expect(.truncatedBody) {
                for try await part in try ReceivedParts(source, contentType: Self.type) { try await part.skip() }
            }
        }
    }

    @Test(
        "No Content-Type is an error before anything is read",
        arguments: [nil, "", "text/plain", "multipart/form-data"])
    func contentType(type: String?) throws {
        expect(.malformedBody) { try ReceivedParts(ChunkSource("", every: 1), contentType: type) }
    }

    @Test(
        "An error says what probably happened to the body",
        arguments: [
            ("", "the body has no bytes: something has read it before, or it was never sent"),
            ("{\"a\": 1}", "it is JSON, not multipart"),
            ("--c\r\n", "its first line is \"--c\", but the boundary is given as \"b\""),
        ])
    func diagnosis(body: String, cause: String) async throws {
        let error = await #expect(throws: FormworkError.self) {
            for try await _ in try ReceivedParts(ChunkSource(body, every: 2), contentType: Self.type) {}
        }
        #expect(error?.message.hasSuffix("; probably: \(cause)") == true, "\(error?.message ?? "")")
    }

    @Test(
        "Another Content-Type is named, with what reads it",
        arguments: [
            (
                "application/x-www-form-urlencoded; charset=utf-8", ParsingProfile.default,
                "The Content-Type is \"application/x-www-form-urlencoded\", not multipart/form-data: "
                    + "a url-encoded form has no parts, so collect or decode the whole form."
            ),
            (
                "text/plain", .default,
                "The Content-Type is \"text/plain\", not multipart/form-data: forms are sent as that, or url-encoded."
            ),
            (
                "multipart/mixed; boundary=b", .default,
                "The Content-Type is \"multipart/mixed\", not multipart/form-data: the profile generic reads it."
            ),
            ("te%nxt/a", .generic, "The Content-Type is not a multipart type."),
            ("", .default, "The Content-Type is empty: forms are sent as multipart/form-data, or url-encoded."),
        ])
    func otherType(type: String, profile: ParsingProfile, message: String) throws {
        let error = #expect(throws: FormworkError.self) {
            try ReceivedParts(ChunkSource("", every: 1), contentType: type, profile: profile)
        }
        #expect(error?.message == message)
    }

    @Test("A body that fails after its close delimiter is an error, however it is read")
    func afterTheEnd() async throws {
        struct Cut: Error {}
        for rest in ["", "\r", "\r\n", "\r\nepilogue"] {
            let source = ChunkSource(Self.body.dropLast() + rest, every: 7, failure: Cut())
            await #expect(throws: Cut.self, "\(rest)") {
                for try await part in try ReceivedParts(source, contentType: Self.type) { try await part.skip() }
            }
            await #expect(throws: Cut.self, "\(rest)") {
                try await ReceivedForm(collecting: source, contentType: Self.type)
            }
        }
    }

    @Test("The limit of the whole body counts what follows the close delimiter")
    func epilogueLimit() async throws {
        let body = Self.body + "0123456789"
        var limits = ParsingLimits()
        limits.totalBytes = Int64(body.utf8.count)
        func read(every size: Int) async throws -> Int {
            try await ReceivedForm(
                collecting: ChunkSource(body, every: size), contentType: Self.type, limits: limits
            ).count
        }
        for size in [1, 7, 1000] { #expect(try await read(every: size) == 3) }
        #expect(try ReceivedForm(body, contentType: Self.type, limits: limits).count == 3)
        limits.totalBytes -= 1
        for size in [1, 7, 1000] {
            let error = await #expect(throws: FormworkError.self) { try await read(every: size) }
            #expect(error?.parsingFailure?.kind == .totalBytesLimit)
        }
        expect(.limitExceeded) { try ReceivedForm(body, contentType: Self.type, limits: limits) }
    }

    @Test("A skipped part's deadline ends with it")
    func skippedDeadline() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
        let deadlines = ReceivingDeadlines(part: .seconds(1))
        var parts = try ReceivedParts(chunks, contentType: Self.type, deadlines: deadlines).makeAsyncIterator()
        // Up to the second part's first header line.
        source.yield(Array(Self.body.utf8.prefix(90)))
        #expect(try await parts.next()?.name == "title")
        let rest = Task {
            try await Task.sleep(for: .milliseconds(1_500))
            source.yield(Array(Self.body.utf8.dropFirst(90)))
            source.finish()
        }
        #expect(try await parts.next()?.name == "photo")
        try await rest.value
    }

    @Test("Cancellation ends the wait, whoever waits", arguments: [false, true])
    func cancellation(hasDeadline: Bool) async throws {
        let source = ChunkSource([Array(Self.body.utf8.prefix(60))], stops: true)
        let deadlines = ReceivingDeadlines(total: hasDeadline ? .seconds(500) : nil)
        var parts = try self.parts(source, deadlines: deadlines)
        let part = try #require(try await parts.next())
        let task = Task { try await part.collect(upTo: 100) }
        while source.log.pulled < 2 { await Task.yield() }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test("A source that ends because of cancellation is no truncated body")
    func cancelledStream() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
        source.yield(Array(Self.body.utf8.prefix(60)))
        let parts = try ReceivedParts(chunks, contentType: Self.type)
        let task = Task { for try await part in parts { try await part.skip() } }
        await Task.yield()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test(
        "A peer that stops meets its deadline, and so does every later call",
        arguments: [
            ReceivingDeadlines(total: .seconds(1)), ReceivingDeadlines(part: .seconds(1)),
            ReceivingDeadlines(chunk: .seconds(1)),
        ])
    func deadlines(deadlines: ReceivingDeadlines) async throws {
        let source = ChunkSource([Array(Self.body.utf8.prefix(60))], stops: true)
        var parts = try self.parts(source, deadlines: deadlines)
        let part = try #require(try await parts.next())
        for _ in 0..<2 {
            let error = await #expect(throws: FormworkError.self) { try await part.collect(upTo: 100) }
            #expect(error?.code == .timedOut)
            #expect(error?.offset == 60)
        }
        #expect(source.log.pulled == 2)
    }

    @Test("A part's deadline ends with the part")
    func partDeadline() async throws {
        let (chunks, source) = AsyncStream.makeStream(of: [UInt8].self)
        let deadlines = ReceivingDeadlines(part: .seconds(1))
        var parts = try ReceivedParts(chunks, contentType: Self.type, deadlines: deadlines).makeAsyncIterator()
        let head = Array(Self.body.utf8)
        source.yield(Array(head[..<68]))
        #expect(try await parts.next()?.text(upTo: 10) == "Harbour")
        try await Task.sleep(for: .milliseconds(1_500))
        source.yield(Array(head[68...]))
        source.finish()
        #expect(try await parts.next()?.name == "photo")
    }
}
