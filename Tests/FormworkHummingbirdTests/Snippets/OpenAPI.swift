#if Hummingbird
import Formwork

/// A type of the shape of swift-openapi-runtime's.
struct HTTPBody: AsyncSequence, Sendable {
    enum Length: Sendable, Equatable {
        case known(Int64)
        case unknown
    }
    enum IterationBehavior: Sendable, Equatable {
        case single
        case multiple
    }
    typealias Element = ArraySlice<UInt8>

    let length: Length
    let iterationBehavior: IterationBehavior
    private let makeStream: @Sendable () -> AsyncThrowingStream<ArraySlice<UInt8>, any Error>

    init<Chunks: AsyncSequence & Sendable>(
        _ chunks: Chunks, length: Length, iterationBehavior: IterationBehavior
    ) where Chunks.Element == ArraySlice<UInt8> {
        (self.length, self.iterationBehavior) = (length, iterationBehavior)
        self.makeStream = {
            AsyncThrowingStream { continuation in
                Task {
                    do {
                        for try await chunk in chunks { continuation.yield(chunk) }
                        continuation.finish()
                    } catch { continuation.finish(throwing: error) }
                }
            }
        }
    }

    func makeAsyncIterator() -> AsyncThrowingStream<ArraySlice<UInt8>, any Error>.AsyncIterator {
        self.makeStream().makeAsyncIterator()
    }
}

func upload(_ body: HTTPBody, contentType: String?) async throws -> [String] {
    var names: [String] = []
    for try await part in try ReceivedParts(body, contentType: contentType) { names.append(part.name ?? "") }
    return names
}

func body(of plan: BodyPlan) -> HTTPBody {
    HTTPBody(
        plan.chunks().map { $0[...] }, length: plan.contentLength.map { .known($0) } ?? .unknown,
        iterationBehavior: plan.isReplayable ? .multiple : .single)
}
#endif
