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
