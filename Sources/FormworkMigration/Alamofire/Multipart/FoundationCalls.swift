import FormworkFoundation
import Foundation

// This folder's one door to unsafe code: calls of Foundation that take pointers.

extension InputStream {
    /// Reads into the first `limit` bytes of a span.
    /// - Returns: Bytes read; 0 at the end, negative after an error.
    func read(into buffer: inout MutableRawSpan, upTo limit: Int) -> Int {
        unsafe buffer.withUnsafeMutableBytes { bytes in
            // SAFETY: the memory is the span's for the call, and no more than its size is asked for.
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
            return unsafe self.read(start, maxLength: min(limit, bytes.count))
        }
    }
}

extension FileManager {
    /// Whether there is a directory at a path; `nil` when there is nothing.
    func isDirectory(atPath path: String) -> Bool? {
        var isDirectory: ObjCBool = false
        // SAFETY: the pointer is used during the call only.
        guard unsafe self.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
        return isDirectory.boolValue
    }
}
