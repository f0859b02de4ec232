#if Command
import Formwork

extension String {
    /// The name after `@`, with which an option's value names a file; `nil` for another value.
    package var fileAfterSign: Substring? {
        // By bytes: the sign and a combining mark after it are one Character.
        self.utf8.first == UInt8(ascii: "@") ? Substring(self.utf8.dropFirst()) : nil
    }
}

/// Small files that options name: secrets, headers.
package enum GivenFile {
    /// Reads a file once, as it may be a pipe: `--token-file <(pass show upload)`.
    /// - Parameters:
    ///   - file: Its path, or `-` for standard input.
    ///   - option: The option and its value, as errors show them.
    ///   - limit: Bytes that it may have.
    /// - Throws: ``ExitStatus``, with the option in its message.
    package static func bytes(of file: String, _ option: String, limit: Int) throws -> [UInt8] {
        let source = try CommandInputs.source(file, for: option)
        do { return try BodyPlan(copying: source).bytes(upTo: limit) } catch {
            var error = error
            // The reader's plan has one part.
            (error.path, error.part, error.offset) = (nil, nil, nil)
            if error.code == .limitExceeded {
                error.message = "it has more than \(limit >> 10) KiB: name another file"
            }
            var status = ExitStatus(error)
            let reason = (status.message ?? "").trimmingPrefix("formwork: ")
            status.message = "formwork: \(option): \(reason)"
            throw status
        }
    }
}
#endif
