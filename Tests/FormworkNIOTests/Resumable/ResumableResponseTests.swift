@testable import FormworkClient
@testable import FormworkResumable
import Testing

/// Answers that say less, or another thing, than they seem to.
@Suite(.timeLimit(.minutes(10))) struct ResumableResponseTests: ResumingSuite {
    private let link: SavedUpload

    init() throws { self.link = try Self.saved() }

    @Test(arguments: [(302, "/login"), (303, "/login"), (301, "/u2"), (300, nil), (304, nil), (307, nil)])
    func redirectsOfAnUpload(_ status: Int, _ location: String?) throws {
        var fields: HTTPFields = [:]
        fields[.location] = location
        var client = try self.begun(length: 100, continuing: self.link)
        client.answered(self.answer(status, fields))
        #expect(self.failure(&client) == "redirects")
        #expect(client.link != nil)

        client = try self.appending(to: self.link)
        client.answered(self.answer(status, fields))
        #expect(self.failure(&client) == "redirects")
        #expect(client.link != nil)
    }

    @Test(arguments: ["http://example.com/u", "ftp://example.com/u"])
    func redirectsNowhere(_ location: String) throws {
        for status in [307, 308] {
            var client = try self.begun(length: 100, continuing: self.link)
            client.answered(self.answer(status, [.location: location]))
            #expect(self.failure(&client) == "redirects")
            client = try self.begun(length: 100)
            client.sending(upTo: 100)
            client.answered(self.answer(status, [.location: location]))
            #expect(self.failure(&client) == "redirects")
        }
    }

    @Test func tooManyRedirects() throws {
        let rules = UploadOptions(maximumRedirects: 2)
        for link in [nil, self.link] {
            var client = try ResumableSend(.post(), length: 100, rules: rules, continuing: link)
            for _ in 0..<3 {
                _ = try self.sent(&client)
                client.answered(self.answer(307, [.location: "/x"]))
            }
            #expect(self.failure(&client) == "redirects")
        }
    }

    /// A creation without content is not an upload: the page that it redirects to is not a success.
    @Test(arguments: [ResumableChoice.ietf, .tus]) func redirectsOfAnEmptyCreation(_ choice: ResumableChoice) throws {
        var options = ResumingOptions(choice)
        options.createsFirst = true
        for status in [302, 303, 300] {
            var client = try ResumableSend(.post(), length: 100, options: options)
            #expect(try self.sent(&client).1 == UploadRange(offset: 0, count: 0))
            client.answered(self.answer(status, [.location: "/login"]))
            #expect(self.failure(&client) == "redirects")
        }
    }

    /// 301 and 302 make a GET of POST alone (RFC 9110 §15.4.2 and .3).
    @Test func redirectsOfACreation() throws {
        for status in [301, 302] {
            var request = HTTPRequest.post()
            request.method = .put
            var client = try ResumableSend(request, length: 100)
            _ = try self.sent(&client)
            client.sending(upTo: 100)
            client.answered(self.answer(status, [.location: "/there"]))
            let (again, range) = try self.sent(&client)
            #expect(again.method == .put && again.path == "/there")
            #expect(range == UploadRange(offset: 0, count: 100))

            client = try self.begun(length: 100)
            client.sending(upTo: 100)
            client.answered(self.answer(status, [.location: "/done"]))
            #expect(try self.outcome(&client).response.status.code == status)
        }
    }

    /// The target's own answer is recognized, whatever it is; with tus, by its offset.
    @Test func redirectsAtTheEnd() throws {
        var client = try self.appending(to: self.link)
        client.answered(self.answer(303, [.uploadComplete: "?1", .location: "/done"]))
        #expect(try self.outcome(&client).isOver)

        // NIOResumableUpload marks it with another version's field, and sends the offset.
        client = try self.appending(to: self.link)
        client.answered(self.answer(303, [.uploadIncomplete: "?0", .uploadOffset: "100", .location: "/done"]))
        #expect(try self.outcome(&client).isOver)

        let link = SavedUpload(url: self.link.url, uploadProtocol: .tus)
        client = try self.begun(length: 100, continuing: link)
        client.answered(self.answer(204, [.uploadOffset: "10", .uploadLength: "100"]))
        _ = try self.sent(&client)
        client.sending(upTo: 100)
        client.answered(self.answer(303, [.uploadOffset: "100", .location: "/done"]))
        #expect(try self.outcome(&client).isOver)
    }

    /// A proxy drops 1xx answers: the final one is the first to announce the upload.
    @Test func partWithoutAnOffer() throws {
        var client = try self.begun(length: 200)
        client.sending(upTo: 200)
        client.answered(
            self.answer(201, [.uploadComplete: "?0", .uploadOffset: "100", .location: "https://example.com/u/1"]))
        let (patch, range) = try self.sent(&client)
        #expect(patch.method == .patch && patch.path == "/u/1")
        #expect(range == UploadRange(offset: 100, count: 100))
        client.answered(self.answer(204, [.uploadOffset: "150"]))
        #expect(try self.sent(&client).1 == UploadRange(offset: 150, count: 50))
    }

    /// Draft -01 says it the other way round.
    @Test func partOfDraft3() throws {
        for fields in [[.uploadIncomplete: "?1"], [:]] as [HTTPFields] {
            var client = try self.begun(length: 200)
            client.answered(self.answer(400, [.contentLength: "0", .uploadDraftInteropVersion: "3"]))
            _ = try self.sent(&client)
            client.sending(upTo: 200)
            var fields = fields
            fields[.uploadOffset] = "100"
            fields[.location] = "/u/1"
            client.answered(self.answer(201, fields))
            #expect(try self.sent(&client).1 == UploadRange(offset: 100, count: 100))
        }
    }

    /// The answer that used up the tries is shown, and the upload can be resumed later.
    @Test(arguments: [503, 429, 423]) func lastAnswer(_ status: Int) throws {
        var options = ResumingOptions()
        options.maximumAttempts = 2
        options.delays = []
        for asks in [true, false] {
            var client = try self.begun(length: 100, options: options, continuing: self.link)
            if !asks {
                client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "10"]))
                _ = try self.sent(&client)
                client.sending(upTo: 20)
            }
            client.answered(self.answer(status))
            _ = try self.sent(&client)
            client.answered(self.answer(status))
            let outcome = try self.outcome(&client)
            #expect(outcome.response.status.code == status && !outcome.isOver && !outcome.isAnswerLost)
            #expect(client.link != nil)
        }
    }

    /// A success without progress doesn't count as a success.
    @Test func noProgress() throws {
        var options = ResumingOptions()
        options.maximumAttempts = 1
        var client = try self.appending(to: self.link, options: options)
        client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "10"]))
        #expect(self.failure(&client) == "interrupted")
    }

    @Test(arguments: [false, true])
    func otherOrigin(isTrusted: Bool) throws {
        let fields: HTTPFields =
            isTrusted
            ? [
                .authorization: "Basic x", .cookie: "a=b", .proxyAuthorization: "Basic y", .userAgent: "u",
                .uploadDraftInteropVersion: "9",
            ] : [.userAgent: "u", .uploadDraftInteropVersion: "9"]
        let host = try #require(HTTPField.Name("Host"))
        var client = try ResumableSend(
            .post([
                .authorization: "Basic x", .cookie: "a=b", .proxyAuthorization: "Basic y", host: "inner.example",
                .origin: "https://example.com", .userAgent: "u",
            ]), length: 100, rules: UploadOptions(trustsRedirects: isTrusted))
        let first = try self.sent(&client).0
        #expect(first.headerFields[host] == "inner.example")
        client.sending(upTo: 60)
        _ = client.learns(
            from:
                self.answer(104, [.uploadDraftInteropVersion: "9", .location: "https://other.example/up"]))
        client.lost(Cut())
        let head = try self.sent(&client).0
        #expect(head.authority == "other.example")
        #expect(head.headerFields == fields)
    }

    @Test func expires() throws {
        var client = try self.begun(length: 100, options: ResumingOptions(.tus))
        client.answered(
            self.answer(201, [.location: "/t/1", .uploadExpires: "Wed, 25 Jun 2036 16:00:00 GMT"]))
        #expect(client.link?.expires == "Wed, 25 Jun 2036 16:00:00 GMT")
        #expect(client.link?.url == "https://example.com/t/1")
    }

    /// A request that can't be split into pieces was refused, and that is shown.
    @Test func tooMuchForOnce() throws {
        var client = try self.begun(length: 1_000_000, isReplayable: false)
        client.sending(upTo: 65_536)
        client.answered(self.answer(413, [.uploadLimit: "max-append-size=300000"]))
        #expect(try self.outcome(&client).response.status.code == 413)
    }

    /// An upload that was lost begins anew as it began.
    @Test func createsFirstAgain() throws {
        var options = ResumingOptions(.ietf)
        options.createsFirst = true
        options.delays = []
        var client = try ResumableSend(.post(), length: 100, options: options)
        #expect(try self.sent(&client).1 == UploadRange(offset: 0, count: 0))
        client.answered(self.answer(201, [.location: "/u/1", .uploadComplete: "?0", .uploadOffset: "0"]))
        #expect(try self.sent(&client).1 == UploadRange(offset: 0, count: 100))
        client.sending(upTo: 100)
        client.answered(self.answer(404))
        let (request, range) = try self.sent(&client)
        #expect(request.method == .post && range == UploadRange(offset: 0, count: 0))
    }

    /// A server that forgets an upload may have stored all of it. Then nothing is sent again, unless that is asked for.
    @Test(arguments: [(100, false, true), (99, false, false), (100, true, false)])
    func forgotten(sent: Int64, restarts: Bool, isGone: Bool) throws {
        var options = ResumingOptions(.ietf)
        (options.createsFirst, options.delays, options.restartsLost) = (true, [], restarts)
        var client = try self.begun(length: 100, options: options)
        client.answered(self.answer(201, [.location: "/u/1", .uploadComplete: "?0", .uploadOffset: "0"]))
        _ = try self.sent(&client)
        client.sending(upTo: sent)
        client.lost(TransferError(.receive, "cut"))
        #expect(try self.sent(&client).0.method == .head)
        client.answered(self.answer(404))
        guard isGone else {
            #expect(try self.sent(&client).0.method == .post)
            return
        }
        guard case .fail(let failure) = client.step() else {
            Issue.record("it continues")
            return
        }
        #expect(failure.code == .gone && client.link != nil)
    }

    /// If repeating a whole request is allowed, it is repeated after a 503 too.
    @Test func repeats() throws {
        var options = ResumingOptions()
        options.repeatsUnanswered = true
        options.maximumAttempts = 2
        options.delays = []
        var client = try ResumableSend(.post(), length: 100, options: options)
        for _ in 0..<2 {
            #expect(try self.sent(&client).1 == UploadRange(offset: 0, count: 100))
            client.sending(upTo: 100)
            client.answered(self.answer(503))
        }
        #expect(try self.outcome(&client).response.status.code == 503)
        client = try self.begun(length: 100, isReplayable: false, options: options)
        client.sending(upTo: 100)
        client.answered(self.answer(503))
        #expect(try self.outcome(&client).response.status.code == 503)
    }

    /// The server can't have bytes that weren't sent, whatever it says.
    @Test func partAsIfWhole() throws {
        var options = ResumingOptions(.ietf)
        options.createsFirst = true
        var client = try self.begun(length: 100, options: options)
        client.answered(self.answer(201, [.location: "/u/1", .uploadComplete: "?1"]))
        #expect(self.failure(&client) == "protocolBroken")

        options.maximumAppendSize = 40
        for (status, code) in [(200, "protocolBroken"), (303, "redirects")] {
            client = try self.begun(length: 100, options: options, continuing: self.link)
            client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "0"]))
            #expect(try self.sent(&client).1 == UploadRange(offset: 0, count: 40))
            client.sending(upTo: 40)
            client.answered(self.answer(status, [.uploadComplete: "?1", .location: "/done"]))
            #expect(self.failure(&client) == code)
        }

        client = try self.begun(length: 100, continuing: self.link)
        client.answered(self.answer(204, [.uploadComplete: "?1", .uploadOffset: "50"]))
        #expect(self.failure(&client) == "protocolBroken")
    }

    /// Any failure is retried if the options say so, except those that end the upload.
    @Test func allErrors() throws {
        var options = ResumingOptions()
        options.retriesAllErrors = true
        options.maximumAttempts = 3
        options.delays = []
        var client = try self.begun(length: 100, options: options, continuing: self.link)
        client.answered(self.answer(401))
        #expect(try self.sent(&client).0.method == .head)
        client.answered(self.answer(204, [.uploadComplete: "?0", .uploadOffset: "0"]))
        _ = try self.sent(&client)
        client.answered(self.answer(400))
        #expect(try self.sent(&client).0.method == .head)
        client.answered(self.answer(403))
        #expect(try self.outcome(&client).response.status.code == 403)

        client = try self.appending(to: self.link, options: options)
        client.answered(self.answer(422, [.uploadComplete: "?1"]))
        #expect(try self.outcome(&client).response.status.code == 422)
    }
}
