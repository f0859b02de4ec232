#if NIO
import Formwork
import HTTPTypes

/// A request's form as its header section describes it: the part of form handling that all servers share, whatever
/// their body type.
package struct IncomingForm<Chunks: AsyncSequence & Sendable>: Sendable where Chunks.Element: BodyChunk {
    private let fields: HTTPFields
    private let body: Chunks

    package init(_ fields: HTTPFields, body: Chunks) { (self.fields, self.body) = (fields, body) }

    /// The parts of a multipart form as they arrive.
    package func parts(
        profile: ParsingProfile, limits: ParsingLimits, deadlines: ReceivingDeadlines
    ) throws(FormworkError) -> ReceivedParts<Chunks> {
        let parts = try ReceivedParts(
            self.body, contentType: self.fields[.contentType], profile: profile, limits: limits,
            deadlines: deadlines)
        try self.checkLength(limits.totalBytes)
        return parts
    }

    /// The whole form: multipart, or url-encoded with its fields as parts without files.
    package func collect(
        profile: ParsingProfile, limits: ParsingLimits, memory: CollectingLimits, deadlines: ReceivingDeadlines
    ) async throws -> ReceivedForm {
        guard ReceivedForm.isURLEncoded(self.fields[.contentType]) else {
            let parts = try self.parts(profile: profile, limits: limits, deadlines: deadlines)
            return try await ReceivedForm(collecting: parts, limits: memory)
        }
        let bytes = Int(clamping: min(limits.totalBytes, Int64(memory.memoryBytes)))
        try self.checkLength(Int64(bytes))
        let text = try await self.body.collected(upTo: bytes, deadlines: deadlines)
        try self.checkWhole(text.count)
        return try ReceivedForm(urlEncoded: text, limits: limits, byteLimit: bytes)
    }

    /// The whole form as a value.
    /// - Throws: ``RequestProblem`` for a form that was read, but doesn't match the type.
    package func decode<Value: Decodable>(
        _ type: Value.Type, by decoder: FormDataDecoder, profile: ParsingProfile, limits: ParsingLimits,
        memory: CollectingLimits, deadlines: ReceivingDeadlines
    ) async throws -> Value {
        try await self.collect(profile: profile, limits: limits, memory: memory, deadlines: deadlines)
            .decoded(as: type, by: decoder)
    }

    /// Refuses a body whose Content-Length is too large, before any of it is read.
    private func checkLength(_ limit: Int64) throws(FormworkError) {
        guard let length = self.fields[.contentLength].flatMap({ Int64($0) }), length > limit else { return }
        throw ParsingFailure(.totalBytesLimit, limit: limit)
            .error("Content-Length is \(length): the limit is \(limit).", at: nil)
    }

    /// Url-encoded text doesn't mark its own end, and Hummingbird takes the end of an HTTP/2 connection for the end of
    /// its body.
    private func checkWhole(_ count: Int) throws(FormworkError) {
        guard self.fields[.contentEncoding] == nil, let length = self.fields[.contentLength].flatMap({ Int($0) }),
            count < length
        else { return }
        throw ParsingFailure(.unexpectedEnd)
            .error("The body ended after \(count) bytes of \(length)", at: Int64(count))
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
#endif
