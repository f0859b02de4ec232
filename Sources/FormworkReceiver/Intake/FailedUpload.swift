import FormworkClient
import FormworkHummingbirdCore
import NIOHTTP1
import NIOHTTP2

/// Why an upload failed: for the client, and for the log.
struct FailedUpload: Error {
    var problem: ProblemDetails
    /// The client went away, or its connection broke: no answer can be sent.
    var isConnectionLost = false
    /// The receiver is stopping, and closes the connection without an answer.
    var isDropped = false
    /// Another receiver is completing the same upload.
    var isBusy = false
    /// For the log, which may contain paths.
    var reason: String

    init(_ error: any Error) {
        if let failure = error as? FailedUpload {
            self = failure
            return
        }
        self.reason = (error as? FormworkError)?.description ?? "\(error)".withControlCharactersEscaped
        switch error {
        case let problem as ProblemDetails:
            self.problem = problem
            self.reason = problem.detail ?? problem.title
        case let failure as any StorageFailure:
            self.problem = ProblemDetails(failure)
        case let error as FormworkError: self.problem = Self.problem(error)
        case let refusal as HeadRefusal: self.problem = refusal.problem
        case let error as HTTPParserError where HeadRefusal.isClients(error):
            self.problem = HeadRefusal(error).problem
            self.reason = self.problem.detail ?? self.problem.title
        case is BodyTimeout:
            self.problem = .timedOut("The body stopped arriving or arrived too slowly; none of it was kept.")
        case is CancellationError:
            self.problem = .unavailable("The receiver is stopping.")
            self.reason = "the upload was dropped: the receiver is stopping, or another request continued it"
            self.isDropped = true
        case is UploadIsBusy:
            self.problem = .unavailable("Another receiver is completing this upload: try again.")
            self.reason = "another receiver is completing this upload"
            self.isBusy = true
        case is StorageProblem: self.problem = .storageFailed
        default:
            if error is NIOHTTP2Errors.StreamClosed {
                self.reason = "the client reset the stream: \(TransferError.text(error))"
            }
            self.problem = .badRequest("The connection ended before the body did.")
            self.isConnectionLost = true
        }
    }

    private static func problem(_ error: FormworkError) -> ProblemDetails {
        if let failure = error.cause as? any StorageFailure { return ProblemDetails(failure) }
        switch error.cause as? Errno {
        case .isDirectory: return .conflict("A folder already has the file's name.")
        case .notDirectory, .tooManySymbolicLinkLevels:
            return .conflict("Something other than a folder has the name of a folder in the file's path.")
        default: break
        }
        let problem = ProblemDetails(error)
        return problem.status == 500 ? .storageFailed : problem
    }
}

/// An error of a storage that has no message for the client. The wrapper distinguishes it from errors of the
/// connection.
struct StorageProblem: Error, CustomStringConvertible {
    var cause: any Error
    var description: String { "the storage failed: \(self.cause)" }

    /// Runs a call to a storage.
    static func marking<Result>(_ call: () async throws -> Result) async throws -> Result {
        do { return try await call() } catch {
            switch error {
            case is any StorageFailure, is FormworkError, is CancellationError, is UploadIsBusy: throw error
            default: throw StorageProblem(cause: error)
            }
        }
    }
}
