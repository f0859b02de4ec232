import FormworkCore
import FormworkSystem
import Foundation
import SystemPackage
import TestSupport
import Testing

@Suite("System calls", .timeLimit(.minutes(10)))
struct SystemCallsTests {
    @Test("A lock is taken once, and free after its file is closed")
    func lock() throws {
        let folder = TemporaryFolder()
        let path = folder.path.appending("lock")
        let first = try SystemCalls.open(path, .readWrite, [.create], permissions: .ownerReadWrite)
        let second = try SystemCalls.open(path, .readWrite)
        defer { try? SystemCalls.close(second) }
        try SystemCalls.takeLock(first)
        #expect(throws: Errno.wouldBlock) { try SystemCalls.takeLock(second) }
        try SystemCalls.close(first)
        try SystemCalls.takeLock(second)
    }

    @Test("A pattern's paths are in order, and none is none")
    func pattern() throws {
        let folder = TemporaryFolder()
        for name in ["b.txt", "a.txt", "c.jpg"] { try Data().write(to: URL(fileURLWithPath: "\(folder.path)/\(name)")) }
        try FileManager.default.createDirectory(atPath: "\(folder.path)/d[", withIntermediateDirectories: false)
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/d[/.hidden"))
        try Data().write(to: URL(fileURLWithPath: "\(folder.path)/d[/a.txt"))
        try FileManager.default.createSymbolicLink(atPath: "\(folder.path)/d[/link", withDestinationPath: "none")
        for (pattern, paths) in [
            ("*.txt", ["a.txt", "b.txt"]), ("*.pdf", []), ("*/a.txt", ["d[/a.txt"]), ("*/none", []), ("\\*", []),
            ("d\\[/*", ["d[/a.txt", "d[/link"]), ("[d][[]/a.txt", ["d[/a.txt"]), ("[!a-c]*/li?k", ["d[/link"]),
            ("*/.*", ["d[/.hidden"]), ("*/", ["d[/"]), ("*//a*", ["d[//a.txt"]), ("*/*/*", []),
        ] as [(String, [String])] {
            let found = try SystemCalls.paths(matching: "\(folder.path)/\(pattern)")
            #expect(found == paths.map { Array("\(folder.path)/\($0)".utf8) }, "\(pattern)")
        }
    }

    #if os(Linux)
    @Test("A folder whose names can't all be read is an error, not a folder with fewer names")
    func unreadableNames() throws {
        // Linux opens the folder of a process that has ended but isn't collected, and then can't list it.
        let parent = Process()
        let output = Pipe()
        parent.executableURL = URL(fileURLWithPath: "/bin/sh")
        parent.arguments = ["-c", "true & echo $!; exec sleep 600"]
        parent.standardOutput = output
        try parent.run()
        defer {
            kill(parent.processIdentifier, SIGKILL)
            parent.waitUntilExit()
        }
        let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
        let ended = line.trimmingCharacters(in: .newlines)
        while try !String(contentsOfFile: "/proc/\(ended)/status", encoding: .utf8).contains("State:\tZ") {
            Thread.sleep(forTimeInterval: 0.001)
        }
        let folder = try SystemCalls.open(FilePath("/proc/\(ended)/net"), .readOnly, .directory)
        defer { try? SystemCalls.close(folder) }
        #expect(throws: Errno.invalidArgument) { try SystemCalls.rawNames(in: folder) }
    }
    #endif

    @Test("A descriptor is open until it is closed, and a file is cut where asked")
    func descriptors() throws {
        let folder = TemporaryFolder()
        let file = try SystemCalls.open(
            folder.path.appending("f"), .readWrite, [.create], permissions: .ownerReadWrite)
        #expect(SystemCalls.isOpen(file))
        try [UInt8]([1, 2, 3, 4]).withRawSpan { bytes throws(Errno) in try SystemCalls.writeAll(file, bytes) }
        try SystemCalls.truncate(file, to: 3)
        #expect(try SystemCalls.status(of: file).validator.size == 3)
        #expect(!Terminal.isTerminal(file) && Terminal.columns(of: file) == nil && Terminal.hideInput(of: file) == nil)
        try SystemCalls.close(file)
        #expect(!SystemCalls.isOpen(FileDescriptor(rawValue: 1_000_000)))
    }

    @Test("A clone has the file's bytes and no name, or the file system can't make one")
    func clone() throws {
        let folder = TemporaryFolder()
        let path = folder.path.appending("f")
        try Data([7, 8, 9]).write(to: URL(fileURLWithPath: path.string))
        let file = try SystemCalls.open(path, .readOnly)
        defer { try? SystemCalls.close(file) }
        if let clone = try? SystemCalls.openClone(of: file, in: folder.path) {
            defer { try? SystemCalls.close(clone) }
            #expect(try SystemCalls.status(of: clone).validator.size == 3)
        }
        #expect(folder.names == ["f"])
    }

    @Test("The process has a file, words that keep their lengths, and the time of day in UTC")
    func process() throws {
        let program = try #require(ThisProcess.executable)
        #expect(FileManager.default.isExecutableFile(atPath: program.string))
        var words: [String] = []
        ThisProcess.changeArguments { bytes in
            words = bytes.map { String(decoding: $0, as: UTF8.self) }
        }
        #expect(words.dropLast() == CommandLine.arguments[...] && words.last == "")
        let date = try #require(ISO8601DateFormatter().date(from: WallClock.timestamp()))
        #expect(abs(date.timeIntervalSinceNow) < 600)
    }

    @Test("A program gets the bytes and their end, and its status comes back")
    func program() throws {
        let program = try ChildProcess("sh", ["-c", "test $(cat) = abc && exit 7"])
        try [UInt8]("abc".utf8).withRawSpan { bytes throws(Errno) in try SystemCalls.writeAll(program.input, bytes) }
        program.finish()
        #expect(program.wait() == 7)
        #expect(throws: Errno.noSuchFileOrDirectory) { _ = try ChildProcess("formwork-no-such-program", []) }
    }

    @Test("A stopping signal has the exit status that shells give it")
    func signals() {
        #expect(StoppingSignal.allCases.map(\.exitStatus) == [129, 130, 143])
    }
}
