#if NIO
import AsyncHTTPClient
import FormworkClient

func readme(_ plan: BodyPlan, _ url: String) async throws {
    let request = HTTPClientRequest(url: url)
    let answer = try await HTTPClient.shared.upload(plan, with: request, options: UploadOptions(timeout: .seconds(60)))
    print(answer.status, answer.bytesSent)
}
#endif
