import FormworkLibc
import FormworkCore
import SystemPackage

extension Errno {
    /// The code of Foundation's `POSIXError`.
    package init(_ code: POSIXErrorCode) { self.init(rawValue: code.rawValue) }
}

extension FormworkError {
    /// Runs a call on the file that is written.
    /// - Throws: `writeFailed`, with the path and the system's error.
    package static func writing<Result>(
        _ path: FilePath, _ call: () throws(Errno) -> Result
    ) throws(FormworkError) -> Result {
        do throws(Errno) { return try call() } catch {
            throw FormworkError(.writeFailed, "can't be written", path: path.string, cause: error)
        }
    }
}
