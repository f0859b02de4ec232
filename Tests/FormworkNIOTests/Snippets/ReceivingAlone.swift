import FormworkHTTP
import FormworkNIO
import NIOCore
import NIOHTTP1
import NIOHTTPTypes
import NIOHTTPTypesHTTP1
import NIOPosix

let (port, folder) = (8080, FilePath("inbox"))

/// What arrives on a connection: the head of a request, then its body.
actor Incoming {
    private let parts: NIOAsyncChannelInboundStream<HTTPRequestPart>.AsyncIterator

    init(_ inbound: NIOAsyncChannelInboundStream<HTTPRequestPart>) { self.parts = inbound.makeAsyncIterator() }

    func head() async throws -> HTTPRequest? { if case .head(let head) = try await self.next() { head } else { nil } }
    func chunk() async throws -> ByteBuffer? { if case .body(let chunk) = try await self.next() { chunk } else { nil } }

    private func next() async throws -> HTTPRequestPart? {
        var parts = self.parts
        return try await parts.next(isolation: self)
    }
}

func receive(_ connection: NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>, into folder: FilePath) async throws {
    try await connection.executeThenClose { inbound, outbound in
        let incoming = Incoming(inbound)
        guard let head = try await incoming.head() else { return }
        let body = AsyncThrowingStream { try await incoming.chunk() }
        var status = HTTPResponse.Status.created
        do {
            try await ReceivedParts(body, contentType: head.headerFields[.contentType]).writeFiles(into: folder)
        } catch let error as FormworkError {
            status = .init(code: ProblemDetails(error).status)
        }
        let answer = HTTPResponse(status: status, headerFields: [.connection: "close", .contentLength: "0"])
        try await outbound.write(contentsOf: [.head(answer), .end(nil)])
    }
}

func receivingAlone(port: Int, into folder: FilePath) async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .bind(host: "127.0.0.1", port: port) { channel in
            channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                try channel.pipeline.syncOperations.addHandler(HTTP1ToHTTPServerCodec(secure: false))
                return try NIOAsyncChannel<HTTPRequestPart, HTTPResponsePart>(wrappingChannelSynchronously: channel)
            }
        }
    try await withThrowingDiscardingTaskGroup { connections in
        try await server.executeThenClose { inbound in
            for try await connection in inbound {
                connections.addTask { try? await receive(connection, into: folder) }
            }
        }
    }
}
