import Foundation
import Formwork
import Synchronization
import Testing

@Suite("Signals while code of a caller's runs", .timeLimit(.minutes(10)))
struct SignalTests {
    /// Whether a process that is started here and now would inherit a blocked SIGPIPE.
    private static var isBlocked: Bool {
        var mask = sigset_t()
        unsafe pthread_sigmask(SIG_BLOCK, nil, &mask)
        return unsafe sigismember(&mask, SIGPIPE) == 1
    }

    /// Notes at each call whether the signal is blocked.
    private final class Log: Sendable {
        private let seen = Mutex<[String: Bool]>([:])
        func note(_ place: String) { self.seen.withLock { $0[place] = ($0[place] ?? false) || SignalTests.isBlocked } }
        var places: [String: Bool] { self.seen.withLock { $0 } }
    }

    private struct Noting: ByteStream {
        let log: Log
        var left = 3
        mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
            self.log.note("read")
            // A body within the body, whose own guard begins and ends here.
            var form = FormData()
            form.append(name: "a", source: .stream { [log] _ in Noting(log: log, left: 0) })
            if self.left > 0 { try form.plan().write(toFile: "/dev/null") }
            self.log.note("read again")
            self.left -= 1
            return self.left >= 0 ? RawBytes.copy([1, 2, 3], 0..<3, to: &buffer) : 0
        }
    }

    @Test("SIGPIPE is what it was before, in streams, sequences and progress, and held back again behind them")
    func mask() throws {
        #expect(!Self.isBlocked)
        let log = Log()
        var form = FormData()
        form.append(
            name: "s",
            source: .stream { _ in
                log.note("opening")
                return Noting(log: log)
            })
        form.append(
            PartSequence(count: 3) { index in
                log.note("sequence")
                return BodyPart(name: "\(index)", value: "v")
            })
        let options = ReaderOptions(progress: { _ in log.note("progress") }, progressInterval: .zero)
        try form.plan().write(toFile: "/dev/null", options: options)
        #expect(
            log.places == ["read": false, "read again": false, "opening": false, "sequence": false, "progress": false])
        #expect(!Self.isBlocked)
    }

    /// Whether SIGPIPE waits to be delivered to this thread.
    private static var isPending: Bool {
        var pending = sigset_t()
        unsafe sigpending(&pending)
        return unsafe sigismember(&pending, SIGPIPE) == 1
    }

    @Test("A SIGPIPE of the caller's own stays pending, and one of a write doesn't", arguments: [true, false])
    func pending(isRaised: Bool) throws {
        var (pipe, old) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&pipe)
        unsafe sigaddset(&pipe, SIGPIPE)
        unsafe pthread_sigmask(SIG_BLOCK, &pipe, &old)
        if isRaised { pthread_kill(pthread_self(), SIGPIPE) }
        let (input, output) = try FileDescriptor.pipe()
        try input.close()
        defer { try? output.close() }
        var form = FormData()
        form.append(name: "a", value: "1")
        let plan = try form.plan()
        let error = #expect(throws: FormworkError.self) { try plan.write(to: output) }
        #expect(error?.cause as? Errno == .brokenPipe)
        #expect(Self.isPending == isRaised && Self.isBlocked)
        var signal: Int32 = 0
        if Self.isPending { unsafe sigwait(&pipe, &signal) }
        unsafe pthread_sigmask(SIG_SETMASK, &old, nil)
        #expect(signal == (isRaised ? SIGPIPE : 0) && !Self.isBlocked)
    }

    @Test("A pipe that closes while a stream is read is an error still")
    func closedMeanwhile() throws {
        let (input, output) = try FileDescriptor.pipe()
        defer { try? output.close() }
        struct Closing: ByteStream {
            let input: FileDescriptor
            var isClosed = false
            mutating func read(into buffer: inout MutableRawSpan) throws -> Int {
                if !self.isClosed { try self.input.close() }
                self.isClosed = true
                return RawBytes.copy([1, 2, 3], 0..<3, to: &buffer)
            }
        }
        var form = FormData()
        form.append(name: "s", source: .stream { _ in Closing(input: input) })
        let plan = try form.plan()
        let error = #expect(throws: FormworkError.self) { try plan.write(to: output) }
        #expect(error?.cause as? Errno == .brokenPipe)
    }
}
