import Foundation
import Formwork
import TestSupport
import Testing

@Suite("No byte of a file that changed since it was planned", .timeLimit(.minutes(10)))
struct FirstByteTests {
    private let head =
        "--b\r\nContent-Disposition: form-data; name=\"f\"; filename=\"f\"\r\n"
        + "Content-Type: application/octet-stream\r\n\r\n"

    private func changedFile(_ folder: TemporaryFolder, _ count: Int) throws -> BodyPlan {
        let path = try folder.file("f", Array(repeating: 1, count: count))
        var form = formB()
        form.append(name: "f", file: path)
        let plan = try form.plan()
        try FileManager.default.removeItem(atPath: path.string)
        _ = try folder.file("f", Array(repeating: 2, count: count))
        return plan
    }

    @Test("By reads that are smaller than the file, and larger", arguments: [100, 1000, 70_000, 400_000])
    func reads(size: Int) throws {
        let folder = TemporaryFolder()
        let reader = try self.changedFile(folder, 300_000).makeReader()
        var given: [UInt8] = []
        let error = #expect(throws: FormworkError.self) {
            while true {
                let chunk = try reader.read(upTo: size)
                guard !chunk.isEmpty else { return }
                given += chunk
            }
        }
        #expect(error?.code == .sourceChanged)
        #expect(self.head.utf8.starts(with: given))
    }

    @Test("By the kernel's ways", arguments: [WayOut.pipe, .socket])
    func kernel(way: WayOut) throws {
        let folder = TemporaryFolder()
        let reader = try self.changedFile(folder, 3_000_000).makeReader()
        let (input, output) = try way == .pipe ? FileDescriptor.pipe() : Sink.socketPair()
        let collected = Sink.collect(input)
        let error = #expect(throws: FormworkError.self) { try reader.write(to: output) }
        try output.close()
        let given = collected()
        try input.close()
        #expect(error?.code == .sourceChanged)
        #expect(self.head.utf8.starts(with: given))
    }

    @Test("In async chunks", arguments: [1000, 256 << 10])
    func chunks(size: Int) async throws {
        let folder = TemporaryFolder()
        let plan = try self.changedFile(folder, 600_000)
        var given: [UInt8] = []
        let error = await #expect(throws: FormworkError.self) {
            for try await chunk in plan.chunks(of: size) { given += chunk }
        }
        #expect(error?.code == .sourceChanged)
        #expect(self.head.utf8.starts(with: given))
    }
}
