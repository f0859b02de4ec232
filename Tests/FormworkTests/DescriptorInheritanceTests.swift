import Foundation
@testable import Formwork
import TestSupport
import Testing

@Suite("No file that is open goes to a child process", .timeLimit(.minutes(10)))
struct DescriptorInheritanceTests {
    private let folder = TemporaryFolder()

    /// This process's descriptors on a folder and on what is in it, and of these the ones that a child would get.
    private struct Open: Equatable {
        var count: Int
        var inherited: [String]

        init(in folder: FilePath) {
            let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            let open = numbers.compactMap { number -> (name: String, flags: CInt)? in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
                guard let target, target.hasPrefix(folder.string), let number = CInt(number) else { return nil }
                return (target, fcntl(number, F_GETFD))
            }
            self.count = open.count
            self.inherited = open.filter { $0.flags & FD_CLOEXEC == 0 }.map(\.name)
        }
    }

    private func check(_ count: Int, in folder: FilePath, sourceLocation: SourceLocation = #_sourceLocation) {
        let open = Open(in: folder)
        #expect(open.count == count && open.inherited == [], "\(open)", sourceLocation: sourceLocation)
    }

    /// Looks while a body is read.
    private final class Looking: ByteStream {
        let look: () -> Void

        init(_ look: @escaping () -> Void) { self.look = look }

        func read(into buffer: inout MutableRawSpan) throws -> Int {
            self.look()
            return 0
        }
    }

    @Test("A file that is read")
    func reading() throws {
        var form = formB()
        form.append(name: "a", file: try self.folder.file("a", Array(repeating: 1, count: 100_000)))
        let reader = try form.plan().makeReader()
        _ = try reader.read(upTo: 1000)
        self.check(1, in: self.folder.path)
        reader.close()

        // One that is opened when its part is made.
        var lazy = formB()
        let path = self.folder.path.appending("a")
        lazy.append(PartSequence(count: 1, isMeasured: false) { _ in BodyPart(name: "a", file: path) })
        let second = try lazy.plan().makeReader()
        _ = try second.read(upTo: 1000)
        self.check(1, in: self.folder.path)
        second.close()
    }

    @Test("A file that is written")
    func writing() throws {
        var form = formB()
        let path = self.folder.path
        form.append(name: "a", source: .stream(length: nil) { _ in Looking { self.check(2, in: path) } })
        // The file, and its folder.
        try form.plan().makeReader().write(toFile: path.appending("body"))
        let appended = try AppendedFile(self.folder.path.appending("upload"), creating: true)
        self.check(1, in: self.folder.path)
        try appended.append([1])
    }

    @Test("A spool")
    func spools() throws {
        let (input, output) = try FileDescriptor.pipe()
        try output.close()
        let spool = try BodySpool(collecting: input, in: self.folder.path)
        try input.close()
        self.check(1, in: self.folder.path)
        #expect(spool.count == 0)
    }

    @Test("Folders, and files that are put into them", arguments: [true, false])
    func folders(named: Bool) throws {
        let open = try AtomicFolder(self.folder.path, avoidsUnnamedFiles: named)
        self.check(1, in: self.folder.path)
        let file = try open.makeFile()
        self.check(2, in: self.folder.path)
        file.close()
        let staged = try StagedFiles(in: self.folder.path, replacing: false)
        self.check(3, in: self.folder.path)
        let stagedFile = try staged.makeFile(try #require(SafeFilename("a")))
        self.check(4, in: self.folder.path)
        stagedFile.close()
    }
}
