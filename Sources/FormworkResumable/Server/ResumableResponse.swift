import FormworkHTTP
import HTTPTypes

/// An answer as a value: head and content.
public struct ResumableResponse: Sendable, Hashable {
    /// Status and fields.
    public var response: HTTPResponse
    /// Its content; empty for none.
    public var content: [UInt8]
    /// What its content says, for a log; `nil` if it isn't a problem.
    package private(set) var problem: ProblemDetails?

    /// Creates an answer.
    public init(_ response: HTTPResponse, content: [UInt8] = []) {
        (self.response, self.content) = (response, content)
    }

    init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) {
        self.init(HTTPResponse(status: status, headerFields: fields))
    }

    /// Creates an answer from a problem, with its status.
    init(_ problem: ProblemDetails) {
        self.init(HTTPResponse.Status(code: problem.status), [.contentType: ProblemDetails.contentType])
        (self.content, self.problem) = (problem.jsonBytes, problem)
    }

    /// Creates an answer with a problem details document (RFC 9457).
    init(_ status: HTTPResponse.Status, _ problem: UploadProblem) {
        self.init(status, [.contentType: ProblemDetails.contentType])
        let details = problem.details(status)
        (self.content, self.problem) = (details.jsonBytes, details)
    }
}

/// A problem with a request, in the draft's problem types.
enum UploadProblem: Sendable, Hashable {
    /// `mismatching-upload-offset` (§8.1).
    case mismatchingOffset(expected: Int64, provided: Int64)
    /// `inconsistent-upload-length` (§8.2).
    case inconsistentLength
    /// `completed-upload`, of -04 and -05.
    case completedUpload
    /// Any other problem, in a sentence. It has no type, so its title is the status's (RFC 9457 section 4.2.1).
    case other(String)

    func details(_ status: HTTPResponse.Status) -> ProblemDetails {
        let base = "https://iana.org/assignments/http-problem-types#"
        switch self {
        case .mismatchingOffset(let expected, let provided):
            var details = ProblemDetails(
                type: base + "mismatching-upload-offset", title: "the request's offset differs from the upload's",
                status: status.code)
            details.numbers = ["expected-offset": expected, "provided-offset": provided]
            return details
        case .inconsistentLength:
            return ProblemDetails(
                type: base + "inconsistent-upload-length", title: "the lengths given for the upload differ",
                status: status.code)
        case .completedUpload:
            return ProblemDetails(type: base + "completed-upload", title: "the upload is complete", status: status.code)
        case .other(let detail): return ProblemDetails(status, detail: detail)
        }
    }
}
