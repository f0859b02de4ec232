import AsyncHTTPClient
import Testing

@testable import FormworkReceiver

/// How long a request to a store may make no progress.
@Suite(.timeLimit(.minutes(10)))
struct BodyPaceTests {
    @Test func `After a body's end its answer has one time-out, whatever arrives meanwhile`() async throws {
        let pace = BodyPace(isOver: false)
        pace.note(isOver: true)
        await #expect(throws: HTTPClientError.readTimeout) {
            try await pace.watch(.milliseconds(50), limitsAnswer: true) { try await Task.sleep(for: .seconds(900)) }
        }
        let answer = try await pace.watch(.milliseconds(50)) {
            try await Task.sleep(for: .milliseconds(200))
            return "late"
        }
        #expect(answer == "late")
    }
}
