// The declarations that the program uses, with the same shape as those in
// Sources/OpenAPIRuntime/Interface/HTTPBody.swift of swift-openapi-runtime 1.11.

/// How often a body can be iterated.
public enum IterationBehavior: Sendable {
    case single
    case multiple
}

/// A body of a request or an answer.
public final class HTTPBody: AsyncSequence, Sendable {
    public typealias ByteChunk = ArraySlice<UInt8>
    public typealias Element = ByteChunk

    public enum Length: Sendable, Equatable {
        case unknown
        case known(Int64)
    }

    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let produceNext: () async throws -> ByteChunk?

        public mutating func next() async throws -> ByteChunk? { try await self.produceNext() }
    }

    public let length: Length
    public let iterationBehavior: IterationBehavior
    private let open: @Sendable () -> Iterator

    public init<Bytes: AsyncSequence>(
        _ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior
    ) where Bytes: Sendable, Bytes.Element: Sequence & Sendable, Bytes.Element.Element == UInt8 {
        (self.length, self.iterationBehavior) = (length, iterationBehavior)
        self.open = {
            var iterator = sequence.makeAsyncIterator()
            return Iterator { try await iterator.next().map { ArraySlice($0) } }
        }
    }

    public func makeAsyncIterator() -> Iterator { self.open() }
}
