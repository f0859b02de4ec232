import Formwork
import HTTPTypes

/// A request's form as its header section describes it, whatever the server's body type.
///
/// FormworkHummingbird calls the same initializers itself, so that they are specialised for its
/// body: otherwise most of a small form's time is spent on finding types at run time. Generic code of this package isn't
/// inlined into its other modules, public code is.
package struct IncomingForm<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element: BodyChunk {
    private let head: FormHead
    private let body: Chunks

    package init(_ fields: HTTPFields, body: Chunks) { (self.head, self.body) = (FormHead(fields), body) }

    /// The parts of a multipart form as they arrive.
    package func parts(
        profile: ParsingProfile, limits: ParsingLimits, deadlines: ReceivingDeadlines
    ) throws(FormworkError) -> ReceivedParts<Chunks> {
        let parts = try ReceivedParts(
            self.body, contentType: self.head.contentType, profile: profile, limits: limits, deadlines: deadlines)
        try self.head.checkLength(limits)
        return parts
    }

    /// The whole form: multipart, or url-encoded with its fields as parts without files.
    package func collect(
        profile: ParsingProfile, limits: ParsingLimits, memory: CollectingLimits, deadlines: ReceivingDeadlines
    ) async throws -> ReceivedForm {
        try await ReceivedForm(
            collecting: self.body, contentType: self.head.contentType,
            contentLength: self.head.ownLength(limits), profile: profile, limits: limits, memory: memory,
            deadlines: deadlines)
    }
}

/// What a request's header section says of its form.
package struct FormHead: Sendable {
    /// The `Content-Type`; `nil` for none.
    package let contentType: String?
    /// The `Content-Length` in bytes; `nil` for none, and for one that isn't a number.
    private let length: Int64?
    /// Whether the bytes have a `Content-Encoding`: then the length is that of other bytes.
    private let isEncoded: Bool

    package init(_ fields: HTTPFields) {
        self.contentType = fields.value(of: .contentType)
        self.length = fields.value(of: .contentLength).flatMap { Int64($0) }
        self.isEncoded = fields.contains(.contentEncoding)
    }

    /// Refuses a body whose Content-Length is too large, before any of it is read.
    package func checkLength(_ limits: ParsingLimits) throws(FormworkError) {
        try limits.check(contentLength: self.length, upTo: limits.totalBytes)
    }

    /// The length of the form's own bytes; `nil` if it isn't known.
    package func ownLength(_ limits: ParsingLimits) throws(FormworkError) -> Int64? {
        guard self.isEncoded else { return self.length }
        try self.checkLength(limits)
        return nil
    }
}

extension HTTPFields {
    /// The same as the subscript, which joins a single value too: that takes longer than finding it.
    fileprivate func value(of name: HTTPField.Name) -> String? {
        var value: String?
        for field in self where field.name == name {
            guard value == nil else { return self[name] }
            value = field.value
        }
        return value
    }
}

extension ReceivedForm {
    /// The form as a value.
    /// - Throws: ``RequestProblem`` for a form that doesn't match the type.
    package func decoded<Value: Decodable>(as type: Value.Type, by decoder: FormDataDecoder) throws -> Value {
        do {
            return try decoder.decode(type, from: self)
        } catch let error as DecodingError {
            throw RequestProblem(ProblemDetails(error), cause: error)
        }
    }
}
