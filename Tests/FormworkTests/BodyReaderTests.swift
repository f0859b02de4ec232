import Formwork
import Synchronization
import TestSupport
import Testing

@Suite("Reading a body", .timeLimit(.minutes(10)))
struct BodyReaderTests {
    private let folder = TemporaryFolder()

    @Test("Any read size gives the bytes that were written down", arguments: UInt64(0)..<24)
    func readSizes(seed: UInt64) throws {
        let (form, body) = try generatedForm(seed: seed, in: self.folder)
        let plan = try form.plan()
        #expect(plan.contentLength == Int64(body.count))
        for size in [1, 2, 3, 7, 64, 1000, 65_536, 1 << 20] where size > 100 || body.count < 5000 {
            #expect(try readAll(plan.makeReader(), by: size) == body, "reads of \(size)")
        }
    }

    @Test("Any seek gives the bytes from there", arguments: UInt64(100)..<124)
    func seeks(seed: UInt64) throws {
        let (form, body) = try generatedForm(seed: seed, in: self.folder)
        let reader = try form.plan().makeReader()
        var generator = SampleGenerator(seed: seed)
        for _ in 0..<60 {
            let offset = Int.random(in: 0...body.count, using: &generator)
            let count = Int.random(in: 0...3000, using: &generator)
            try reader.seek(to: Int64(offset))
            var got: [UInt8] = []
            while got.count < count, case let chunk = try reader.read(upTo: count - got.count), !chunk.isEmpty {
                got += chunk
            }
            #expect(got == Array(body[offset..<min(offset + count, body.count)]), "from \(offset)")
        }
    }

    @Test("A reader with a count stops there, by every way out", arguments: UInt64(200)..<212)
    func slices(seed: UInt64) throws {
        let (form, body) = try generatedForm(seed: seed, in: self.folder)
        let plan = try form.plan()
        var generator = SampleGenerator(seed: seed)
        for _ in 0..<10 {
            let offset = Int.random(in: 0...body.count, using: &generator)
            let count = Int.random(in: 0...body.count, using: &generator)
            let expected = Array(body[offset..<min(offset + count, body.count)])
            let reader = try plan.makeReader(from: Int64(offset), count: Int64(count))
            #expect(try readAll(reader, by: 4096) == expected)
            let target = self.folder.path.appending("slice")
            try plan.makeReader(from: Int64(offset), count: Int64(count)).write(toFile: target, replacing: true)
            #expect(try contents(of: target) == expected)
        }
    }

    @Test("Readers don't disturb each other")
    func manyReaders() throws {
        var form = formB()
        form.append(name: "f", file: try self.folder.file("f", "0123456789"))
        form.append(name: "t", value: "text")
        let plan = try form.plan()
        let whole = try plan.bytes(upTo: 1000)
        let readers = (0..<20).map { _ in plan.makeReader() }
        var bodies = Array(repeating: [UInt8](), count: readers.count)
        for round in 0..<whole.count {
            for (index, reader) in readers.enumerated() where round % (index + 1) == 0 {
                bodies[index] += try reader.read(upTo: index + 1)
            }
        }
        for index in readers.indices { #expect(bodies[index] == Array(whole.prefix(bodies[index].count))) }
        #expect(bodies[0] == whole)
    }

    @Test("The body of a literal form is this literal text")
    func literal() throws {
        var form = formB()
        form.append(name: "a", value: "1")
        form.append(name: "a", value: "")
        form.append(name: "", source: .text("x"), filename: "q\"\r\n.txt", contentType: "text/plain; charset=utf-8")
        let body = """
            --b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\
            \r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n\
            \r\n--b\r\nContent-Disposition: form-data; name=""; filename="q%22%0D%0A.txt"\r\n\
            Content-Type: text/plain; charset=utf-8\r\n\r\nx\
            \r\n--b--\r\n
            """
        let plan = try form.plan()
        #expect(try plan.bytes(upTo: 1000) == Array(body.utf8))
        #expect(plan.contentLength == 229)
        #expect(plan.contentType == "multipart/form-data; boundary=b")
    }

    @Test("Closing twice is fine; reading afterwards is an error, not an end")
    func close() throws {
        var form = formB()
        form.append(name: "a", value: "1")
        let reader = try form.plan().makeReader()
        _ = try reader.read(upTo: 3)
        reader.close()
        reader.close()
        #expect(throws: FormworkError.self) { try reader.read(upTo: 3) }
        #expect(throws: FormworkError.self) { try reader.seek(to: 0) }
    }

    @Test("A reader dropped half-way closes its file; at most one is open")
    func dropped() throws {
        var form = formB()
        for index in 0..<50 {
            form.append(name: "f", file: try self.folder.file("f\(index)", [UInt8](repeating: 1, count: 5000)))
        }
        let plan = try form.plan()
        let before = openDescriptors()
        var reader: BodyReader? = plan.makeReader()
        for _ in 0..<200 {
            _ = try reader?.read(upTo: 1000)
            #expect(openDescriptors() <= before + 40, "other tests run beside this one")
        }
        reader = nil
        let isGone = try SystemCheck.noneOpen(under: self.folder.path)
        #expect(isGone)
    }

    @Test("Progress tells part and total, first and last always, and no more often than asked")
    func progress() throws {
        var form = formB()
        form.append(name: "a", value: "12345")
        form.append(name: "f", file: try self.folder.file("f", [UInt8](repeating: 0, count: 10_000)))
        let plan = try form.plan()
        let seen = Mutex<[UploadProgress]>([])
        let options = ReaderOptions(
            progress: { progress in seen.withLock { $0.append(progress) } }, progressInterval: .zero)
        let reader = try plan.makeReader(options: options)
        _ = try readAll(reader, by: 1000)
        let reports = seen.withLock { $0 }
        #expect(reports.map(\.sent).sorted() == reports.map(\.sent))
        #expect(reports.last?.sent == plan.contentLength)
        #expect(reports.allSatisfy { $0.total == plan.contentLength })
        let file = reports.filter { $0.part?.name == "f" }
        #expect(file.allSatisfy { $0.partLength == 10_000 && $0.partPosition <= 10_000 })
        #expect(file.last.map { $0.partPosition > 8000 } == true)

        let rare = Mutex(0)
        let slow = ReaderOptions(progress: { _ in rare.withLock { $0 += 1 } }, progressInterval: .seconds(3600))
        _ = try readAll(plan.makeReader(options: slow), by: 10)
        #expect(rare.withLock { $0 } == 2, "the first and the last")
    }

    @Test("A rate limit caps every read and asks for a pause; it sleeps nobody")
    func rateLimit() throws {
        var form = formB()
        form.append(name: "a", source: .synthetic(SyntheticBytes(.zeros, count: 100_000)))
        let limit = RateLimit(packet: 16_384, delay: .milliseconds(200))
        let reader = try form.plan().makeReader(options: ReaderOptions(rateLimit: limit))
        #expect(reader.delay == .zero)
        #expect(try reader.read(upTo: 100_000).count == 16_384)
        #expect(reader.delay > .zero && reader.delay <= .milliseconds(200))
    }

    @Test("Collecting is bounded, whether or not the length is known beforehand")
    func collecting() throws {
        var known = formB()
        known.append(name: "a", value: "1")
        let length = 59
        #expect(try known.plan().bytes(upTo: length).count == length)
        #expect(throws: FormworkError.self) { try known.plan().bytes(upTo: length - 1) }
        var unknown = formB()
        unknown.append(name: "a", source: .stream { DripStream([1], from: Int($0)) })
        #expect(try unknown.plan().bytes(upTo: length).count == length)
        let error = #expect(throws: FormworkError.self) { try unknown.plan().bytes(upTo: length - 1) }
        #expect(error?.code == .limitExceeded)
    }

    @Test("Offsets outside the body and negative counts are refused")
    func badOffsets() throws {
        let plan = try formB().plan()
        #expect(plan.contentLength == 7)
        #expect(throws: FormworkError.self) { try plan.makeReader(from: -1) }
        #expect(throws: FormworkError.self) { try plan.makeReader(from: 8) }
        #expect(throws: FormworkError.self) { try plan.makeReader(count: -1) }
        #expect(try readAll(plan.makeReader(from: 7), by: 10) == [])
    }
}
