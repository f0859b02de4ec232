import FormworkSystem
import SystemPackage

/// A stream that only reads, so no signal mask has to be restored for it.
protocol PlainStream: ByteStream {}

/// A descriptor as a pull stream. It waits for a non-blocking descriptor, and closes one that it owns.
final class DescriptorStream: PlainStream {
    private let descriptor: FileDescriptor
    private let owned: Bool

    init(_ descriptor: FileDescriptor, owned: Bool) { (self.descriptor, self.owned) = (descriptor, owned) }

    deinit {
        if self.owned { try? SystemCalls.close(self.descriptor) }
    }

    /// Whether a read returns something within 50 ms.
    var isReady: Bool {
        get throws { try SystemCalls.wait(self.descriptor, for: .read, atMost: .milliseconds(50)) }
    }

    func read(into buffer: inout MutableRawSpan) throws -> Int {
        while true {
            do throws(Errno) {
                return try SystemCalls.read(self.descriptor, into: &buffer)
            } catch {
                guard error == .wouldBlock else { throw error }
                try SystemCalls.wait(self.descriptor, for: .read)
            }
        }
    }
}
