import AsyncHTTPClient
import FormworkClient
import NIOCore
import NIOHTTP1

func executing(_ plan: BodyPlan, _ url: String, _ client: HTTPClient) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: url)
    request.method = .PUT
    request.setBody(plan)
    let response = try await client.execute(request, timeout: .seconds(60))
    return response
}

func writingBuffers(_ plan: BodyPlan, _ channel: any Channel) async throws {
    for try await buffer in plan.buffers(of: 64 << 10) {
        try await channel.writeAndFlush(buffer).get()
    }
}

func writingRegions(_ plan: BodyPlan, _ channel: any Channel) async throws -> Int64 {
    let count = try await channel.writeBody(plan)
    return count
}

func receiving(_ body: HTTPClientResponse.Body, _ contentType: String?) async throws {
    for try await part in try ReceivedParts(body, contentType: contentType) {
        print(part.name ?? "", part.filename ?? "")
    }
}
