import Foundation
import Formwork
import TestSupport
import Testing

@Suite("What is taken piece by piece arrives whole", .timeLimit(.minutes(10)))
struct PartialWriteTests {
    @Test("Content in memory, more than a pipe holds, to a reader that is slow", arguments: [WayOut.pipe, .socket])
    func memory(way: WayOut) throws {
        // More than the MiB that a pipe has, so that writes are cut; without a short period, so that every shift shows.
        let content = (0..<3_000_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
        var form = formB()
        form.append(name: "a", source: .bytes(content))
        let plan = try form.plan()
        let (input, output) = try way == .pipe ? FileDescriptor.pipe() : Sink.socketPair()
        #expect(fcntl(output.rawValue, F_SETFL, O_NONBLOCK) == 0)
        let collected = Sink.collect(input, pausing: true)
        #expect(try plan.write(to: output) == plan.contentLength)
        try output.close()
        let body = collected()
        try input.close()
        #expect(body.count == 3_000_058)
        #expect(body.dropFirst(49).starts(with: content))
    }

    #if os(Linux)
    @Test("A file into a device that has room for some kilobytes", arguments: [false, true])
    func device(isNonBlocking: Bool) throws {
        let folder = TemporaryFolder()
        let content = (0..<1_500_000).map { UInt8(truncatingIfNeeded: ($0 &* 2_654_435_761) >> 11) }
        var form = formB()
        form.append(name: "a", file: try folder.file("big", content))
        let plan = try form.plan()
        let (input, output) = try Self.rawTerminal()
        defer { try? input.close() }
        if isNonBlocking { #expect(fcntl(output.rawValue, F_SETFL, O_NONBLOCK) == 0) }
        let collected = Sink.collect(input)
        #expect(try plan.write(to: output) == plan.contentLength)
        // Its other end reads what is left, then an error.
        try output.close()
        let body = collected()
        #expect(body.count == 1_500_114)
        let isWhole = body.dropFirst(105).starts(with: content)
        #expect(isWhole)
    }

    /// A pseudo-terminal that passes every byte on as it is: posix_openpt and others, which Swift's Glibc doesn't have.
    private static func rawTerminal() throws -> (FileDescriptor, FileDescriptor) {
        // Otherwise the terminal would become this process's own, and end it when it is closed, if it leads a session.
        let master = try FileDescriptor.open("/dev/ptmx", .readWrite, options: .init(rawValue: O_NOCTTY))
        var (unlocked, number) = (Int32(0), UInt32(0))
        guard ioctl(master.rawValue, 0x4004_5431, &unlocked) == 0, ioctl(master.rawValue, 0x8004_5430, &number) == 0
        else { throw Errno(rawValue: errno) }
        let slave = try FileDescriptor.open(
            FilePath("/dev/pts/\(number)"), .readWrite, options: .init(rawValue: O_NOCTTY))
        var mode = termios()
        guard tcgetattr(slave.rawValue, &mode) == 0 else { throw Errno(rawValue: errno) }
        cfmakeraw(&mode)
        guard tcsetattr(slave.rawValue, TCSANOW, &mode) == 0 else { throw Errno(rawValue: errno) }
        return (master, slave)
    }
    #endif
}
