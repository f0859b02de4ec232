import FormworkSystem

/// Identifies the state of a file across processes, mounts and boots: its size, its modification time, and a checksum
/// of its first and last 64 KiB.
///
/// Device and inode numbers aren't included, because many file systems assign new ones at each mount. A copy with the
/// same content and time counts as the same file.
package struct FileFingerprint: Hashable, Sendable, Codable {
    /// The file's size in bytes.
    var size: Int64
    var modified: FileTime
    /// CRC-32C of the first and the last ``endSize`` bytes, or of all bytes of a smaller file.
    var ends: UInt32

    private static let endSize: Int64 = 64 << 10

    package init(size: Int64, modified: FileTime, ends: UInt32) {
        (self.size, self.modified, self.ends) = (size, modified, ends)
    }

    /// Reads the ends of the file at `path`, which must be in the state `expected`.
    /// - Throws: ``FormworkError/Code/sourceUnavailable``; `sourceChanged` if the file is in another state.
    init(of path: FilePath, in expected: FileValidator) throws(FormworkError) {
        let state: FileValidator
        do throws(Errno) {
            let descriptor = try SystemCalls.open(path, .readOnly, .nonBlocking)
            defer { try? SystemCalls.close(descriptor) }
            self.ends = try Self.checksum(of: descriptor, size: expected.size)
            state = try SystemCalls.status(of: descriptor).validator
        } catch {
            throw FormworkError(.sourceUnavailable, "can't be read", path: path.string, cause: error)
        }
        if let change = expected.change(to: state) {
            throw FormworkError(
                .sourceChanged, "the file \(change) since it was planned: plan again", path: path.string)
        }
        (self.size, self.modified) = (state.size, state.modified)
    }

    private static func checksum(of descriptor: FileDescriptor, size: Int64) throws(Errno) -> UInt32 {
        var checksum = CRC32C()
        let tail = max(min(size, self.endSize), size - self.endSize)
        for range in [0..<min(size, self.endSize), tail..<size] {
            var offset = range.lowerBound
            while offset < range.upperBound {
                var bytes: [UInt8] = []
                try bytes.append(upTo: Int(range.upperBound - offset)) { room throws(Errno) in
                    try SystemCalls.read(descriptor, at: offset, into: &room)
                }
                guard !bytes.isEmpty else { break }
                bytes.withBytes { checksum.update($0) }
                offset += Int64(bytes.count)
            }
        }
        return checksum.finalized().reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// How the file at `path` changed since, in words; `nil` if it didn't.
    /// - Parameter state: The file's current state.
    func change(to state: FileValidator, at path: FilePath) throws(FormworkError) -> String? {
        if let change = self.size.change(to: state.size) { return change }
        guard self.modified == state.modified else { return "was rewritten" }
        let now = try FileFingerprint(of: path, in: state)
        return self.ends == now.ends ? nil : "was replaced by another file of the same size and time"
    }
}
