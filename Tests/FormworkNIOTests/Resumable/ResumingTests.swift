@testable import FormworkClient
@testable import FormworkResumable
import Testing

/// The client against answers as the drafts' and tus' examples have them.
@Suite(.timeLimit(.minutes(10))) struct ResumingTests: ResumingSuite {
    /// Gives an offer to resume.
    /// - Returns: Whether the request continues.
    private func continues(_ client: inout ResumableSend, _ offer: HTTPFields) -> Bool {
        client.learns(from: self.answer(104, offer))
    }

    private static let offer: HTTPFields = [
        .uploadDraftInteropVersion: "9", .location: "https://example.com/upload/b530ce8ff",
        .uploadLimit: "max-size=1234567890",
    ]

    /// Example A of §4.2.3: one request, two 104s, the target's answer.
    @Test func oneRequest() throws {
        var client = try ResumableSend(
            .post([.contentType: "image/jpeg", .authorization: "Basic x"]), length: 123_456_789)
        let (request, range) = try self.sent(&client)
        #expect(range == UploadRange(offset: 0, count: 123_456_789))
        #expect(
            request.headerFields == [
                .contentType: "image/jpeg", .authorization: "Basic x", .uploadDraftInteropVersion: "9",
                .uploadComplete: "?1", .uploadLength: "123456789", .contentLength: "123456789",
            ])
        client.sending(upTo: 30_000_000)
        #expect(self.continues(&client, Self.offer))
        #expect(client.link?.url == "https://example.com/upload/b530ce8ff")
        let progress: HTTPFields = [.uploadDraftInteropVersion: "9", .uploadOffset: "23456789"]
        #expect(self.continues(&client, progress))
        #expect(client.acknowledged == 23_456_789)
        client.answered(self.answer(200, [.uploadComplete: "?1"]))
        let outcome = try self.outcome(&client)
        #expect(outcome.isOver && !outcome.isAnswerLost && outcome.response.status == .ok)
    }

    /// A tus server that never reports its offset, and has nothing: the tries come to an end.
    @Test(arguments: [nil, "", "-1", "x", "1e3", "99999999999999999999"])
    func offsetNeverTold(offset: String?) throws {
        var options = ResumingOptions(.tus)
        options.maximumAttempts = 3
        var client = try ResumableSend(.post(), length: 10, options: options)
        var requests = 0
        while requests < 20 {
            let step = client.step()
            if case .wait = step { continue }
            guard case .send(let request, let range) = step else { break }
            requests += 1
            switch request.method {
            case .post: client.answered(self.answer(201, [.location: "https://example.com/1", .tusResumable: "1.0.0"]))
            case .head:
                client.answered(
                    self.answer(200, [.uploadOffset: "0", .uploadLength: "10", .tusResumable: "1.0.0"]))
            default:
                client.sending(upTo: (range?.offset ?? 0) + 10)
                var fields: HTTPFields = [.tusResumable: "1.0.0"]
                fields[.uploadOffset] = offset
                client.answered(self.answer(204, fields))
            }
        }
        guard case .fail(let failure) = client.step() else { throw Cut() }
        #expect(requests < 10 && "\(failure)".contains("Upload-Offset"))
    }

    /// The least size of a request is above the most: the least counts, and the request isn't stopped again.
    @Test func limitsThatContradict() throws {
        var client = try self.begun(length: 500_000, options: ResumingOptions(.ietf))
        var offer = Self.offer
        offer[.uploadLimit] = "min-append-size=100000, max-append-size=1000"
        #expect(!self.continues(&client, offer))
        #expect(try self.sent(&client).0.method == .head)
        client.answered(self.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
        #expect(try self.sent(&client).1 == UploadRange(offset: 0, count: 100_000))
        #expect(self.continues(&client, offer))
    }

    /// A server that accepts less with each request: the tries come to an end.
    @Test func limitsThatShrink() throws {
        var options = ResumingOptions(.ietf)
        options.maximumAttempts = 3
        var client = try ResumableSend(.post(), length: 500_000, options: options)
        var (requests, limit) = (0, 400_000)
        while requests < 50 {
            let step = client.step()
            if case .wait = step { continue }
            guard case .send(let request, _) = step else { break }
            requests += 1
            if request.method == .head {
                client.answered(self.answer(204, [.uploadOffset: "0", .uploadComplete: "?0"]))
                continue
            }
            var offer = Self.offer
            limit -= 1000
            offer[.uploadLimit] = "max-append-size=\(limit)"
            #expect(!self.continues(&client, offer))
        }
        guard case .fail(let failure) = client.step() else { throw Cut() }
        #expect(requests == 7)
        #expect(
            "\(failure)"
                == "the server reduced its limit to 396000 bytes (Upload-Limit) before it had a whole request; 3 tries "
                + "made no progress")
    }

    /// An upload's URL that has no TLS, or is none, is reported as what it is.
    @Test(
        arguments: ["http://example.com/1", "mailto:x", "http://[bad", "ftp://example.com/1"],
        [ResumableChoice.tus, .auto])
    func unusableLocation(location: String, choice: ResumableChoice) throws {
        var client = try self.begun(length: 10, options: ResumingOptions(choice))
        if choice == .auto {
            let offer: HTTPFields = [.uploadDraftInteropVersion: "9", .location: location]
            #expect(self.continues(&client, offer))
            client.sending(upTo: 5)
            client.lost(Cut())
        } else {
            client.answered(self.answer(201, [.location: location, .tusResumable: "1.0.0"]))
        }
        guard case .fail(let failure) = client.step() else { throw Cut() }
        let reason =
            "the server places the upload at \(location), which "
            + (location == "http://example.com/1"
                ? "has no TLS: it may not know that a proxy in front of it has TLS" : "isn't a URL of http or https")
        #expect(failure.message == (choice == .tus ? reason : "the connection broke after 5 bytes, and \(reason)"))
        #expect(failure.code == (choice == .tus ? .protocolBroken : .interrupted))
    }

    /// A piece size and an offset together may be more than a number holds.
    @Test(arguments: [Int64.max, Int64.max - 1, Int64.max - 5] as [Int64])
    func largestPieces(size: Int64) throws {
        var options = ResumingOptions(.ietf)
        options.maximumAppendSize = size
        var client = try self.begun(length: nil, options: options)
        client.sending(upTo: 100)
        #expect(self.continues(&client, Self.offer))
        client.lost(Cut())
        guard case .send(let question, _) = client.step() else { throw Cut() }
        #expect(question.method == .head)
        client.answered(self.answer(204, [.uploadOffset: "60", .uploadComplete: "?0"]))
        let (_, range) = try self.sent(&client)
        // Without a length, so that the two can't be added.
        #expect(range == UploadRange(offset: 60, count: nil))
    }

    /// A cut, HEAD, PATCH of the rest: §2.1; and credentials stay at their origin.
    @Test func cut() throws {
        var options = ResumingOptions()
        options.reprDigest = DigestField([DigestValue(algorithm: "sha-256", bytes: [0])])
        var client = try ResumableSend(
            .post([.contentType: "a/b", .authorization: "Basic x", .userAgent: "u"]), length: 100,
            options: options)
        let first = try self.sent(&client).0
        #expect(first.headerFields[.reprDigest] == "sha-256=:AA==:")
        client.sending(upTo: 60)
        var offer = Self.offer
        offer[.location] = "https://other.example/up"
        _ = client.learns(from: self.answer(104, offer))
        client.lost(Cut())
        let (head, content) = try self.sent(&client)
        #expect(content == nil)
        #expect(head.method == .head && head.authority == "other.example" && head.path == "/up")
        #expect(head.headerFields == [.userAgent: "u", .uploadDraftInteropVersion: "9"])
        client.answered(
            self.answer(
                204,
                [.uploadComplete: "?0", .uploadOffset: "25", .uploadLength: "100", .cacheControl: "no-store"]))
        let (patch, rest) = try self.sent(&client)
        #expect(rest == UploadRange(offset: 25, count: 75))
        #expect(patch.method == .patch)
        #expect(
            patch.headerFields == [
                .userAgent: "u", .uploadDraftInteropVersion: "9", .uploadOffset: "25", .contentLength: "75",
                .uploadComplete: "?1", .contentType: "application/partial-upload", .uploadLength: "100",
            ])
    }

    @Test func draft3() throws {
        var client = try ResumableSend(
            .post(), length: 100,
            continuing: SavedUpload(url: "https://example.com/upload/b530ce8ff", uploadProtocol: .draft(.v3)))
        _ = try self.sent(&client)
        client.answered(self.answer(204, [.uploadOffset: "50", .uploadIncomplete: "?1"]))
        let patch = try self.sent(&client).0
        #expect(
            patch.headerFields == [
                .uploadDraftInteropVersion: "3", .uploadOffset: "50", .uploadIncomplete: "?0",
                .contentLength: "50",
            ])
        client.sending(upTo: 100)
        client.answered(self.answer(201, [.uploadOffset: "100"]))
        let outcome = try self.outcome(&client)
        #expect(outcome.isOver)
    }

    /// Without a version that both know a 104 says nothing.
    @Test func unknownOffer() throws {
        var client = try self.begun(length: 10)
        var offer = Self.offer
        offer[.uploadDraftInteropVersion] = "7"
        #expect(self.continues(&client, offer))
        #expect(client.link == nil)
        client.lost(Cut())
        guard case .fail(let failure) = client.step() else { throw Cut() }
        #expect(failure.code == .interrupted)
    }

    /// NIOResumableUpload answers 400 to a version it doesn't know, and names its own; another server names none.
    @Test func fallsBack() throws {
        var client = try self.begun(length: 10)
        client.answered(self.answer(400, [.contentLength: "0", .uploadDraftInteropVersion: "6"]))
        #expect(try self.sent(&client).0.headerFields[.uploadDraftInteropVersion] == "6")
        client.answered(self.answer(400, [.contentLength: "0"]))
        let plain = try self.sent(&client).0
        #expect(plain.headerFields == [.contentType: "text/plain", .contentLength: "10"])
        client.answered(self.answer(400, [.contentLength: "0"]))
        let outcome = try self.outcome(&client)
        #expect(!outcome.isOver && outcome.response.status == .badRequest)

        // An answer with content is the application's own.
        client = try self.begun(length: 10)
        client.answered(self.answer(400, [.contentLength: "7"]))
        guard case .done = client.step() else { throw Cut() }
    }

    @Test func offsetsThatCannotBe() throws {
        for (offset, sent) in [("61", 60), ("9", 60), ("101", 100)] {
            var client = try self.begun(length: 100)
            client.sending(upTo: Int64(sent))
            _ = client.learns(from: self.answer(104, Self.offer))
            _ = client.learns(from: self.answer(104, [.uploadDraftInteropVersion: "9", .uploadOffset: "10"]))
            client.lost(Cut())
            _ = try self.sent(&client)
            client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: offset]))
            guard case .fail(let failure) = client.step() else { throw Cut() }
            #expect(failure.code == .protocolBroken, "\(offset)")
        }
    }

    /// A limit that comes late: the request in progress is stopped, and the upload continues in pieces.
    @Test func limits() throws {
        var client = try self.begun(length: 100)
        client.sending(upTo: 100)
        var offer = Self.offer
        offer[.uploadLimit] = "max-append-size=40"
        #expect(!self.continues(&client, offer))
        _ = try self.sent(&client)
        client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "10"]))
        let (patch, range) = try self.sent(&client)
        #expect(range == UploadRange(offset: 10, count: 40))
        #expect(patch.headerFields[.uploadComplete] == "?0")

        client = try self.begun(length: 100)
        offer[.uploadLimit] = "max-size=99"
        #expect(!self.continues(&client, offer))
        guard case .fail(let failure) = client.step() else { throw Cut() }
        #expect(failure.code == .tooLarge)
    }

    /// A refusal of the whole request shows in several ways that the server knows the draft.
    @Test(
        arguments: [
            ([.uploadLimit: "max-append-size=300000, max-size=2000000"], 300_000), ([.uploadComplete: "?0"], 500_000),
            ([.uploadDraftInteropVersion: "9"], 500_000),
        ] as [(HTTPFields, Int64)])
    func tooMuchAtOnce(fields: HTTPFields, size: Int64) throws {
        var client = try self.begun(length: 1_000_000)
        client.answered(self.answer(413, fields))
        let (request, range) = try self.sent(&client)
        #expect(range == UploadRange(offset: 0, count: size))
        #expect(request.headerFields[.uploadComplete] == "?0")
    }

    /// Smaller requests are of no use if the body, as far as it was read, has too many bytes, or can't be read again.
    @Test(arguments: [(true, 3_000_000, "max-size=2000000"), (false, 100_000, "max-append-size=50000")])
    func tooMuchOfUnknownLength(isReplayable: Bool, sent: Int64, limits: String) throws {
        var client = try self.begun(length: nil, isReplayable: isReplayable)
        var offer = Self.offer
        offer[.uploadLimit] = limits
        _ = client.learns(from: self.answer(104, offer))
        client.sending(upTo: sent)
        client.answered(self.answer(413, [.uploadLimit: limits]))
        let outcome = try self.outcome(&client)
        #expect(outcome.response.status.code == 413 && !outcome.isOver)
    }

    /// An ordinary request can't be divided: 413 is its answer, whatever the server says of its limits.
    @Test(arguments: [[:], [.uploadLimit: "max-append-size=300000"]] as [HTTPFields])
    func tooMuchForAnOrdinaryRequest(fields: HTTPFields) throws {
        var client = try self.begun(length: 1_000_000, options: ResumingOptions(.auto))
        client.answered(self.answer(413, [.uploadLimit: "max-append-size=300000"]))
        for version in ["9", "6"] {
            #expect(try self.sent(&client).0.headerFields[.uploadDraftInteropVersion] == version)
            client.answered(self.answer(400, [.contentLength: "0"]))
        }
        let (request, range) = try self.sent(&client)
        #expect(request.headerFields[.uploadComplete] == nil && range == UploadRange(offset: 0, count: 1_000_000))
        client.answered(self.answer(413, fields))
        let outcome = try self.outcome(&client)
        #expect(outcome.response.status.code == 413)
    }

    /// 409 reports where to continue; a lost answer of a completed upload is requested again.
    @Test func conflictAndReplay() throws {
        let link = try Self.saved()
        var client = try self.begun(length: 100, continuing: link)
        client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "10"]))
        _ = try self.sent(&client)
        client.answered(self.answer(409, [.uploadComplete: "?0", .uploadOffset: "70"]))
        #expect(try self.sent(&client).1 == UploadRange(offset: 70, count: 30))
        client.sending(upTo: 100)
        client.lost(Cut())
        _ = try self.sent(&client)
        client.answered(self.answer(204, [.uploadComplete: "?1", .uploadOffset: "100"]))
        let (patch, range) = try self.sent(&client)
        #expect(range == UploadRange(offset: 100, count: 0))
        #expect(patch.headerFields[.uploadComplete] == "?1")
        client.answered(self.answer(422, [.uploadComplete: "?1"]))
        let outcome = try self.outcome(&client)
        #expect(outcome.response.status.code == 422 && outcome.isOver && !outcome.isAnswerLost)
    }

    /// `Retry-After` replaces the client's own pause, also a longer one; the answer to the last try is the result.
    @Test(arguments: [(3, [3], [3, 1]), (5, [1, 1, 1, 1, 1], [1, 1, 1, 1])])
    func pauses(tries: Int, asked: [Int], waited: [Int]) throws {
        var options = ResumingOptions()
        options.maximumAttempts = tries
        var client = try ResumableSend(.post(), length: 100, options: options, continuing: try Self.saved())
        var waits: [Duration] = []
        for number in 0..<tries {
            if case .wait(let duration) = client.step() {
                waits.append(duration)
                _ = client.step()
            }
            let pause = asked.indices.contains(number) ? Duration.seconds(asked[number]) : nil
            client.answered(self.answer(503), retryAfter: pause)
        }
        #expect(waits == waited.map { .seconds($0) })
        let outcome = try self.outcome(&client)
        #expect(outcome.response.status.code == 503 && !outcome.isOver)
    }

    /// Asking again can't help: there is no room, or no such ability.
    @Test(arguments: [501, 505, 507], [ResumableChoice.tus, .ietf])
    func permanentRefusals(status: Int, choice: ResumableChoice) throws {
        for retriesAllErrors in [false, true] {
            var options = ResumingOptions(choice)
            options.retriesAllErrors = retriesAllErrors
            var client = try self.begun(length: 100, options: options)
            client.answered(self.answer(status), retryAfter: .seconds(60))
            let next = client.step()
            guard !retriesAllErrors else { continue }
            guard case .done(let outcome) = next else { throw Cut() }
            #expect(outcome.response.status.code == status)
        }
    }

    /// tus' own examples.
    @Test func tus() throws {
        var options = ResumingOptions(.tus)
        options.metadata["filename"] = "world_domination_plan.pdf"
        var client = try ResumableSend(
            .post([.contentType: "multipart/form-data; boundary=b"]), length: 100, options: options)
        let (create, content) = try self.sent(&client)
        #expect(content == UploadRange(offset: 0, count: 0))
        #expect(
            create.headerFields == [
                .tusResumable: "1.0.0", .uploadLength: "100", .contentLength: "0",
                .uploadMetadata:
                    "filename d29ybGRfZG9taW5hdGlvbl9wbGFuLnBkZg==,filetype bXVsdGlwYXJ0L2Zvcm0tZGF0YTsgYm91bmRhcnk9Yg==,content-type bXVsdGlwYXJ0L2Zvcm0tZGF0YTsgYm91bmRhcnk9Yg==",
            ])
        client.answered(
            self.answer(
                201,
                [
                    .location: "https://tus.example.org/files/24e533e02ec3bc40c387f1a0e460e216",
                    .tusResumable: "1.0.0",
                ]))
        let (patch, range) = try self.sent(&client)
        #expect(range == UploadRange(offset: 0, count: 100))
        #expect(
            patch.headerFields == [
                .tusResumable: "1.0.0", .uploadOffset: "0", .contentLength: "100",
                .contentType: "application/offset+octet-stream",
            ])
        client.sending(upTo: 80)
        client.lost(Cut())
        let head = try self.sent(&client).0
        #expect(head.method == .head && head.headerFields == [.tusResumable: "1.0.0"])
        client.answered(self.answer(200, [.uploadOffset: "70", .tusResumable: "1.0.0"]))
        #expect(try self.sent(&client).1 == UploadRange(offset: 70, count: 30))
        client.sending(upTo: 100)
        client.answered(self.answer(204, [.uploadOffset: "100", .tusResumable: "1.0.0"]))
        let outcome = try self.outcome(&client)
        #expect(outcome.isOver)
    }

    @Test func redirects() throws {
        var client = try self.begun(length: 10)
        client.answered(self.answer(307, [.location: "/elsewhere"]))
        let (request, range) = try self.sent(&client)
        #expect(request.path == "/elsewhere" && range == UploadRange(offset: 0, count: 10))
    }

    @Test func targets() throws {
        let request = HTTPRequest.post()
        #expect(request.located("/uploads/abc") == "https://example.com/uploads/abc")
        #expect(request.located("abc?x=1#y") == "https://example.com/project/123/abc?x=1")
        #expect(request.located("/a%20b [1]?s=%2B") == "https://example.com/a%20b%20%5B1%5D?s=%2B")
        #expect(request.located("https://h/%2B é") == "https://h/%2B%20%C3%A9")
        #expect(request.located("//[::1]:80/u") == "https://[::1]:80/u")
        #expect(request.located("http://example.com/u") == nil)
        #expect(request.located("ftp://example.com/u") == nil)
        #expect(try HTTPRequest(to: "https://EXAMPLE.com:443/u").hasOrigin(of: request))
        #expect(try !HTTPRequest(to: "https://example.com:444/u").hasOrigin(of: request))
    }
}
