import Formwork
@testable import FormworkReceiver
import NIOCore
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(10)))
struct DurableStorageTests {
    @Test(arguments: [true, false], [true, false])
    func `Where it is asked for, the disk has a file and its name`(durably: Bool, avoidsUnnamedFiles: Bool)
        async throws
    {
        let folder = TemporaryFolder()
        let storage = try FolderStorage(folder.path, durably: durably, avoidsUnnamedFiles: avoidsUnnamedFiles)
        let upload = try await storage.begin(IncomingFile(name: try #require(SafeFilename("a"))))
        try await upload.write(ByteBuffer(string: "x"))
        #expect(try await storage.finish(upload) == "a")
        #expect(DiskSyncs.count(ofFilesIn: folder.path.string) == (durably ? 1 : 0))
        #expect(DiskSyncs.count(ofFolder: folder.path.string) == (durably ? 1 : 0))
    }
}
