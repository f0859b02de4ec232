import FormworkHTTP
import FormworkResumable

typealias ProblemDetails = FormworkHTTP.ProblemDetails

// The receiver's refusals. A detail names no path of this machine.
extension ProblemDetails {
    static func badRequest(_ detail: String) -> Self { Self(title: "Bad Request", status: 400, detail: detail) }
    static func unauthorized(_ detail: String) -> Self { Self(title: "Unauthorized", status: 401, detail: detail) }
    static func forbidden(_ detail: String) -> Self { Self(title: "Forbidden", status: 403, detail: detail) }
    static let notFound = Self(title: "Not Found", status: 404, detail: "There is nothing at this path.")
    static let notAllowed = Self(title: "Method Not Allowed", status: 405, detail: "Upload with POST or PUT.")
    static func postOnly(_ path: String) -> Self {
        Self(title: "Method Not Allowed", status: 405, detail: "Use POST for \(path).")
    }
    static func timedOut(_ detail: String) -> Self { Self(title: "Request Timeout", status: 408, detail: detail) }
    static func conflict(_ detail: String) -> Self { Self(title: "Conflict", status: 409, detail: detail) }
    static func preconditionFailed(_ detail: String) -> Self {
        Self(title: "Precondition Failed", status: 412, detail: detail)
    }
    static func tooLarge(_ detail: String) -> Self { Self(title: "Content Too Large", status: 413, detail: detail) }
    static func unsupported(_ detail: String) -> Self {
        Self(title: "Unsupported Media Type", status: 415, detail: detail)
    }
    static let expectationFailed = Self(
        title: "Expectation Failed", status: 417, detail: "The only supported expectation is 100-continue.")
    static func tooMany(_ detail: String) -> Self { Self(title: "Too Many Requests", status: 429, detail: detail) }
    static let tooManyTries = Self.tooMany("Too many wrong tokens were sent from this address: wait and try again.")
    static func unavailable(_ detail: String) -> Self {
        Self(title: "Service Unavailable", status: 503, detail: detail)
    }
    /// A problem from a storage's error.
    init(_ failure: any StorageFailure) { self.init(failure.status, detail: failure.publicDetail) }
    static func notImplemented(_ detail: String) -> Self {
        Self(title: "Not Implemented", status: 501, detail: detail)
    }
    static let noRoom = Self(
        title: "Insufficient Storage", status: 507,
        detail: "There is not enough room for the rest of the upload.")
    static let storageFailed = Self(
        title: "Internal Server Error", status: 500, detail: "The upload could not be stored; none of it was kept.")
}
