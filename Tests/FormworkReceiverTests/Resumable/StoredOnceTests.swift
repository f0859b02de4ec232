import Foundation
import TestSupport
import Testing

@testable import Formwork
@testable import FormworkReceiver
@testable import FormworkResumable
import FormworkSystem

/// A resumable upload is stored once in a folder, at whatever moment its receiver is killed.
@Suite(.timeLimit(.minutes(10))) struct StoredOnceTests {
    private static let name = "0123456789abcdef0123456789abcdef"
    private let folder = TemporaryFolder()

    /// What a receiver does that has just been started: it has the upload's bytes, and no answer.
    private func complete(_ upload: IncomingUpload, _ body: String) async throws -> UploadReceipt {
        let intake = UploadIntake(storage: try FolderStorage(self.folder.path), limits: ReceivingLimits())
        return try await intake.take(
            upload,
            StoredBody(content: .text(body), upload: Self.name, length: Int64(body.utf8.count), digests: []))
    }

    private var names: [String] { self.folder.names.filter { !$0.hasPrefix(".") } }
    private var hidden: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: self.folder.path.string)) ?? [])
            .filter { $0.hasPrefix(".") }.sorted()
    }

    @Test(arguments: [PathCondition.none, .isFree])
    func `After a kill that came before the answer was saved, the upload has the same answer`(
        condition: PathCondition
    ) async throws {
        var upload = IncomingUpload(.file(try #require(SafePath("a.txt")), contentType: nil), length: 5)
        upload.condition = condition
        let first = try await self.complete(upload, "hello")
        #expect(first.files.map(\.name) == ["a.txt"])
        #expect(self.hidden == [".formwork-stored." + Self.name])
        #expect(try await self.complete(upload, "hello").jsonBytes == first.jsonBytes)
        #expect(self.names == ["a.txt"])
        await (try FolderStorage(self.folder.path)).forget(Self.name)
        #expect(self.hidden == [])
    }

    @Test func `So has a form, with its fields`() async throws {
        let body = """
            --b\r\nContent-Disposition: form-data; name="t"\r\n\r\nx\r\n--b\r\nContent-Disposition: form-data; name="f"; \
            filename="a"\r\n\r\n1\r\n--b--\r\n
            """
        let upload = IncomingUpload(
            .parts(contentType: "multipart/form-data; boundary=b", isForm: true), length: Int64(body.utf8.count))
        let first = try await self.complete(upload, body)
        #expect(first.fields == [UploadReceipt.Field(name: "t", value: "x")])
        #expect(first.fieldsIn == "a.form.json")
        #expect(try await self.complete(upload, body).jsonBytes == first.jsonBytes)
        #expect(self.names == ["a", "a.form.json"])
    }

    @Test func `After a kill between a name and the end of the publication, the file is taken back and stored again`()
        async throws
    {
        let open = try AtomicFolder(self.folder.path)
        let file = try open.makeFile()
        try file.write(Array("hello".utf8))
        var journal = try FormJournal(in: open, id: Self.name, durably: false)
        journal.add(FormJournal.Identity(try SystemCalls.status(of: file.descriptor).validator, of: file))
        journal.add(FormJournal.Destination(path: "a.txt", replaces: false), for: 0)
        let storage = try FolderStorage(self.folder.path)
        try journal.write()
        try file.move(to: "a.txt", in: open.descriptor)
        journal.close()
        file.close()
        #expect(self.names == ["a.txt"])
        // Another receiver, which runs already.
        #expect(try await storage.find(Self.name, isDigesting: true).receipt == nil)
        #expect(self.names == [] && self.hidden == [])
        let upload = IncomingUpload(.file(try #require(SafePath("a.txt")), contentType: nil), length: 5)
        #expect(try await self.complete(upload, "hello").files.map(\.name) == ["a.txt"])
        #expect(self.names == ["a.txt"])
    }

    @Test func `A receiver that runs completes or undoes what another one left, and forgets uploads that are gone`()
        async throws
    {
        let upload = IncomingUpload(.file(try #require(SafePath("b")), contentType: nil), length: 5)
        _ = try await self.complete(upload, "hello")
        let storage = try FolderStorage(self.folder.path)
        let open = try AtomicFolder(self.folder.path)
        let file = try open.makeFile()
        var journal = try FormJournal(in: open, durably: false)
        journal.add(FormJournal.Identity(try SystemCalls.status(of: file.descriptor).validator, of: file))
        journal.add(FormJournal.Destination(path: "a", replaces: false), for: 0)
        try journal.write()
        try file.move(to: "a", in: open.descriptor)
        // It is being published.
        #expect(try await storage.sweep(nil) == 0)
        #expect(self.names == ["a", "b"])
        journal.close()
        file.close()
        let uploads = self.folder.path.appending(".formwork-resumable")
        #expect(try await storage.sweep(UploadStore(uploads)) == 1)
        #expect(self.names == ["b"] && self.hidden == [".formwork-stored." + Self.name])
        var options = UploadStoreOptions()
        options.lifetime = 0
        #expect(try await storage.sweep(UploadStore(uploads, options: options)) == 0)
        #expect(self.hidden == [])
    }

    @Test func `A receipt that is a link isn't read`() async throws {
        let outside = TemporaryFolder()
        try outside.file("r", #"{"fields":[],"files":[{"name":"x","size":1}]}"#)
        let path = self.folder.path.appending(".formwork-stored." + Self.name).string
        try FileManager.default.createSymbolicLink(
            atPath: path, withDestinationPath: outside.path.appending("r").string)
        let storage = try FolderStorage(self.folder.path)
        await #expect(throws: FormworkError.self) { try await storage.find(Self.name, isDigesting: true) }
    }
}
