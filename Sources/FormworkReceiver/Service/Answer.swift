#if Transfer
import FormworkHTTP
import FormworkResumable
import HTTPTypes
import NIOCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a request gets: small enough to be held.
package struct Answer: Sendable {
    package var status: HTTPResponse.Status
    package var fields: HTTPFields
    package var body: ByteBuffer
    /// Whether the connection ends with it.
    package var closes: Bool
    /// What has to be held until it is sent.
    var memory: FieldMemory.Share?
    /// The same of the body's own bytes.
    var share: AnswerMemory.Share?
    /// Whether the body's bytes are counted, or are those of all: nothing is to be taken for them.
    var isCounted = false

    package init(
        _ status: HTTPResponse.Status, fields: HTTPFields = [:], body: ByteBuffer = ByteBuffer(), closes: Bool = false
    ) {
        (self.status, self.fields, self.body, self.closes) = (status, fields, body, closes)
    }

    package init(_ status: HTTPResponse.Status, _ mediaType: String, _ body: ByteBuffer) {
        self.init(status, fields: [.contentType: mediaType], body: body)
    }

    /// A problem, for programs.
    package init(_ problem: ProblemDetails, closes: Bool = false) {
        self.init(
            HTTPResponse.Status(code: problem.status), fields: [.contentType: ProblemDetails.contentType],
            body: ByteBuffer(bytes: problem.jsonBytes), closes: closes)
    }

    /// A way to another page, by GET.
    static func seeOther(_ location: String) -> Self { Self(.seeOther, fields: [.location: location]) }

    /// The head as it is sent.
    /// - Parameter isHTTP2: Whether connections have no say of their own (RFC 9113 §8.2.2).
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

/// What every answer carries, so that no content of it is ever run or framed.
enum SecurityFields {
    static let all: [HTTPField] = [
        HTTPField(
            name: .contentSecurityPolicy,
            value: "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
                + "img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"),
        HTTPField(name: .contentTypeOptions, value: "nosniff"),
        HTTPField(name: .frameOptions, value: "DENY"),
        // Not no-referrer: with it browsers send `Origin: null` for a form of the page itself (Fetch, "append a request
        // Origin header"), which is what a page of another site sends.
        HTTPField(name: .referrerPolicy, value: "same-origin"),
        HTTPField(name: .resourcePolicy, value: "same-origin"),
        HTTPField(name: .openerPolicy, value: "same-origin"),
    ]
}
#endif
