import AsyncHTTPClient
import FormworkClient

func readme(_ form: FormData, _ url: String) async throws {
    let request = HTTPClientRequest(url: url)
    let answer = try await HTTPClient.shared.upload(form, with: request, options: UploadOptions(timeout: .seconds(60)))
    print(answer.status, answer.bytesSent)
}
