import CFormworkSystem
import SystemPackage

/// System calls that move file bytes without a buffer.
package enum KernelWay {
    case sendfile, copyFileRange
    case splice(SplicePipe)

    /// Moves up to `count` bytes and returns their number; 0 at the end of the input.
    package func transfer(
        from input: FileDescriptor, at offset: inout Int64, to output: FileDescriptor, count: Int
    ) throws(Errno) -> Int {
        switch self {
        case .sendfile:
            // SAFETY: the offset lives through the call, here and below.
            try Self.checked(unsafe fw_sendfile(output.rawValue, input.rawValue, &offset, count))
        case .copyFileRange:
            try Self.checked(unsafe fw_copy_file_range(output.rawValue, input.rawValue, &offset, count))
        case .splice(let pipe):
            try pipe.transfer(from: input, at: &offset, to: output, count: count)
        }
    }

    fileprivate static func checked(_ moved: Int) throws(Errno) -> Int {
        guard moved >= 0 else { throw Errno(rawValue: CInt(-moved)) }
        return moved
    }
}

/// A pipe through which file bytes move to a device. sendfile does the same through a pipe of 64 KiB: with a larger one, the
/// kernel needs fewer steps.
package final class SplicePipe {
    private let size: CInt
    private var ends: (reading: FileDescriptor, writing: FileDescriptor)?

    /// - Parameter size: The most bytes that one transfer moves.
    package init(size: CInt) { self.size = size }

    deinit { self.close() }

    fileprivate func transfer(
        from input: FileDescriptor, at offset: inout Int64, to output: FileDescriptor, count: Int
    ) throws(Errno) -> Int {
        let ends = try self.open()
        var next = offset
        // SAFETY: the offset lives through the call.
        let filled = try KernelWay.checked(
            unsafe fw_splice(ends.writing.rawValue, input.rawValue, &next, min(count, Int(self.size))))
        var done = 0
        while done < filled {
            do throws(Errno) {
                let moved = try KernelWay.checked(
                    fw_splice(output.rawValue, ends.reading.rawValue, nil, filled - done))
                guard moved > 0 else { throw .ioError }
                done += moved
            } catch {
                // The bytes that are left in the pipe are read from the file again.
                self.close()
                guard done > 0 else { throw error }
                break
            }
        }
        offset += Int64(done)
        return done
    }

    private func open() throws(Errno) -> (reading: FileDescriptor, writing: FileDescriptor) {
        if let ends = self.ends { return ends }
        let ends = try SystemCalls.pipe()
        SystemCalls.enlargePipe(ends.writing, to: self.size)
        self.ends = ends
        return ends
    }

    private func close() {
        guard let ends = self.ends else { return }
        self.ends = nil
        for end in [ends.reading, ends.writing] { try? SystemCalls.close(end) }
    }
}
