import Formwork
import FormworkSystem

/// Writes one part to standard output, or to a device or FIFO, as it is read.
struct OutputSink: PartSink {
    /// The most bytes of a part that are shown on a terminal, and only if they are text.
    private static let terminalBytes = 64 << 10

    private(set) var selector: PartSelector
    private var isTaken = false
    private let output: FileDescriptor
    private let isTerminal: Bool
    /// Bytes that wait until they are known to be text.
    private var held: [UInt8] = []

    init(_ selector: PartSelector, _ output: FileDescriptor) {
        (self.selector, self.output, self.isTerminal) = (selector, output, Terminal.isTerminal(output))
    }

    mutating func begin(_ header: ReceivedHeader, at offset: Int64) { self.isTaken = self.selector.takes(header) }

    mutating func take(_ bytes: [UInt8], _ range: Range<Int>) throws {
        guard self.isTaken else { return }
        guard self.isTerminal else { return try self.write(Array(bytes[range])) }
        self.held += bytes[range]
        if self.held.count > Self.terminalBytes { throw Self.refusal }
    }

    mutating func end() throws {
        guard self.isTaken, self.isTerminal else { return }
        guard self.held.isPlainText else { throw Self.refusal }
        try self.write(self.held)
        self.held = []
    }

    private func write(_ bytes: [UInt8]) throws { try StandardOutput.write(.bytes(bytes), to: self.output) }

    private static var refusal: ExitStatus {
        ExitStatus(2, "the part is large or binary, and standard output is a terminal: use --to DIR or a pipe")
    }
}
