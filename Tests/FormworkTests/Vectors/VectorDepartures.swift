import FormworkCore

/// What comes out of a row here.
enum VectorOutcome: Sendable {
    /// The body that the row expects.
    case body
    /// ``FormData/plan()`` throws an error of this code.
    case planFails(FormworkError.Code)
    /// Every way of reading throws an error of this code.
    case readFails(FormworkError.Code)
    /// Nothing: the form can't be written down.
    case inexpressible
}

/// Where this package does something else than the system a row comes from, each with its reason.
struct VectorDeparture: Sendable {
    var outcome: VectorOutcome
    var reason: String

    /// Of a row with a stream that ends early.
    static let shortStream = VectorDeparture(
        outcome: .readFails(.lengthMismatch),
        reason: "A stream that ends early is an error on disk as in memory: Alamofire's silence is a defect, "
            + "because the body is shorter than the length that was announced.")

    /// Of a row that encodes a form twice, with the error of the second time.
    static let encodedTwice = VectorDeparture(
        outcome: .body, reason: "A plan is read as often as wanted: Alamofire's streams are read up.")

    /// By the name of the error that a row expects.
    static let errors: [String: VectorDeparture] = [
        "multipartEncodingFailed.inputStreamReadFailed(UnexpectedInputStreamLength)": VectorDeparture(
            outcome: .readFails(.lengthMismatch), reason: "The same error by this package's name."),
        "multipartEncodingFailed.bodyPartURLInvalid": VectorDeparture(
            outcome: .inexpressible,
            reason:
                "A file is named by a path, so a URL of another kind can't get in. Alamofire's error for it belongs "
                + "to a layer that takes URLs."),
        "multipartEncodingFailed.bodyPartFilenameInvalid": VectorDeparture(
            outcome: .planFails(.sourceUnavailable),
            reason: "A filename needs no extension here; what is told is that the row's file doesn't exist."),
        "multipartEncodingFailed.bodyPartFileNotReachable": VectorDeparture(
            outcome: .planFails(.sourceUnavailable), reason: "The same error by this package's name."),
        "multipartEncodingFailed.bodyPartFileNotReachableWithError": VectorDeparture(
            outcome: .planFails(.sourceUnavailable), reason: "The same error by this package's name."),
        "multipartEncodingFailed.bodyPartFileIsDirectory": VectorDeparture(
            outcome: .planFails(.sourceUnavailable),
            reason: "A directory and a missing file are one code here; the message says which."),
    ]
}
