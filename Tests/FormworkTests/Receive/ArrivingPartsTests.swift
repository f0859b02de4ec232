import Formwork
import Testing

@Suite("Parts of an async sequence", .timeLimit(.minutes(10)))
struct ArrivingPartsTests {
    private func plan(_ body: String, _ chunk: Int, before: Bool = false, after: Bool = false) throws -> BodyPlan {
        let bytes = Array(body.utf8)
        let chunks = AsyncStream<ArraySlice<UInt8>> { continuation in
            for start in stride(from: 0, to: bytes.count, by: chunk) {
                continuation.yield(bytes[start..<min(start + chunk, bytes.count)])
            }
            continuation.finish()
        }
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("out")))
        if before { form.append(name: "first", value: "1") }
        let parts = try ReceivedParts(chunks, contentType: "multipart/form-data; boundary=x")
        form.append(once: parts.filter { $0.name != "drop" }.map { BodyPart($0) })
        if after { form.append(name: "last", value: "2") }
        return try form.plan()
    }

    private func bytes(_ plan: BodyPlan, checksFraming: Bool = false) async throws -> String {
        var bytes: [UInt8] = []
        var options = ReaderOptions()
        options.checksFraming = checksFraming
        for try await chunk in plan.chunks(of: 50, options: options) { bytes += chunk }
        return String(decoding: bytes, as: UTF8.self)
    }

    private let body =
        "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n"
        + "--x\r\nContent-Disposition: form-data; name=\"drop\"\r\n\r\ntwo\r\n"
        + "--x\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\nContent-Type: text/css\r\nX-A: b\r\n\r\n\r\n"
        + "--x--\r\n"

    private let sentOn =
        "--out\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\none\r\n"
        + "--out\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\nContent-Type: text/css\r\n\r\n"

    @Test("A form is sent on while it arrives", arguments: [1, 7, 1000], [false, true])
    func sentOn(chunk: Int, checksFraming: Bool) async throws {
        let plan = try self.plan(self.body, chunk)
        #expect(plan.contentLength == nil)
        #expect(!plan.isReplayable)
        #expect(plan.lengthBlocker?.description == "part 1: an async sequence of parts without a declared length")
        #expect(try await self.bytes(plan, checksFraming: checksFraming) == "\(self.sentOn)\r\n--out--\r\n")
        await #expect(throws: FormworkError.self) { try await self.bytes(plan) }
    }

    @Test func `A part whose content was read before isn't sent on as an empty one`() async throws {
        let body = Array(self.body.utf8)
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield(body)
            continuation.finish()
        }
        var form = FormData()
        form.append(
            once: try ReceivedParts(chunks, contentType: "multipart/form-data; boundary=x").map { part in
                _ = try await part.text(upTo: 10)
                return BodyPart(part)
            })
        let plan = try await form.plan()
        let error = await #expect(throws: FormworkError.self) { try await self.bytes(plan) }
        #expect(error?.message == "the content of part 1 has been read already: keep what the first call gave")
    }

    @Test("Other parts stand before and behind it")
    func between() async throws {
        let plan = try self.plan(self.body, 10, before: true, after: true)
        let first = "--out\r\nContent-Disposition: form-data; name=\"first\"\r\n\r\n1\r\n"
        let last = "\r\n--out\r\nContent-Disposition: form-data; name=\"last\"\r\n\r\n2\r\n--out--\r\n"
        #expect(try await self.bytes(plan, checksFraming: true) == first + self.sentOn + last)
    }

    @Test("No part at all is a form that can be read")
    func none() async throws {
        let text = try await self.bytes(self.plan("--x--\r\n", 10))
        #expect(text == "\r\n--out--\r\n")
        let chunks = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array(text.utf8))
            continuation.finish()
        }
        let form = try await ReceivedForm(
            collecting: ReceivedParts(chunks, contentType: "multipart/form-data; boundary=out"))
        #expect(form.isEmpty)
    }

    @Test("A body that was cut is no whole one behind it")
    func cut() async throws {
        let plan = try self.plan(String(self.body.dropLast(8)), 10)
        do {
            _ = try await self.bytes(plan)
            Issue.record("a cut body was sent on as a whole one")
        } catch let error as FormworkError {
            #expect(error.code == .truncatedBody)
        }
    }

    /// The texts of the chunks that are sent on of a body that arrived in one, and the error after them.
    private func chunks(_ body: String, limits: ParsingLimits = .default) async throws -> ([String], FormworkError?) {
        let arrived = AsyncStream<[UInt8]> { continuation in
            continuation.yield(Array(body.utf8))
            continuation.finish()
        }
        let parts = try ReceivedParts(arrived, contentType: "multipart/form-data; boundary=x", limits: limits)
        var form = FormData(framing: MultipartFraming(boundary: try Boundary("out")))
        form.append(once: parts)
        let plan = try await form.plan()
        var texts: [String] = []
        do {
            for try await chunk in plan.chunks() { texts.append(String(decoding: chunk, as: UTF8.self)) }
        } catch let error as FormworkError {
            return (texts, error)
        }
        return (texts, nil)
    }

    private let head = "--out\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"

    @Test func `Parts that have arrived together are one chunk`() async throws {
        let file =
            "\r\n--out\r\nContent-Disposition: form-data; name=\"f\"; filename=\"g\"\r\n"
            + "Content-Type: text/css\r\n\r\n"
        let dropped = "\r\n--out\r\nContent-Disposition: form-data; name=\"drop\"\r\n\r\ntwo"
        let (chunks, error) = try await self.chunks(self.body)
        #expect(chunks == ["\(self.head)one\(dropped)\(file)", "\r\n--out--\r\n"])
        #expect(error == nil)
    }

    @Test func `Large content isn't gathered`() async throws {
        let content = String(repeating: "x", count: 5000)
        let (chunks, error) = try await self.chunks(
            "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n\(content)\r\n--x--\r\n")
        #expect(chunks == [self.head, content, "\r\n--out--\r\n"])
        #expect(error == nil)
    }

    @Test func `What came before an error is returned before it`() async throws {
        var limits = ParsingLimits.default
        limits.parts = 1
        let (chunks, error) = try await self.chunks(self.body, limits: limits)
        #expect(chunks == ["\(self.head)one"])
        #expect(error?.code == .limitExceeded)
    }
}
