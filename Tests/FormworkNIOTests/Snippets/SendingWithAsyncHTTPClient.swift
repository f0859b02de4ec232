import AsyncHTTPClient
import FormworkClient
import NIOCore

func uploading(_ form: FormData, _ client: HTTPClient, _ request: HTTPClientRequest) async throws {
    let answer = try await client.upload(form, with: request) { print($0.sent) }
    _ = answer
}

func uploading() async throws {
    let url = "http://127.0.0.1:8080/photos"
    let plan = try await FormData().appending(name: "photo", file: "harbour.jpg").plan()
    let request = HTTPClientRequest(url: url)
    let options = UploadOptions(
        authentication: .basic(user: "harbour", password: "master"), timeout: .seconds(60))
    let answer = try await HTTPClient.shared.upload(plan, with: request, options: options)
    print(answer.status, answer.bytesSent, answer.isBodyComplete)
    print(String(buffer: try await answer.response.body.collect(upTo: 1 << 20)))
}
