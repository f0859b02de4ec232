import Foundation
import Formwork
import TestSupport
import Testing

/// Every way to write a file leaves an existing one, unless asked, and never writes over its own input.
@Suite(.timeLimit(.minutes(10))) struct OutputFileTests {
    typealias Way = @Sendable (_ path: FilePath, _ replacing: Bool) async throws -> Void

    static func entry() throws -> ReceivedForm.Entry {
        let body = "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n\r\nnew\r\n--b--\r\n"
        return try ReceivedForm(body, contentType: "multipart/form-data; boundary=b")[0]
    }

    static let ways: [(String, Way)] = [
        ("plan", { try await BodyPlan(copying: .text("new")).write(toFile: $0, replacing: $1) }),
        (
            "plan, blocking",
            { path, replacing in try Self.blocking { try $0.write(toFile: path, replacing: replacing) } }
        ),
        (
            "reader",
            { path, replacing in try Self.blocking { try $0.makeReader().write(toFile: path, replacing: replacing) } }
        ),
        ("source", { try await BodySource.text("new").write(toFile: $0, replacing: $1) }),
        ("FormFile", { try await FormFile(filename: "a", source: .text("new")).write(toFile: $0, replacing: $1) }),
        ("content", { try await Self.entry().content.write(toFile: $0, replacing: $1) }),
        (
            "part",
            { path, replacing in
                let body = "--b\r\nContent-Disposition: form-data; name=\"f\"\r\n\r\nnew\r\n--b--\r\n"
                let parts = try ReceivedParts(
                    ChunkSource(body, every: 9), contentType: "multipart/form-data; boundary=b")
                for try await part in parts { try await part.write(toFile: path, replacing: replacing) }
            }
        ),
    ]

    private static func blocking(_ body: (BodyPlan) throws -> Int64) throws {
        _ = try body(BodyPlan(copying: .text("new")))
    }

    @Test(arguments: ways.indices)
    func `A file is replaced only if that is asked for`(index: Int) async throws {
        let (name, write) = Self.ways[index]
        let folder = TemporaryFolder()
        let path = try folder.file("file", "old")
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path.string)
        let link = folder.path.appending("link")
        try FileManager.default.createSymbolicLink(atPath: link.string, withDestinationPath: "file")
        for path in [path, link] {
            let error = await #expect(throws: FormworkError.self, "\(name)") { try await write(path, false) }
            #expect(error?.code == .writeFailed && error?.cause as? Errno == .fileExists)
            #expect(error?.path == path.string)
        }
        #expect(try folder.text(of: "file") == "old")
        try await write(link, true)
        #expect(try folder.text(of: "file") == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.string) == "file")
        let attributes = try FileManager.default.attributesOfItem(atPath: path.string)
        #expect(attributes[.posixPermissions] as? Int == 0o640)
        try await write(folder.path.appending("another"), false)
        #expect(try folder.traces == ["another", "file", "link"])
        #expect(try folder.text(of: "another") == "new")
        // A device isn't a file that could be lost.
        try await write("/dev/null", false)
        await expect(.writeFailed) { try await write(folder.path, true) }
    }

    @Test(arguments: [false, true])
    func `A file that the body reads is not its output`(isEncoded: Bool) async throws {
        let folder = TemporaryFolder()
        let path = try folder.file("f", String(repeating: "content", count: 20_000))
        let hardLink = folder.path.appending("same")
        try FileManager.default.linkItem(atPath: path.string, toPath: hardLink.string)
        var form = formB()
        form.append(name: "t", value: "1")
        form.append(
            BodyPart(
                header: PartHeader(name: "f", transferEncoding: isEncoded ? .base64() : nil),
                source: .file(path, offset: 7)))
        let before = try contents(of: path)
        let plan = try await form.plan()
        for output in [path, hardLink] {
            let open = try FileDescriptor.open(output, .readWrite, options: .append)
            let writes: [() async throws -> Int64] = [
                { try await plan.write(toFile: output, replacing: true) }, { try await plan.write(to: open) },
                { try plan.makeReader().write(toFile: output, replacing: true) },
                { try plan.makeReader().write(to: open) },
            ]
            for write in writes {
                let error = await #expect(throws: FormworkError.self) { try await write() }
                #expect(error?.code == .invalidArgument)
                #expect(error?.message == "the output is also an input: write to another file")
                #expect(error?.part == PartReference(index: 1, name: "f"))
                #expect(error?.path != nil)
            }
            try open.close()
        }
        #expect(try contents(of: path) == before)
        #expect(try folder.traces == ["f", "same"])
    }
}
