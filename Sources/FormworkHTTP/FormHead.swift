import Formwork
import HTTPTypes

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
