import FormworkNIO
import NIOCore
import NIOHTTP1

func writingParts(_ plan: BodyPlan, _ channel: any Channel) async throws {
    var head = HTTPRequestHead(version: .http1_1, method: .POST, uri: "/upload")
    head.headers.describeBody(plan)
    try await channel.writeAndFlush(HTTPClientRequestPart.head(head)).get()
    try await channel.writeBody(plan, as: HTTPClientRequestPart.body)
    try await channel.writeAndFlush(HTTPClientRequestPart.end(nil)).get()
}

func writingBuffers(_ plan: BodyPlan, _ channel: any Channel) async throws {
    for try await buffer in plan.buffers(of: 64 << 10) {
        try await channel.writeAndFlush(buffer).get()
    }
}
