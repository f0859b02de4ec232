import FormworkResumable

typealias ProblemDetails = FormworkHTTP.ProblemDetails

// The receiver's refusals. A detail names no path of this machine.
extension ProblemDetails {
    static func badRequest(_ detail: String) -> Self { Self(.badRequest, detail: detail) }
    static func unauthorized(_ detail: String) -> Self { Self(.unauthorized, detail: detail) }
    static func forbidden(_ detail: String) -> Self { Self(.forbidden, detail: detail) }
    static let notFound = Self(.notFound, detail: "There is nothing at this path.")
    static let notAllowed = Self(.methodNotAllowed, detail: "Upload with POST or PUT.")
    static func postOnly(_ path: String) -> Self { Self(.methodNotAllowed, detail: "Use POST for \(path).") }
    static func timedOut(_ detail: String) -> Self { Self(.requestTimeout, detail: detail) }
    static func conflict(_ detail: String) -> Self { Self(.conflict, detail: detail) }
    static func preconditionFailed(_ detail: String) -> Self { Self(.preconditionFailed, detail: detail) }
    static func tooLarge(_ detail: String) -> Self { Self(.contentTooLarge, detail: detail) }
    static func unsupported(_ detail: String) -> Self { Self(.unsupportedMediaType, detail: detail) }
    static let expectationFailed = Self(
        .expectationFailed, detail: "The only supported expectation is 100-continue.")
    static func tooMany(_ detail: String) -> Self { Self(.tooManyRequests, detail: detail) }
    static let tooManyTries = Self.tooMany(
        "Too many wrong tokens were sent from this address. Wait 6 seconds, and try again.")
    static func unavailable(_ detail: String) -> Self { Self(.serviceUnavailable, detail: detail) }
    /// A problem from a storage's error.
    init(_ failure: any StorageFailure) { self.init(failure.status, detail: failure.publicDetail) }
    static func notImplemented(_ detail: String) -> Self { Self(.notImplemented, detail: detail) }
    static let noRoom = Self(
        title: "Insufficient Storage", status: 507, detail: "There is not enough room for the rest of the upload.")
    static let storageFailed = Self(
        .internalServerError, detail: "The upload could not be stored; none of it was kept.")
}
