#if Hummingbird
import FormworkNIO
import NIOCore
import NIOPosix

func servingAlone() async throws {
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
        .bind(host: "127.0.0.1", port: 8080) { channel in
            channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.configureFormServer() }
        }
    try await withThrowingDiscardingTaskGroup { connections in
        try await server.executeThenClose { inbound in
            for try await connection in inbound {
                connections.addTask {
                    try? await connection.serve { request in
                        let form = try await request.collectForm()
                        return ServerResponse(status: .ok, body: ByteBuffer(string: form["title"] ?? "untitled"))
                    }
                }
            }
        }
    }
}
#endif
