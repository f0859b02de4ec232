import Foundation
import FormworkFoundation
import FormworkMigration
import Testing

@Suite("MultipartFormData: files", .timeLimit(.minutes(10)))
struct MultipartFormDataFileTests {
    private let folder = Folder()

    @Test("What is no file to send has an error of its own")
    func refused() throws {
        func reason(_ url: URL, _ compatibility: Compatibility = .safe, named: Bool = true) -> String {
            let form = MultipartFormData.fixed(compatibility)
            if named {
                form.append(url, withName: "a", fileName: "a.bin", mimeType: "a/b")
            } else {
                form.append(url, withName: "a")
            }
            return String(failure { _ = try form.encode() }.split(separator: ".").last ?? "")
        }
        #expect(reason(try self.folder.file("noextension", ""), named: false) == "bodyPartFilenameInvalid")
        #expect(reason(try self.folder.file(".hidden", ""), named: false) == "bodyPartFilenameInvalid")
        #expect(reason(try #require(URL(string: "https://example.com/a.jpg"))) == "bodyPartURLInvalid")
        #expect(reason(self.folder["missing"]) == "bodyPartFileNotReachableWithError")
        #expect(reason(self.folder["missing"], .exact) == "bodyPartFileIsDirectory")
        #expect(reason(self.folder.url) == "bodyPartFileIsDirectory")
        #expect(reason(self.folder.url, .exact) == "bodyPartFileIsDirectory")
        #expect(reason(URL(fileURLWithPath: "/dev/null")) == "bodyPartFileSizeNotAvailable")
        try FileManager.default.createSymbolicLink(atPath: self.folder["loop"].path, withDestinationPath: "loop")
        #expect(reason(self.folder["loop"]) == "bodyPartFileNotReachableWithError")
    }

    @Test("A file is typed by its extension; Alamofire has no types on Linux")
    func types() throws {
        for (name, type) in [
            ("a.png", "image/png"), ("a.PDF", "application/pdf"), ("a.unheard", "application/octet-stream"),
        ] {
            let form = MultipartFormData.fixed()
            form.append(try self.folder.file(name, ""), withName: "a")
            #expect(try form.text.contains("\r\nContent-Type: \(type)\r\n"))
        }
        let exact = MultipartFormData.fixed(.exact)
        exact.append(self.folder["a.png"], withName: "a")
        #expect(try exact.text.contains("\r\nContent-Type: application/octet-stream\r\n"))
    }

    @Test("A link is followed; Alamofire takes its own length for the file's")
    func link() throws {
        _ = try self.folder.file("a.txt", "content longer than the link")
        try FileManager.default.createSymbolicLink(atPath: self.folder["link.txt"].path, withDestinationPath: "a.txt")
        let form = MultipartFormData.fixed()
        form.append(self.folder["link.txt"], withName: "a")
        #expect(form.contentLength == 28)
        #expect(try form.text.contains("\r\n\r\ncontent longer than the link\r\n"))
        let exact = MultipartFormData.fixed(.exact)
        exact.append(self.folder["link.txt"], withName: "a")
        #expect(failure { _ = try exact.encode() } == unexpectedLength)
    }

    @Test("A file that changed since it was appended is an error", arguments: ["", "12", "longer"])
    func changed(later: String) throws {
        let form = MultipartFormData.fixed()
        form.append(try self.folder.file("a.txt", "1234"), withName: "a")
        let exact = MultipartFormData.fixed(.exact)
        exact.append(self.folder["a.txt"], withName: "a")
        _ = try self.folder.file("a.txt", later)
        #expect(failure { _ = try form.encode() } == readFailed)
        #expect(failure { try form.writeEncodedData(to: self.folder["out"]) } == readFailed)
        #expect(self.folder.names == ["a.txt"])
        let error = #expect(throws: AFError.self) { _ = try form.plan() }
        #expect((error?.underlyingError as? FormworkError)?.code == .sourceChanged)
        try exact.writeEncodedData(to: self.folder["out"])
        #expect(try text(of: self.folder["out"]).contains("\r\n\r\n\(later.prefix(4))\r\n--B--"))
    }

    @Test("A file that is gone is an error")
    func gone() throws {
        for compatibility in [Compatibility.safe, .exact] {
            let form = MultipartFormData.fixed(compatibility)
            form.append(try self.folder.file("a.txt", "1"), withName: "a")
            try FileManager.default.removeItem(at: self.folder["a.txt"])
            #expect(failure { _ = try form.encode() } == readFailed)
        }
    }

    @Test("Data and files are encoded as often as asked; Alamofire encodes once")
    func again() throws {
        let form = MultipartFormData.fixed()
        form.append(Data("1".utf8), withName: "a")
        form.append(try self.folder.file("a.txt", "2"), withName: "b")
        let first = try form.encode()
        #expect(try form.encode() == first)
        try form.writeEncodedData(to: self.folder["out"])
        #expect(try Data(contentsOf: self.folder["out"]) == first)
        let exact = MultipartFormData.fixed(.exact)
        exact.append(Data("1".utf8), withName: "a")
        _ = try exact.encode()
        #expect(failure { _ = try exact.encode() } == unexpectedLength)
    }
}
