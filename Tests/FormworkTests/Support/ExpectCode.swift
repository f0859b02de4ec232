import Formwork
import Testing

/// Expects an error with a code.
func expect<Result>(
    _ code: FormworkError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () throws -> Result
) {
    let error = #expect(throws: FormworkError.self, sourceLocation: sourceLocation) { _ = try body() }
    #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
}

/// Expects an error with a code.
func expect<Result>(
    _ code: FormworkError.Code, sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Result
) async {
    let error = await #expect(throws: FormworkError.self, sourceLocation: sourceLocation) { _ = try await body() }
    #expect(error?.code == code, "\(error?.description ?? "")", sourceLocation: sourceLocation)
}
