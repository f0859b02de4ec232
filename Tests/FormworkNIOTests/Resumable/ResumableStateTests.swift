import Foundation
@testable import FormworkClient
@testable import FormworkResumable
import Testing

@Suite(.timeLimit(.minutes(10))) struct ResumableStateTests {
    private let folder = FilePath(NSTemporaryDirectory()).appending(
        "formwork-state-\(UInt64.random(in: .min ... .max))")

    private func form(_ text: String = "v") throws -> BodyPlan {
        var form = FormData()
        form.append(BodyPart(name: "a", value: text))
        form.append(BodyPart(name: "f", file: self.folder.appending("f")))
        var inner = FormData()
        inner.append(BodyPart(name: "i", value: "x"))
        form.append(BodyPart(name: "m", multipart: inner))
        return try form.plan()
    }

    @Test func goesOn() throws {
        try FileManager.default.createDirectory(atPath: self.folder.string, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: self.folder.string) }
        let file = URL(filePath: self.folder.appending("f").string)
        try Data("content".utf8).write(to: file)
        let plan = try self.form()
        let link = SavedUpload(
            url: "https://example.com/u", uploadProtocol: .draft(.v8),
            limits: UploadLimits(maxAge: 60))
        let state = try ResumableState(link, url: "https://example.com/", method: .post, plan: plan)
        let path = self.folder.appending("state.json")
        #expect(try ResumableState(file: path) == nil)
        try state.write(to: path)
        try state.write(to: path)
        let mode = try FileManager.default.attributesOfItem(atPath: path.string)[.posixPermissions] as? NSNumber
        #expect(mode?.intValue == 0o600)
        let saved = try #require(try ResumableState(file: path))
        #expect(saved.boundaries.count == 2 && saved.files.count == 1)
        #expect(saved.link?.url == "https://example.com/u")
        #expect(!saved.isExpired() && saved.isExpired(now: Date(timeIntervalSinceNow: 61)))

        // Another process: other boundaries, the same bytes in the end.
        let fresh = try self.form()
        #expect(fresh.contentType != plan.contentType)
        #expect(try ResumableState.key(url: "https://example.com/", method: .post, plan: fresh) == saved.key)
        #expect(try ResumableState.key(url: "https://example.com/x", method: .post, plan: fresh) != saved.key)
        let again = try saved.plan(from: fresh)
        #expect(again.contentType == plan.contentType)
        #expect(try again.makeReader().read(upTo: 10000) == plan.makeReader().read(upTo: 10000))

        // A reboot, or another mount: the file has another number, on another device perhaps, and is the same.
        let copy = URL(filePath: self.folder.appending("copy").string)
        try Data("content".utf8).write(to: copy)
        let touch = try Process.run(URL(filePath: "/usr/bin/touch"), arguments: ["-r", file.path, copy.path])
        touch.waitUntilExit()
        #expect(touch.terminationStatus == 0)
        #expect(rename(copy.path, file.path) == 0)
        #expect(try saved.plan(from: try self.form()).contentType == plan.contentType)

        #expect(throws: FormworkError.self) { try saved.plan(from: try self.form("longer")) }
        try Data("changed content".utf8).write(to: file)
        #expect { try saved.plan(from: try self.form()) } throws: { FormworkError.Code.sourceChanged ~= $0 }
        try Data("{}".utf8).write(to: URL(filePath: path.string))
        #expect { try ResumableState(file: path) } throws: { FormworkError.Code.sourceUnavailable ~= $0 }
        ResumableState.remove(path)
        #expect(try ResumableState(file: path) == nil)
    }

    /// `printf abc | openssl dgst -sha256 -binary | base64` after the framing can't be computed: the body is one
    /// source.
    @Test func digest() async throws {
        let plan = try BodyPlan(copying: .text("abc"))
        #expect(
            try await plan.reprDigest().fieldValue
                == "sha-256=:ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=:")
    }
}
