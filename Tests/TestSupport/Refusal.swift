import FormworkCore

/// The message that `body` is refused with, whose code has to be `invalidArgument`.
package func refusal(_ body: () throws -> Void) throws -> String {
    do { try body() } catch let error as FormworkError where error.code == .invalidArgument { return error.message }
    throw NotRefused()
}

private struct NotRefused: Error {}
