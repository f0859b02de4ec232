import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("MultipartFormData: streams", .timeLimit(.minutes(10)))
struct MultipartFormDataStreamTests {
    private let folder = Folder()

    /// Bytes that a stream says it read when it ended in the wrong place.
    private func lengths(_ body: () throws -> Void) throws -> [UInt64] {
        let error = try #require(throws: AFError.self) { try body() }
        let length = try #require(error.underlyingError as? AFError.UnexpectedInputStreamLength)
        return [length.bytesExpected, length.bytesRead]
    }

    @Test("A stream of another length is an error in memory", arguments: [Compatibility.safe, .exact])
    func memory(compatibility: Compatibility) throws {
        let short = MultipartFormData.fixed(compatibility)
        short.append("01", declared: 5)
        #expect(try self.lengths { _ = try short.encode() } == [5, 2])
        let long = MultipartFormData.fixed(compatibility)
        long.append("0123456789", declared: 5)
        #expect(try self.lengths { _ = try long.encode() } == [5, 6])
    }

    @Test("A stream of another length is an error on disk, of which nothing is left")
    func disk() throws {
        let short = MultipartFormData.fixed()
        short.append("01", declared: 5)
        #expect(try self.lengths { try short.writeEncodedData(to: self.folder["out"]) } == [5, 2])
        let long = MultipartFormData.fixed()
        long.append("0123456789", declared: 5)
        #expect(try self.lengths { try long.writeEncodedData(to: self.folder["out"]) } == [5, 6])
        #expect(self.folder.names.isEmpty)
    }

    @Test("Alamofire cuts a long stream on disk, and leaves a short one short")
    func exactDisk() throws {
        let short = MultipartFormData.fixed(.exact)
        short.append("01", declared: 5)
        try short.writeEncodedData(to: self.folder["short"])
        #expect(try text(of: self.folder["short"]) == streamBody("01"))
        let long = MultipartFormData.fixed(.exact)
        long.append("0123456789", declared: 5)
        try long.writeEncodedData(to: self.folder["long"])
        #expect(try text(of: self.folder["long"]) == streamBody("01234"))
        // What is left of a stream is not there for a second file.
        try long.writeEncodedData(to: self.folder["again"])
        #expect(try text(of: self.folder["again"]) == streamBody(""))
    }

    @Test("A stream is read once", arguments: [Compatibility.safe, .exact])
    func once(compatibility: Compatibility) throws {
        let form = MultipartFormData.fixed(compatibility)
        form.append("12345")
        #expect(try form.text == streamBody("12345"))
        #expect(try self.lengths { _ = try form.encode() } == [5, 0])
    }

    @Test("A stream that was read before it came is short")
    func used() throws {
        let stream = InputStream(data: Data("12345".utf8))
        stream.open()
        stream.close()
        let form = MultipartFormData.fixed()
        form.append(stream, withLength: 5, headers: [:])
        #expect(try self.lengths { _ = try form.encode() } == [5, 0])
    }

    @Test("A stream that the caller opened is read from where it stands")
    func opened() throws {
        let stream = InputStream(data: Data("12345".utf8))
        stream.open()
        let form = MultipartFormData.fixed()
        form.append(stream, withLength: 5, headers: ["A": "1"])
        #expect(try form.text == "--B\r\nA: 1\r\n\r\n12345\r\n--B--\r\n")
        #expect(stream.streamStatus == .closed)
    }

    @Test("An empty stream is an empty part")
    func empty() throws {
        let form = MultipartFormData.fixed()
        form.append("")
        #expect(try form.text == streamBody(""))
    }

    @Test("A stream that fails gives its own error", arguments: [Compatibility.safe, .exact])
    func failing(compatibility: Compatibility) throws {
        let stream = try #require(InputStream(url: self.folder["missing"]))
        let form = MultipartFormData.fixed(compatibility)
        form.append(stream, withLength: 5, name: "s", fileName: "s.bin", mimeType: "a/b")
        let error = try #require(throws: AFError.self) { try form.writeEncodedData(to: self.folder["out"]) }
        let cause = try #require(error.underlyingError as? FormworkError)
        #expect(cause.code == .sourceUnavailable)
        #expect((cause.cause as? NSError)?.code == 2)
        #expect(self.folder.names.isEmpty)
    }

    /// A subclass that counts bytes it wasn't asked for.
    private final class Miscounting: InputStream {
        init() { super.init(data: Data()) }
        override var streamStatus: Stream.Status { .open }
        override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength length: Int) -> Int { length + 1 }
        override func close() {}
    }

    @Test("A stream that returns an impossible count is an error", arguments: [Compatibility.safe, .exact])
    func impossibleCount(compatibility: Compatibility) throws {
        let form = MultipartFormData.fixed(compatibility)
        form.append(Miscounting(), withLength: 5, name: "s", fileName: "s.bin", mimeType: "a/b")
        let error = try #require(throws: AFError.self) { try form.writeEncodedData(to: self.folder["out"]) }
        let cause = try #require(error.underlyingError as? FormworkError)
        #expect(cause.message == "a stream returned a count of 6 for a buffer of 5 bytes")
        #expect(self.folder.names.isEmpty)
    }

    @Test("A long stream goes through in pieces")
    func long() throws {
        let content = String(repeating: "0123456789abcdef", count: 100_000)
        let form = MultipartFormData.fixed()
        form.append(content)
        #expect(try form.text == streamBody(content))
    }
}
