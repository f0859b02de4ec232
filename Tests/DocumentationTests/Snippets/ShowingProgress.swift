import Foundation
import FormworkFoundation
import Observation

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
