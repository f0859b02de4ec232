import SystemPackage

/// A FIFO, whatever its path: its bytes can be read only once.
package struct PipeIdentity: Hashable, Sendable {
    private let inode: UInt64
    private let device: UInt64

    /// `nil` for another file.
    package init?(_ status: FileStatus?) {
        guard let status, status.kind == .fifo else { return nil }
        (self.inode, self.device) = (status.validator.inode, status.validator.device)
    }

    /// Standard input; `nil` if it isn't a FIFO.
    package static var standardInput: PipeIdentity? {
        PipeIdentity(try? SystemCalls.status(of: FileDescriptor.standardInput))
    }
}
