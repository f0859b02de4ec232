import FormworkFoundation
import Foundation

// This folder's only door to unsafe code: calls of Foundation that need pointers.

extension InputStream {
    /// Reads into the first `limit` bytes of a span.
    /// - Returns: Bytes read; 0 at the end, negative after an error.
    func read(into buffer: inout MutableRawSpan, upTo limit: Int) -> Int {
        unsafe buffer.withUnsafeMutableBytes { bytes in
            // SAFETY: the span owns the memory during the call, and at most its size is read.
            guard let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) else { return 0 }
            return unsafe self.read(start, maxLength: min(limit, bytes.count))
        }
    }
}

extension FileManager {
    /// Whether there is a directory at a path; `nil` if nothing is there.
    func isDirectory(atPath path: String) -> Bool? {
        var isDirectory: ObjCBool = false
        // SAFETY: the pointer is used only during the call.
        guard unsafe self.fileExists(atPath: path, isDirectory: &isDirectory) else { return nil }
        return isDirectory.boolValue
    }
}
