import FormworkHTTP
@testable import FormworkResumable
import Testing

@Suite(.timeLimit(.minutes(10))) struct UploadResourceTests {
    private func resource(
        _ uploadProtocol: ResumableProtocol, offset: Int64, length: Int64? = nil, isProcessed: Bool = false,
        limits: UploadLimits = UploadLimits()
    ) -> UploadResource {
        UploadResource(
            uploadProtocol, offset: offset, length: length, isWhole: isProcessed, isProcessed: isProcessed,
            limits: limits)
    }

    private func parse(
        _ method: HTTPRequest.Method, _ fields: HTTPFields, _ resource: ResumableProtocol? = nil
    ) -> UploadRequest {
        UploadRequest(
            HTTPRequest(
                method: method, scheme: "https", authority: "example.com", path: "/x", headerFields: fields),
            resource: resource)
    }

    @Test(arguments: [ResumableProtocol.draft(.v8), .tus])
    func `An upload of the largest countable size accepts no more`(uploadProtocol: ResumableProtocol) {
        var full = self.resource(uploadProtocol, offset: .max)
        #expect(full.take(1)?.response.status == .contentTooLarge)
        #expect(full.offset == .max)
        var last = self.resource(uploadProtocol, offset: .max - 10)
        #expect(last.take(10) == nil)
        #expect(last.offset == .max)
    }

    /// The example of §4.3.3.
    @Test func offset() {
        let answer = self.resource(
            .draft(.v8), offset: 25_000_000, length: 100_000_000, limits: UploadLimits(maxAge: 3600)
        ).offsetAnswer()
        #expect(answer.response.status == .noContent)
        #expect(
            answer.response.headerFields == [
                .cacheControl: "no-store", .uploadDraftInteropVersion: "8", .uploadOffset: "25000000",
                .uploadComplete: "?0", .uploadLength: "100000000", .uploadLimit: "max-age=3600",
            ])
        let old = self.resource(.draft(.v3), offset: 100).offsetAnswer()
        #expect(
            old.response.headerFields == [
                .cacheControl: "no-store", .uploadDraftInteropVersion: "3", .uploadOffset: "100",
                .uploadIncomplete: "?1",
            ])
        let tus = self.resource(.tus, offset: 70).offsetAnswer()
        #expect(
            tus.response.headerFields == [
                .cacheControl: "no-store", .tusResumable: "1.0.0", .uploadOffset: "70", .uploadDeferLength: "1",
            ])
    }

    @Test("A Content-Length that no offset can reach is refused", arguments: [Int64.max, Int64.max - 1])
    func hugeAppend(count: Int64) throws {
        let fields: [(ResumableProtocol, HTTPFields)] = [
            (.tus, [.tusResumable: "1.0.0", .uploadOffset: "2", .contentType: "application/offset+octet-stream"]),
            (
                .draft(.v8),
                [.uploadOffset: "2", .uploadComplete: "?0", .contentType: "application/partial-upload"]
            ),
        ]
        for (uploadProtocol, fields) in fields {
            var (resource, fields) = (self.resource(uploadProtocol, offset: 2), fields)
            fields[.contentLength] = "\(count)"
            guard case .append(let append) = self.parse(.patch, fields, uploadProtocol) else {
                Issue.record("no append")
                return
            }
            #expect(resource.begin(append)?.response.status == .badRequest)
        }
    }

    /// The example of §8.1.
    @Test func conflict() throws {
        var resource = self.resource(.draft(.v8), offset: 12_500_000)
        let fields: HTTPFields = [
            .uploadOffset: "25000000", .uploadComplete: "?1", .contentType: "application/partial-upload",
        ]
        guard case .append(let append) = self.parse(.patch, fields, .draft(.v8)) else {
            Issue.record("no append")
            return
        }
        let refusal = resource.begin(append)
        let answer = try #require(refusal)
        #expect(answer.response.status.code == 409)
        #expect(
            answer.response.headerFields == [
                .contentType: "application/problem+json", .uploadDraftInteropVersion: "8",
                .uploadOffset: "12500000", .uploadComplete: "?0",
            ])
        #expect(
            String(decoding: answer.content, as: UTF8.self)
                == #"{"expected-offset":12500000,"provided-offset":25000000,"status":409,"title":"the request's offset differs from the upload's","type":"https://iana.org/assignments/http-problem-types#mismatching-upload-offset"}"#
        )
    }

    @Test func requests() {
        let partial: HTTPFields = [.uploadComplete: "?0"]
        guard case .refused = self.parse(.post, partial) else { Issue.record("a part taken as all"); return }
        guard case .plain = self.parse(.post, [.uploadComplete: "?1"]) else { Issue.record("unknown"); return }
        guard case .plain = self.parse(.post, [:]) else { Issue.record("plain"); return }
        let inconsistent: HTTPFields = [
            .uploadComplete: "?1", .uploadDraftInteropVersion: "8", .uploadLength: "10", .contentLength: "9",
        ]
        guard case .refused(let answer) = self.parse(.post, inconsistent) else {
            Issue.record("inconsistent"); return
        }
        #expect(answer.response.headerFields[.uploadComplete] == "?0")
        let wrongType: HTTPFields = [
            .uploadOffset: "0", .uploadComplete: "?1", .contentType: "application/octet-stream",
        ]
        guard case .refused(let type) = self.parse(.patch, wrongType, .draft(.v6)) else {
            Issue.record("type"); return
        }
        #expect(type.response.status.code == 415)
        guard case .append = self.parse(.patch, wrongType, .draft(.v5)) else { Issue.record("v5"); return }
        guard case .refused(let version) = self.parse(.post, [.tusResumable: "0.2.2"]) else {
            Issue.record("tus version"); return
        }
        #expect(version.response.status.code == 412)
        #expect(version.response.headerFields[.tusVersion] == "1.0.0")
        #expect(String(decoding: version.content, as: UTF8.self).contains("Tus-Resumable is not 1.0.0."))
        let override: HTTPFields = [
            .tusResumable: "1.0.0", .methodOverride: "PATCH", .uploadOffset: "5",
            .contentType: "application/offset+octet-stream",
        ]
        guard case .append(let append) = self.parse(.post, override, .tus) else { Issue.record("override"); return }
        #expect(append.offset == 5)
        for (fields, isGood) in [
            ([.tusResumable: "1.0.0", .uploadLength: "5"], true),
            ([.tusResumable: "1.0.0", .uploadDeferLength: "1"], true),
            ([.tusResumable: "1.0.0", .uploadDeferLength: "2"], false),
            ([.tusResumable: "1.0.0", .uploadLength: "-5"], false),
            ([.tusResumable: "1.0.0"], false),
            ([.tusResumable: "1.0.0", .uploadLength: "5", .uploadDeferLength: "1"], false),
            ([.tusResumable: "1.0.0", .uploadLength: "5", .uploadMetadata: "a !"], false),
        ] as [(HTTPFields, Bool)] {
            if case .create = self.parse(.post, fields) { #expect(isGood) } else { #expect(!isGood) }
        }
    }

    @Test func finished() throws {
        let empty: HTTPFields = [
            .uploadOffset: "5", .uploadComplete: "?1", .contentType: "application/partial-upload",
            .contentLength: "0",
        ]
        for (draft, isTaken) in [(UploadDraft.v9, true), (.v8, true), (.v6, false)] {
            var resource = self.resource(.draft(draft), offset: 5, length: 5, isProcessed: true)
            guard case .append(let append) = self.parse(.patch, empty, .draft(draft)) else {
                Issue.record("no append"); return
            }
            let refusal = resource.begin(append)
            #expect((refusal == nil) == isTaken)
            #expect(isTaken || refusal?.response.headerFields[.uploadComplete] == "?1")
        }
    }

    /// From version 9 on `?1` marks only the target's own answer, but for the offset. Before, it says that the upload is complete.
    @Test(arguments: [(UploadDraft.v9, "?0"), (.v8, "?1")])
    func answersAboutCompleteUploads(draft: UploadDraft, mark: String) throws {
        var resource = self.resource(.draft(draft), offset: 5, length: 5, isProcessed: true)
        let fields: HTTPFields = [
            .uploadOffset: "4", .uploadComplete: "?1", .contentType: "application/partial-upload",
        ]
        guard case .append(let append) = self.parse(.patch, fields, .draft(draft)) else {
            Issue.record("no append"); return
        }
        let begun = resource.begin(append)
        let refusal = try #require(begun)
        #expect(refusal.response.status.code == 409)
        #expect(refusal.response.headerFields[.uploadOffset] == "5")
        #expect(refusal.response.headerFields[.uploadComplete] == mark)
        #expect(resource.completed.response.headerFields[.uploadComplete] == mark)
        #expect(resource.offsetAnswer().response.headerFields[.uploadComplete] == "?1")
        #expect(resource.final(ResumableResponse(.ok)).response.headerFields[.uploadComplete] == "?1")
        let missing = UploadResource.missing(.draft(draft)).response.headerFields
        #expect(missing[.uploadComplete] == (draft == .v9 ? "?0" : nil))
    }

    /// Whether the drafts' final answer says it is one, and in which field.
    @Test func finalAnswers() {
        let v3 = self.resource(.draft(.v3), offset: 5).final(ResumableResponse(.ok), location: "/u")
        #expect(
            v3.response.headerFields == [
                .uploadDraftInteropVersion: "3", .uploadIncomplete: "?0", .uploadOffset: "5", .location: "/u",
            ])
        let v8 = self.resource(.draft(.v8), offset: 5).final(ResumableResponse(.ok), location: "/u")
        #expect(v8.response.headerFields == [.uploadDraftInteropVersion: "8", .uploadComplete: "?1"])
    }
}
