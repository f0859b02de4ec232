#if Command
import Formwork

/// Collects short texts for standard output. A system call for each would take most of the time.
final class OutputBuffer {
    private static let limit = 64 << 10
    private var text: [UInt8] = []

    func write(_ text: String) throws { try self.write { $0 += text.utf8 } }

    func write(_ append: (inout [UInt8]) -> Void) throws {
        append(&self.text)
        if self.text.count >= Self.limit { try self.flush() }
    }

    func flush() throws {
        guard !self.text.isEmpty else { return }
        defer { self.text = [] }
        try StandardOutput.write(.bytes(self.text))
    }
}
#endif
