import Foundation
import Formwork
import SystemPackage
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
}
