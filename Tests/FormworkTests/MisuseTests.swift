import Formwork
import Synchronization
import TestSupport
import Testing

/// Each call that reads or writes, used in the ways in which it isn't meant to be: every cell is a result or a named error.
///
/// A cell is what the last call gave: `all` bytes, `rest` for fewer, or the code of its error.
@Suite("Misuse", .timeLimit(.minutes(10)))
struct MisuseTests {
    enum Situation: String, CaseIterable, Sendable {
        /// The call is made a second time.
        case twice
        /// The call is made while another task waits in it.
        case twoTasks
        /// The call is made after the next part was requested, or the reader was closed.
        case afterEnd
        /// The call's task is cancelled while it waits.
        case cancelled
        /// The call is made after some bytes were read.
        case partly
    }

    static let type = "multipart/form-data; boundary=b"
    /// Its first part has 3,000 bytes.
    static let body = Array(
        ("--b\r\nContent-Disposition: form-data; name=\"a\"; filename=\"a\"\r\n\r\n[\(String(repeating: " ", count: 2998))]\r\n"
            + "--b\r\nContent-Disposition: form-data; name=\"c\"; filename=\"c\"\r\n\r\nlast\r\n--b--\r\n").utf8)

    typealias Part = ReceivedPart<ChunkSource>
    typealias PartCall = @Sendable (Part, FilePath) async throws -> Int

    private static func outcome(_ whole: Int, _ call: () async throws -> Int) async -> String {
        do {
            let count = try await call()
            return count == whole ? "all" : "\(count) bytes"
        } catch is CancellationError {
            return "cancelled"
        } catch {
            return (error as? FormworkError).map { "\($0.code)" } ?? "\(error)"
        }
    }

    // MARK: a part

    /// The calls, and their cells in the order of the situations.
    static let partCalls: [(name: String, cells: [String], call: PartCall)] = [
        (
            "collect", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, _ in try await part.collect(upTo: 3000).count }
        ),
        (
            "text", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, _ in try await part.text(upTo: 3000).utf8.count }
        ),
        (
            "decode", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, _ in try await part.decode([Int].self, upTo: 3000).isEmpty ? 3000 : 0 }
        ),
        (
            "write(into:)", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, folder in
                let path = try #require(try await part.write(into: folder))
                return try contents(of: path).count
            }
        ),
        (
            "write(toFile:)",
            ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, folder in Int(try await part.write(toFile: folder.appending("file"), replacing: true)) }
        ),
        (
            "content", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, _ in
                var count = 0
                for try await piece in part.content { count += piece.count }
                return count
            }
        ),
        (
            "source", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, _ in try await part.source.bytes(upTo: 3000).count }
        ),
        (
            "rest", ["invalidArgument", "invalidArgument", "invalidArgument", "cancelled", "2963 bytes"],
            { part, _ in try await part.rest.collect(upTo: 3000).count }
        ),
        (
            "peek", ["all", "invalidArgument", "invalidArgument", "cancelled", "invalidArgument"],
            { part, _ in try await part.peek(3000).count }
        ),
        (
            "skip", ["all", "invalidArgument", "invalidArgument", "cancelled", "all"],
            { part, _ in
                try await part.skip()
                return 3000
            }
        ),
    ]

    @Test(arguments: partCalls.indices, Situation.allCases)
    func part(index: Int, situation: Situation) async throws {
        let (name, cells, call) = Self.partCalls[index]
        let folder = TemporaryFolder()
        let stops = [.twoTasks, .cancelled].contains(situation)
        let source = ChunkSource(stops ? Array(Self.body.prefix(100)) : Self.body, every: 100, stops: stops)
        let parts = try ReceivedParts(source, contentType: Self.type)
        var iterator = parts.makeAsyncIterator()
        let part = try #require(try await iterator.next())
        let result = try await self.result(situation, source) {
            await Self.outcome(3000) { try await call(part, folder.path) }
        } prepare: {
            switch situation {
            case .afterEnd: #expect(try await iterator.next()?.name == "c")
            case .partly:
                for try await _ in part.content { break }
            default: break
            }
        }
        #expect(result == cells[Situation.allCases.firstIndex(of: situation)!], "\(name), \(situation)")
        if stops || situation == .afterEnd { #expect(try folder.traces == []) }
        // Whatever happened, the next part is whole.
        if !stops, situation != .afterEnd {
            #expect(try await iterator.next()?.text(upTo: 10) == "last")
            #expect(try await iterator.next() == nil)
        }
    }

    /// Runs a call in a situation.
    private func result(
        _ situation: Situation, _ source: ChunkSource, _ call: @escaping @Sendable () async -> String,
        prepare: () async throws -> Void
    ) async throws -> String {
        try await prepare()
        switch situation {
        case .twice:
            #expect(await call() == "all")
            return await call()
        case .twoTasks, .cancelled:
            let first = Task { await call() }
            while source.log.pulled < 2 { await Task.yield() }
            if situation == .twoTasks {
                let second = await call()
                first.cancel()
                #expect(await first.value == "cancelled")
                return second
            }
            first.cancel()
            return await first.value
        case .afterEnd, .partly: return await call()
        }
    }

    // MARK: the parts

    typealias PartsCall = @Sendable (ReceivedParts<ChunkSource>, FilePath) async throws -> Int

    /// The calls, which give the number of parts, and their cells. "partly" is after the first part.
    static let partsCalls: [(name: String, cells: [String], call: PartsCall)] = [
        (
            "loop", ["invalidArgument", "invalidArgument", "cancelled", "1 bytes"],
            { parts, _ in
                var count = 0
                for try await _ in parts { count += 1 }
                return count
            }
        ),
        (
            "ReceivedForm", ["invalidArgument", "invalidArgument", "cancelled", "1 bytes"],
            { parts, _ in try await ReceivedForm(collecting: parts).count }
        ),
        (
            "writeFiles", ["invalidArgument", "invalidArgument", "cancelled", "1 bytes"],
            { parts, folder in try await parts.writeFiles(into: folder).count }
        ),
        (
            "append(once:)", ["invalidArgument", "invalidArgument", "cancelled", "1 bytes"],
            { parts, _ in
                var form = FormData()
                form.append(once: parts)
                let plan = try await form.plan()
                return try await ReceivedForm(collecting: plan.chunks(), contentType: plan.contentType).count
            }
        ),
    ]

    @Test(arguments: partsCalls.indices, [Situation.twice, .twoTasks, .cancelled, .partly])
    func parts(index: Int, situation: Situation) async throws {
        let (name, cells, call) = Self.partsCalls[index]
        let folder = TemporaryFolder()
        let stops = [.twoTasks, .cancelled].contains(situation)
        let source = ChunkSource(stops ? Array(Self.body.prefix(100)) : Self.body, every: 100, stops: stops)
        let parts = try ReceivedParts(source, contentType: Self.type)
        let result = try await self.result(situation, source) {
            await Self.outcome(2) { try await call(parts, folder.path) }
        } prepare: {
            if situation == .partly { for try await _ in parts { break } }
        }
        let column = try #require([Situation.twice, .twoTasks, .cancelled, .partly].firstIndex(of: situation))
        #expect(result == cells[column], "\(name), \(situation)")
        if stops { #expect(try folder.traces == []) }
    }

    // MARK: bodies

    typealias BodyCall = @Sendable (BodyPlan, FilePath) async throws -> Int

    /// The calls, and their cells for a body that can be read once: twice, in two tasks, cancelled, and after another reader
    /// has read some.
    static let bodyCalls: [(name: String, call: BodyCall)] = [
        ("bytes", { plan, _ in try await plan.bytes(upTo: 4000).count }),
        (
            "chunks",
            { plan, _ in
                var count = 0
                for try await chunk in plan.chunks() { count += chunk.count }
                return count
            }
        ),
        (
            "write(toFile:)",
            { plan, folder in Int(try await plan.write(toFile: folder.appending("f"), replacing: true)) }
        ),
        (
            "write(to:)",
            { plan, _ in
                let null = try FileDescriptor.open("/dev/null", .writeOnly)
                defer { try? null.close() }
                return Int(try await plan.write(to: null))
            }
        ),
    ]

    @Test(arguments: bodyCalls.indices, [Situation.twice, .twoTasks, .cancelled, .partly])
    func body(index: Int, situation: Situation) async throws {
        let (name, call) = Self.bodyCalls[index]
        let folder = TemporaryFolder()
        let stops = [.twoTasks, .cancelled].contains(situation)
        let source = ChunkSource(stops ? Array(Self.body.prefix(100)) : Self.body, every: 100, stops: stops)
        let plan = try BodyPlan(copying: .chunks(once: source))
        let result = try await self.result(situation, source) {
            await Self.outcome(Self.body.count) { try await call(plan, folder.path) }
        } prepare: {
            if situation == .partly { for try await _ in plan.chunks() { break } }
        }
        #expect(result == (situation == .cancelled ? "cancelled" : "notReplayable"), "\(name), \(situation)")
        if situation != .twice { #expect(try folder.traces == []) }
        // A body that can be read again has no such situations.
        let again = try BodyPlan(copying: .bytes(Self.body))
        for _ in 0..<2 { #expect(await Self.outcome(Self.body.count) { try await call(again, folder.path) } == "all") }
    }

    @Test func `A reader: in two tasks, after its end, cancelled and closed`() async throws {
        let source = ChunkSource(Array(Self.body.prefix(100)), every: 100, stops: true)
        let reader = AsyncBodyReader(try BodyPlan(copying: .chunks(once: source)).makeReader())
        #expect(try await reader.next()?.count == 100)
        let waiting = Task { await Self.outcome(0) { try await reader.next()?.count ?? 0 } }
        while source.log.pulled < 2 { await Task.yield() }
        #expect(await Self.outcome(0) { try await reader.next()?.count ?? 0 } == "invalidArgument")
        waiting.cancel()
        #expect(await waiting.value == "cancelled")
        #expect(await Self.outcome(0) { try await reader.next()?.count ?? 0 } == "sourceUnavailable")

        let whole = AsyncBodyReader(try BodyPlan(copying: .bytes(Self.body)).makeReader(), chunkSize: 5000)
        #expect(try await whole.next()?.count == Self.body.count)
        for _ in 0..<2 { #expect(try await whole.next() == nil) }
        await whole.close()
        #expect(await Self.outcome(0) { try await whole.next()?.count ?? 0 } == "invalidArgument")
    }
}
