import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

#if os(Linux)
import Glibc
#endif

@Suite("MultipartFormData: files to write, and uploads", .timeLimit(.minutes(10)))
struct MultipartFormDataWriteTests {
    private func form(_ compatibility: Compatibility = .safe) -> MultipartFormData {
        let form = MultipartFormData.fixed(compatibility)
        form.append("12345")
        return form
    }

    @Test("A file that exists stays as it is")
    func exists() throws {
        let folder = Folder()
        let url = try folder.file("out", "precious")
        let expected = "multipartEncodingFailed.outputStreamFileAlreadyExists"
        #expect(failure { try self.form().writeEncodedData(to: url) } == expected)
        #expect(try text(of: url) == "precious")
        #expect(failure { try self.form().writeEncodedData(to: URL(fileURLWithPath: "/dev/full")) } == expected)
        #expect(failure { try self.form().writeEncodedData(to: folder.url) } == expected)
    }

    @Test("A file that comes into being meanwhile stays as it is too")
    func race() throws {
        final class Blind: FileManager, @unchecked Sendable {
            override func fileExists(atPath path: String) -> Bool { false }
        }
        let folder = Folder()
        let url = try folder.file("out", "precious")
        let form = MultipartFormData(fileManager: Blind(), boundary: "B")
        #expect(
            failure { try form.writeEncodedData(to: url) } == "multipartEncodingFailed.outputStreamFileAlreadyExists")
        #expect(try text(of: url) == "precious")
    }

    @Test("A URL of another kind is no file to write")
    func foreign() throws {
        for text in ["https://example.com/out", "/not/a/file/url"] {
            let url = try #require(URL(string: text))
            let reason = failure { try self.form().writeEncodedData(to: url) }
            #expect(reason == "multipartEncodingFailed.outputStreamURLInvalid")
        }
    }

    @Test(
        "A folder that takes no files is an error with path and cause; Alamofire says nothing",
        arguments: ["/proc", "/missing"])
    func refused(folder: String) throws {
        for compatibility in [Compatibility.safe, .exact] {
            let error = try #require(throws: AFError.self) {
                try self.form(compatibility).writeEncodedData(to: URL(fileURLWithPath: "\(folder)/formwork-out"))
            }
            let cause = try #require(error.underlyingError as? FormworkError)
            #expect(cause.code == .writeFailed)
            #expect(cause.path == "\(folder)/formwork-out")
        }
    }

    #if os(Linux)
    @Test("A full disk is an error, and leaves no file; Alamofire leaves what fits and says nothing")
    func full() async {
        await #expect(processExitsWith: .success) {
            // As a process may write no more than so much, so may a disk hold no more.
            var limit = rlimit(rlim_cur: 1000, rlim_max: 1000)
            signal(SIGXFSZ, SIG_IGN)
            setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
            let folder = Folder()
            for compatibility in [Compatibility.safe, .exact] {
                let form = MultipartFormData.fixed(compatibility)
                form.append(Data(count: 5000), withName: "a")
                let failure = failure { try form.writeEncodedData(to: folder["out"]) }
                #expect(failure == "multipartEncodingFailed.outputStreamWriteFailed")
                #expect(folder.names.isEmpty)
            }
        }
    }
    #endif

    @Test("Below the threshold a body is data, from there on a file that goes with its handle")
    func build() throws {
        guard case .data(let data) = try self.form().build(encodingMemoryThreshold: 6) else {
            Issue.record("5 bytes are no data below 6")
            return
        }
        #expect(String(decoding: data, as: UTF8.self) == streamBody("12345"))
        var url = URL(fileURLWithPath: "/")
        do {
            guard case .file(let file) = try self.form().build(encodingMemoryThreshold: 5) else {
                Issue.record("5 bytes are no file from 5 on")
                return
            }
            url = file.url
            #expect(try text(of: url) == streamBody("12345"))
            let mode = try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
        }
        #expect(!FileManager.default.fileExists(atPath: url.path))
        guard case .file(let file) = try self.form().build(encodingMemoryThreshold: 0) else { return }
        file.remove()
        #expect(!FileManager.default.fileExists(atPath: file.url.path))
    }

    @Test("A build that fails leaves no file")
    func failedBuild() throws {
        final class Elsewhere: FileManager, @unchecked Sendable {
            let folder: URL
            init(_ folder: URL) { self.folder = folder }
            override var temporaryDirectory: URL { self.folder }
        }
        let folder = Folder()
        let form = MultipartFormData(fileManager: Elsewhere(folder.url), boundary: "B")
        form.append("12", declared: 5)
        #expect(failure { _ = try form.build(encodingMemoryThreshold: 1) } == unexpectedLength)
        #expect(folder.names.isEmpty)
    }
}
