#if Resumable
import FormworkHTTP
import HTTPTypes

/// An answer as a value: head and content.
public struct UploadAnswer: Sendable, Hashable {
    /// Status and fields.
    public var response: HTTPResponse
    /// Its content; empty for none.
    public var content: [UInt8]

    /// An answer of these.
    public init(_ response: HTTPResponse, content: [UInt8] = []) {
        (self.response, self.content) = (response, content)
    }

    package init(_ status: HTTPResponse.Status, _ fields: HTTPFields = [:]) {
        self.init(HTTPResponse(status: status, headerFields: fields))
    }

    /// A problem as an answer of its status.
    package init(_ problem: ProblemDetails) {
        self.init(HTTPResponse.Status(code: problem.status), [.contentType: ProblemDetails.contentType])
        self.content = problem.jsonBytes
    }

    /// A problem details document (RFC 9457).
    package init(_ status: HTTPResponse.Status, _ problem: UploadProblem) {
        self.init(status, [.contentType: "application/problem+json"])
        self.content = Array(problem.document(status.code).utf8)
    }
}

/// What is wrong with a request, in the problem types of the draft.
package enum UploadProblem: Sendable, Hashable {
    /// `mismatching-upload-offset` (§8.1).
    case mismatchingOffset(expected: Int64, provided: Int64)
    /// `inconsistent-upload-length` (§8.2).
    case inconsistentLength
    /// `completed-upload`, of -04 and -05.
    case completedUpload
    /// None of the draft's types: a title alone, in our own words.
    case other(title: String)

    /// JSON: our own words and numbers only, so that nothing needs escaping.
    func document(_ status: Int) -> String {
        let base = "https://iana.org/assignments/http-problem-types#"
        return switch self {
        case .mismatchingOffset(let expected, let provided):
            """
            {"type":"\(base)mismatching-upload-offset",\
            "title":"the request's offset is not the upload's","status":\(status),\
            "expected-offset":\(expected),"provided-offset":\(provided)}
            """
        case .inconsistentLength:
            """
            {"type":"\(base)inconsistent-upload-length",\
            "title":"the lengths told for the upload differ","status":\(status)}
            """
        case .completedUpload:
            #"{"type":"\#(base)completed-upload","title":"the upload is complete","status":\#(status)}"#
        case .other(let title):
            #"{"type":"about:blank","title":"\#(title)","status":\#(status)}"#
        }
    }
}
#endif
