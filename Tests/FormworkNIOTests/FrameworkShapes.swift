import HTTPTypes
// Vapor exports both.
@_exported import NIOCore
@_exported import NIOHTTP1
import Synchronization

// Declarations of frameworks that this package doesn't depend on, as far as the articles use them, so that their fences are
// compiled. Each is of the shape of the real one, which is named; what it does is made up for the tests. They are nonisolated
// as those of another module are, also where the main actor is the default (Examples/ServerSnippets).

// MARK: Vapor 4.122.0

/// Sources/Vapor/Request/Request.swift, Request+Body.swift, Concurrency/RequestBody+Concurrency.swift.
nonisolated final class Request: Sendable {
    nonisolated struct Body: AsyncSequence, Sendable {
        typealias Element = ByteBuffer

        nonisolated struct AsyncIterator: AsyncIteratorProtocol {
            typealias Element = ByteBuffer
            fileprivate var chunks: [ByteBuffer]

            @concurrent
            mutating func next() async throws -> ByteBuffer? { self.chunks.isEmpty ? nil : self.chunks.removeFirst() }
        }

        let request: Request

        var data: ByteBuffer? { self.request.isStream ? nil : self.request.chunks.first }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(chunks: self.request.chunks) }
    }

    let headers: HTTPHeaders
    fileprivate let chunks: [ByteBuffer]
    fileprivate let isStream: Bool

    var body: Body { Body(request: self) }

    init(_ headers: HTTPHeaders, _ chunks: [ByteBuffer], isStream: Bool) {
        (self.headers, self.chunks, self.isStream) = (headers, chunks, isStream)
    }
}

/// Sources/Vapor/Content/ContentDecoder.swift.
nonisolated protocol ContentDecoder: Sendable {
    func decode<D: Decodable>(_ decodable: D.Type, from body: ByteBuffer, headers: HTTPHeaders) throws -> D
}

/// Sources/Vapor/HTTP/HTTPMediaType.swift, as far as its name goes.
nonisolated enum HTTPMediaType: String {
    case formData = "multipart/form-data"
    case urlEncodedForm = "application/x-www-form-urlencoded"
}

/// Sources/Vapor/Content/ContentConfiguration.swift.
nonisolated struct ContentConfiguration: Sendable {
    private static let shared = Mutex(ContentConfiguration())
    private var decoders: [HTTPMediaType: any ContentDecoder] = [:]

    static var global: ContentConfiguration {
        get { self.shared.withLock { $0 } }
        set { self.shared.withLock { $0 = newValue } }
    }

    mutating func use(decoder: any ContentDecoder, for mediaType: HTTPMediaType) { self.decoders[mediaType] = decoder }

    fileprivate func decoder(for contentType: String?) throws -> any ContentDecoder {
        let type = contentType.map { String($0.prefix { $0 != ";" }) }
        guard let decoder = type.flatMap(HTTPMediaType.init).flatMap({ self.decoders[$0] }) else {
            throw UnsupportedMediaType()
        }
        return decoder
    }
}

nonisolated struct UnsupportedMediaType: AbortError {
    var reason: String { "Can't decode this type." }
    var status: HTTPResponseStatus { .unsupportedMediaType }
}

nonisolated extension Request {
    /// Sources/Vapor/Content/ContentContainer.swift.
    nonisolated struct ContentContainer {
        fileprivate let request: Request

        func decode<D: Decodable>(_ type: D.Type) throws -> D {
            let decoder = try ContentConfiguration.global.decoder(for: self.request.headers.first(name: "Content-Type"))
            return try decoder.decode(type, from: self.request.body.data ?? ByteBuffer(), headers: self.request.headers)
        }
    }

    var content: ContentContainer { ContentContainer(request: self) }
}

/// Sources/Vapor/HTTP/HTTPStatus.swift.
typealias HTTPStatus = HTTPResponseStatus

/// Sources/Vapor/Error/AbortError.swift, without what has a default there.
nonisolated protocol AbortError: Error {
    var reason: String { get }
    var status: HTTPResponseStatus { get }
    var headers: HTTPHeaders { get }
}

nonisolated extension AbortError {
    var headers: HTTPHeaders { [:] }
}

/// Sources/Vapor/Application.swift, HTTP/HTTPBodyStreamStrategy.swift, Concurrency/RoutesBuilder+Concurrency.swift.
nonisolated final class Application {
    nonisolated struct Environment {
        static func detect() throws -> Environment { Environment() }
    }

    nonisolated enum HTTPBodyStreamStrategy {
        case stream
        case collect
    }

    private(set) var routes: [@Sendable (Request) async throws -> HTTPStatus] = []

    static func make(_ environment: Environment) async throws -> Application { Application() }
    func execute() async throws {}

    func on(
        _ method: NIOHTTP1.HTTPMethod, _ path: String..., body: HTTPBodyStreamStrategy = .collect,
        use closure: @Sendable @escaping (Request) async throws -> HTTPStatus
    ) { self.routes.append(closure) }

    func post(_ path: String..., use closure: @Sendable @escaping (Request) async throws -> HTTPStatus) {
        self.routes.append(closure)
    }
}

// MARK: swift-openapi-runtime 1.11

/// Sources/OpenAPIRuntime/Interface/HTTPBody.swift, AsyncSequenceCommon.swift.
nonisolated final class HTTPBody: AsyncSequence, Sendable {
    typealias ByteChunk = ArraySlice<UInt8>
    typealias Element = ByteChunk

    nonisolated struct Iterator: AsyncIteratorProtocol {
        fileprivate let produceNext: () async throws -> ByteChunk?

        mutating func next() async throws -> ByteChunk? { try await self.produceNext() }
    }

    nonisolated enum Length: Sendable, Equatable {
        case unknown
        case known(Int64)
    }

    let length: Length
    let iterationBehavior: IterationBehavior
    private let open: @Sendable () -> Iterator

    init<Bytes: AsyncSequence>(
        _ sequence: Bytes, length: Length, iterationBehavior: IterationBehavior
    ) where Bytes: Sendable, Bytes.Element: Sequence & Sendable, Bytes.Element.Element == UInt8 {
        (self.length, self.iterationBehavior) = (length, iterationBehavior)
        self.open = {
            var iterator = sequence.makeAsyncIterator()
            return Iterator { try await iterator.next(isolation: #isolation).map { ArraySlice($0) } }
        }
    }

    func makeAsyncIterator() -> Iterator { self.open() }
}

nonisolated enum IterationBehavior: Sendable {
    case single
    case multiple
}

// MARK: swift-http-api-proposal of August 2026, swift-async-algorithms 1.1.5, swift-collections 1.6.0

/// BasicContainers and ContainersPreview of swift-collections: elements there may be noncopyable, which needs Swift 6.4.
nonisolated protocol RangeReplaceableContainer<Element>: ~Copyable {
    associatedtype Element
    mutating func takeAll() -> [Element]
}

nonisolated struct UniqueArray<Element>: RangeReplaceableContainer, ~Copyable {
    private var elements: [Element]

    init(copying span: Span<Element>) { self.elements = span.indices.map { span[$0] } }

    mutating func takeAll() -> [Element] {
        defer { self.elements = [] }
        return self.elements
    }
}

/// Sources/AsyncStreaming/CallerAsyncWriter/CallerAsyncWriter.swift of swift-async-algorithms.
nonisolated protocol CallerAsyncWriter<WriteElement, WriteFailure, FinalElement>: ~Copyable {
    associatedtype WriteElement
    associatedtype WriteFailure: Error
    associatedtype FinalElement = Void

    mutating func write<Buffer: RangeReplaceableContainer<WriteElement> & ~Copyable>(
        buffer: inout Buffer
    ) async throws(WriteFailure)

    consuming func finish<Buffer: RangeReplaceableContainer<WriteElement> & ~Copyable>(
        buffer: inout Buffer, finalElement: consuming FinalElement
    ) async throws(WriteFailure)
}

nonisolated extension CallerAsyncWriter where Self: ~Copyable, WriteElement == UInt8, FinalElement == HTTPFields? {
    /// Sources/HTTPAPIs/CallerAsyncWriter+HTTP.swift.
    consuming func finish(trailer: HTTPFields?) async throws(WriteFailure) {
        var empty = UniqueArray<UInt8>(copying: [UInt8]().span)
        try await self.finish(buffer: &empty, finalElement: trailer)
    }
}

/// Sources/HTTPAPIs/Client/HTTPClientRequestBody.swift.
nonisolated struct HTTPClientRequestBody<Writer: CallerAsyncWriter & ~Copyable>: Sendable
where Writer: SendableMetatype, Writer.WriteElement == UInt8, Writer.FinalElement == HTTPFields? {
    nonisolated private enum WriteBody {
        case restartable(@Sendable (consuming Writer) async throws -> Void)
        case seekable(@Sendable (Int64, consuming Writer) async throws -> Void)
    }

    let knownLength: Int64?
    private let writeBody: WriteBody

    var isSeekable: Bool { if case .seekable = self.writeBody { true } else { false } }

    func produce(into writer: consuming Writer) async throws {
        switch self.writeBody {
        case .restartable(let writeBody): try await writeBody(writer)
        case .seekable(let writeBody): try await writeBody(0, writer)
        }
    }

    func produce(offset: Int64, into writer: consuming Writer) async throws {
        guard case .seekable(let writeBody) = self.writeBody else { fatalError("Request body is not seekable") }
        try await writeBody(offset, writer)
    }

    static func restartable(
        knownLength: Int64? = nil, _ body: @escaping @Sendable (consuming Writer) async throws -> Void
    ) -> Self { Self(knownLength: knownLength, writeBody: .restartable(body)) }

    static func seekable(
        knownLength: Int64? = nil, _ body: @escaping @Sendable (Int64, consuming Writer) async throws -> Void
    ) -> Self { Self(knownLength: knownLength, writeBody: .seekable(body)) }
}
