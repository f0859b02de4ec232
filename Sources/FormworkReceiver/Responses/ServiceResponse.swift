import FormworkResumable
import NIOCore
import FormworkEssentials

/// The answer to a request, small enough to be held in memory.
struct ServiceResponse: Sendable {
    var status: HTTPResponse.Status
    var fields: HTTPFields
    var body: ByteBuffer
    /// Whether the connection is closed after the answer.
    var closes: Bool
    /// Memory that is held until the answer has been sent.
    var lease: ReceiverMemory.Lease?
    /// What was stored, for an upload with an ``IdempotencyKey``, without its fields.
    var receipt: UploadReceipt?
    /// Whether another receiver is completing the same upload.
    var isBusy = false
    /// Whether all answers share the body's bytes, so that no memory is held for them.
    var isShared = false

    init(
        _ status: HTTPResponse.Status, fields: HTTPFields = [:], body: ByteBuffer = ByteBuffer(), closes: Bool = false
    ) {
        (self.status, self.fields, self.body, self.closes) = (status, fields, body, closes)
    }

    init(_ status: HTTPResponse.Status, _ mediaType: String, _ body: ByteBuffer) {
        self.init(status, fields: [.contentType: mediaType], body: body)
    }

    /// A problem document, for programs.
    init(_ problem: ProblemDetails, closes: Bool = false) {
        self.init(
            HTTPResponse.Status(code: problem.status), fields: [.contentType: ProblemDetails.contentType],
            body: ByteBuffer(bytes: problem.jsonBytes), closes: closes)
    }

    /// Whether answers of its status have no content.
    var hasNoBody: Bool { self.status == .noContent || self.status == .notModified }

    /// A redirect to another page, to be fetched with GET.
    static func seeOther(_ location: String) -> Self { Self(.seeOther, fields: [.location: location]) }

    /// The head as it is sent.
    /// - Parameter isHTTP2: Whether the answer goes over HTTP/2, which has no `Connection` field (RFC 9113 §8.2.2).
    func head(isHTTP2: Bool) -> HTTPResponse {
        var fields = self.fields
        for field in SecurityFields.all { fields[field.name] = field.value }
        if fields[.cacheControl] == nil { fields[.cacheControl] = "no-store" }
        fields[.date] = HTTPDate.text(Int64(clamping: Date.now.timeIntervalSince1970))
        fields[.contentLength] = String(self.body.readableBytes)
        if self.closes, !isHTTP2 { fields[.connection] = "close" }
        return HTTPResponse(status: self.status, headerFields: fields)
    }
}

/// Fields of every answer, so that its content is never run or framed by a browser.
enum SecurityFields {
    static let all: [HTTPField] = [
        HTTPField(
            name: .contentSecurityPolicy,
            value: "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
                + "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
        HTTPField(name: .xContentTypeOptions, value: "nosniff"),
        HTTPField(name: .frameOptions, value: "DENY"),
        // Not no-referrer: with it, browsers send `Origin: null` for a form on the page itself (Fetch, "append a
        // request Origin header"), just as for a page of another site.
        HTTPField(name: .referrerPolicy, value: "same-origin"),
        HTTPField(name: .crossOriginResourcePolicy, value: "same-origin"),
        HTTPField(name: .openerPolicy, value: "same-origin"),
    ]
}
