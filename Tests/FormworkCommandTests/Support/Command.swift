import Foundation
import SystemPackage
import TestSupport
import Testing

/// How a run of the command ended.
struct Outcome {
    var status: Int32
    var output: [UInt8]
    var errors: String

    var text: String { String(decoding: self.output, as: UTF8.self) }

    /// The object on standard output.
    /// - Parameter schema: What it has to follow.
    func object(as schema: String? = nil) throws -> [String: Any] {
        if let schema { #expect(try SchemaCheck(schema).violations(self.text) == [], "\(self.text)") }
        return try #require(try JSONSerialization.jsonObject(with: Data(self.output)) as? [String: Any])
    }
}

/// The built `formwork`, run as a process.
enum Command {
    /// It is built beside the test bundle.
    static let path: String = {
        // A shell lets its background jobs ignore these signals, and the commands would inherit that.
        for number in [SIGINT, SIGQUIT, SIGHUP] { signal(number, SIG_DFL) }
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        let folders = [beside, URL(fileURLWithPath: bundle).deletingLastPathComponent()]
        return folders.map { $0.appendingPathComponent("formwork").path }
            .first { FileManager.default.isExecutableFile(atPath: $0) } ?? "formwork"
    }()

    /// Runs `formwork` with arguments; standard input is empty unless given.
    static func run(_ arguments: String..., input: [UInt8] = [], in folder: String? = nil) throws -> Outcome {
        try self.run([self.path] + arguments, input: input, in: folder)
    }

    /// Runs a shell script in which `$F` is the command, by default in a folder of its own. `receive FOLDER …` starts a receiver, at `$PORT` if that is
    /// set: `$U` is its address, `$P` its
    /// process, and `log` what it says. `ask` prints the status that a request of curl's gets.
    static func shell(_ script: String, input: [UInt8] = [], in folder: String? = nil) throws -> Outcome {
        let own = Folder()
        defer { withExtendedLifetime(own) {} }
        return try self.run(["/bin/bash", "-c", self.functions + script], input: input, in: folder ?? own.path)
    }

    private static let functions = """
        receive() { rm -f url; "$F" receive --port ${PORT:-0} "$@" > url 2> log & P=$!
          until [ -s url ] || ! kill -0 $P 2> /dev/null; do sleep 0.05; done; U=$(cat url); }
        ask() { curl -s -o /dev/null -w '%{http_code}\\n' "$@"; }

        """

    private static func run(_ words: [String], input: [UInt8], in folder: String?) throws -> Outcome {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: words[0])
        process.arguments = Array(words.dropFirst())
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["F": self.path, "SWIFT_BACKTRACE": "enable=no"]) { $1 }
        if let folder { process.currentDirectoryURL = URL(fileURLWithPath: folder) }
        let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
        process.standardInput = stdin
        process.standardOutput = stdout
        process.standardError = stderr
        try process.run()
        self.withoutPipeSignal { try? stdin.fileHandleForWriting.write(contentsOf: Data(input)) }
        try stdin.fileHandleForWriting.close()
        let errors = ReadToEnd(stderr.fileHandleForReading)
        let output = try stdout.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return Outcome(
            status: process.terminationStatus + (isSignal ? 128 : 0), output: Array(output),
            errors: String(decoding: errors.wait(), as: UTF8.self))
    }
}

extension Command {
    /// Writes to a command that may have ended before it read everything, which must not end the tests.
    ///
    /// For this thread alone: what is ignored by the whole process would be by the commands too.
    fileprivate static func withoutPipeSignal(_ write: () -> Void) {
        var (pipe, before, atOnce) = (sigset_t(), sigset_t(), timespec())
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        write()
        while sigtimedwait(&pipe, nil, &atOnce) > 0 {}
        pthread_sigmask(SIG_SETMASK, &before, nil)
    }
}

/// Reads a handle on a thread of its own.
final class ReadToEnd: @unchecked Sendable {
    // SAFETY: `data` is written before the semaphore is signalled and read after it was waited for.
    private var data = Data()
    private let done = DispatchSemaphore(value: 0)

    init(_ handle: FileHandle) {
        Thread.detachNewThread {
            self.data = (try? handle.readToEnd()) ?? Data()
            self.done.signal()
        }
    }

    func wait() -> Data {
        self.done.wait()
        return self.data
    }
}

/// A temporary folder whose paths are texts, as arguments are.
final class Folder {
    private let folder = TemporaryFolder()
    var path: String { self.folder.path.string }
    var names: [String] { self.folder.names }

    func file(_ name: String, _ content: String) throws { try self.folder.file(name, content) }

    /// A file of `size` bytes that takes no disk.
    func sparse(_ name: String, _ size: UInt64) throws {
        try self.file(name, "")
        let handle = try FileHandle(forUpdating: URL(fileURLWithPath: self.path + "/" + name))
        try handle.truncate(atOffset: size)
        try handle.close()
    }
}
