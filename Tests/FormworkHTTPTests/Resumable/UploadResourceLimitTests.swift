import FormworkHTTP
@testable import FormworkResumable
import Testing

@Suite("Limits and offsets of an upload", .timeLimit(.minutes(10)))
struct UploadResourceLimitTests {
    static let protocols: [ResumableProtocol] = [.draft(.v8), .tus]

    private func resource(
        _ uploadProtocol: ResumableProtocol, offset: Int64, length: Int64? = nil,
        limits: UploadLimits = UploadLimits()
    ) -> UploadResource {
        UploadResource(
            uploadProtocol, offset: offset, length: length, isWhole: false, isProcessed: false, limits: limits)
    }

    /// Begins an append without a length.
    /// - Returns: The refusal's status; `nil` for none.
    private func begin(_ resource: inout UploadResource, at offset: Int64) throws -> Int? {
        var fields: HTTPFields = [.uploadOffset: "\(offset)"]
        if resource.uploadProtocol == .tus {
            fields[.tusResumable] = "1.0.0"
            fields[.contentType] = "application/offset+octet-stream"
        } else {
            fields[.uploadComplete] = "?0"
            fields[.contentType] = "application/partial-upload"
        }
        let head = HTTPRequest(
            method: .patch, scheme: "https", authority: "example.com", path: "/x", headerFields: fields)
        guard case .append(let append) = UploadRequest(head, resource: resource.uploadProtocol) else {
            Issue.record("no append")
            return nil
        }
        return resource.begin(append)?.response.status.code
    }

    private func take(_ count: Int, _ resource: inout UploadResource) -> Int? {
        resource.take(count)?.response.status.code
    }

    @Test("Bytes must follow exactly those that have arrived", arguments: protocols, [0, 9, 11, 20])
    func offsets(uploadProtocol: ResumableProtocol, offset: Int64) throws {
        var resource = self.resource(uploadProtocol, offset: 10)
        #expect(try self.begin(&resource, at: offset) == 409)
        #expect(try self.begin(&resource, at: 10) == nil)
        #expect(resource.offset == 10)
    }

    @Test("More than the announced length is refused as it comes", arguments: protocols)
    func length(uploadProtocol: ResumableProtocol) throws {
        var resource = self.resource(uploadProtocol, offset: 8, length: 10)
        #expect(try self.begin(&resource, at: 8) == nil)
        #expect(self.take(3, &resource) == 400 && resource.offset == 8)
        #expect(self.take(2, &resource) == nil && resource.offset == 10)
        #expect(self.take(1, &resource) == 400 && resource.offset == 10)
    }

    @Test("One request may bring max-append-size, and the next one again", arguments: protocols)
    func appendSize(uploadProtocol: ResumableProtocol) throws {
        var resource = self.resource(uploadProtocol, offset: 0, limits: UploadLimits(maxAppendSize: 4))
        for start in [0, 4] as [Int64] {
            #expect(try self.begin(&resource, at: start) == nil)
            #expect(self.take(3, &resource) == nil)
            #expect(self.take(2, &resource) == 413)
            #expect(self.take(1, &resource) == nil && resource.offset == start + 4)
            #expect(self.take(1, &resource) == 413 && resource.offset == start + 4)
        }
    }

    @Test("413 says what is allowed")
    func allowed() {
        let resource = self.resource(.tus, offset: 0, limits: UploadLimits(maxSize: 2_000_000, maxAppendSize: 4))
        #expect(
            String(decoding: resource.tooLarge.content, as: UTF8.self)
                == #"{"detail":"An upload may have 2000000 bytes. A request may have 4 bytes of content.","#
                + #""status":413,"title":"Content Too Large","type":"about:blank"}"#)
    }

    @Test("All requests together may bring max-size", arguments: protocols)
    func size(uploadProtocol: ResumableProtocol) throws {
        var resource = self.resource(uploadProtocol, offset: 6, limits: UploadLimits(maxSize: 8))
        #expect(try self.begin(&resource, at: 6) == nil)
        #expect(self.take(3, &resource) == 413)
        #expect(self.take(2, &resource) == nil)
        #expect(self.take(1, &resource) == 413 && resource.offset == 8)
    }
}
