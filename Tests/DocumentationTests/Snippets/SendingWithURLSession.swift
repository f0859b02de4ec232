import Foundation
import FormworkFoundation

func sendingWithOptions(_ form: FormData, to url: URL) async throws {
    let options = UploadOptions(
        authentication: .basic(user: "harbour", password: "master"), retry: RetryPolicy(count: 5),
        timeout: .seconds(600))
    let (_, answer) = try await URLSession.shared.upload(form, with: URLRequest(url: url), options: options)
    print(answer.statusCode)
}
