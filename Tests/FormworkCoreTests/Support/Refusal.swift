import FormworkCore
import Testing

/// The message that `body` is refused with, whose code has to be `invalidArgument`.
func refusal(
    _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Void
) throws -> String {
    let error = try #require(throws: FormworkError.self, comment, sourceLocation: sourceLocation) { try body() }
    #expect(error.code == .invalidArgument, comment, sourceLocation: sourceLocation)
    return error.message
}
