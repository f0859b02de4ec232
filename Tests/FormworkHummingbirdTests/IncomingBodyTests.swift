@testable import FormworkHummingbird
import Hummingbird
import NIOCore
import NIOHTTP1
import Testing

@Suite("A body whose connection ends", .timeLimit(.minutes(10)))
struct IncomingBodyTests {
    /// Gives one chunk, then fails.
    private struct Broken: AsyncSequence, Sendable {
        let error: any Error

        struct Iterator: AsyncIteratorProtocol {
            let error: any Error
            var isFirst = true
            mutating func next() async throws -> ByteBuffer? {
                defer { self.isFirst = false }
                guard self.isFirst else { throw self.error }
                return ByteBuffer(string: "sea")
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(error: self.error) }
    }

    private struct Other: Error {}

    private func body(_ error: any Error) -> IncomingBody {
        IncomingBody(RequestBody(asyncSequence: Broken(error: error)))
    }

    @Test("is cut, and not at its end")
    func cut() async throws {
        let errors: [any Error] = [
            HTTPParserError.invalidEOFState, ChannelError.inputClosed, ChannelError.eof,
            IOError(errnoCode: 104, reason: "read"),
        ]
        for error in errors {
            var given = ""
            let told = await #expect(throws: FormworkError.self) {
                for try await chunk in self.body(error) { given += String(buffer: chunk) }
            }
            #expect(told?.code == .truncatedBody && told?.cause != nil && given == "sea", "\(error)")
        }
        await #expect(throws: Other.self) {
            for try await _ in self.body(Other()) {}
        }
    }
}
