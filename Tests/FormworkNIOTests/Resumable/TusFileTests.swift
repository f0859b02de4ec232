@testable import FormworkClient
@testable import FormworkResumable
import Testing

/// What a tus server that reads no forms gets of a form.
@Suite(.timeLimit(.minutes(10))) struct TusFileTests {
    @Test("The files' bytes, and the fields in each file's metadata")
    func files() async throws {
        var form = FormData()
        form.append(name: "title", value: "Harbour")
        form.append(BodyPart(name: "a", source: .text("one"), filename: "a.txt", contentType: "text/plain"))
        form.append(BodyPart(name: "b", source: .bytes([0, 255]), filename: "b", contentType: "image/png"))
        form.append(name: "empty", value: "")
        let files = try await TusFile.files(of: form.plan())
        #expect(try files.map { try $0.plan.bytes(upTo: 100) } == [Array("one".utf8), [0, 255]])
        #expect(files.map(\.filename) == ["a.txt", "b"])
        #expect(
            files.map(\.metadata.fieldValue) == [
                "filename YS50eHQ=,filetype dGV4dC9wbGFpbg==,title SGFyYm91cg==,empty",
                "filename Yg==,filetype aW1hZ2UvcG5n,title SGFyYm91cg==,empty",
            ])
    }

    @Test("Fields that are too many for one line are refused")
    func tooLong() async throws {
        var form = FormData()
        for number in 0..<10 { form.append(name: "k\(number)", value: String(repeating: "x", count: 1000)) }
        form.append(BodyPart(name: "a", source: .text("one"), filename: "a.txt"))
        let plan = try await form.plan()
        await #expect(throws: FormworkError.self) { try await TusFile.files(of: plan) }
    }

    @Test("What a server says of itself")
    func server() {
        let ours = TusServer(UploadResource.options(limits: UploadLimits(maxSize: 5)).response.headerFields)
        #expect(ours.readsForms && ours.checksum == "sha256" && ours.maximumSize == 5)
        let theirs = TusServer([
            .tusExtension: "creation, checksum ,termination", .tusChecksumAlgorithm: "crc32,SHA1", .tusMaxSize: "x",
        ])
        #expect(!theirs.readsForms && theirs.checksum == "sha1" && theirs.maximumSize == nil)
        let mute = TusServer([.tusChecksumAlgorithm: "sha256"])
        #expect(mute == TusServer() && mute.checksum == nil)
    }
}
