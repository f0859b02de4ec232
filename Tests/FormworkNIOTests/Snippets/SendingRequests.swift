import AsyncHTTPClient
import FormworkClient
import NIOCore
import NIOHTTP1

func executing(_ plan: BodyPlan, _ url: String) async throws -> HTTPClientResponse {
    var request = HTTPClientRequest(url: url)
    request.method = .PUT
    request.setBody(plan)
    let response = try await HTTPClient.shared.execute(request, timeout: .seconds(60))
    return response
}
