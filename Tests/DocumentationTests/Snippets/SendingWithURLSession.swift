import Foundation
import FormworkFoundation
import Observation

func sendingWithOptions(_ form: FormData, to url: URL) async throws {
    let options = UploadOptions(
        authentication: .basic(user: "harbour", password: "master"), retry: RetryPolicy(count: 5), timeout: .seconds(600))
    let (_, answer) = try await URLSession.shared.upload(form, with: URLRequest(url: url), options: options)
    print(answer.statusCode)
}

@MainActor @Observable final class PhotoUpload {
    var fraction: Double?

    func send(_ photo: URL, to url: URL) async throws -> Int {
        let form = FormData().appending(name: "photo", file: photo)
        let (_, response) = try await URLSession.shared.upload(form, with: URLRequest(url: url)) {
            self.fraction = $0.fractionCompleted
        }
        return response.statusCode
    }
}
