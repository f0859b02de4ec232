import Foundation
import FormworkFoundation
import Observation

@MainActor @Observable final class PhotoUpload {
    var fraction: Double?

    func send(_ photo: Data, to url: URL) async throws -> Int {
        let form = FormData().appending(name: "photo", source: .bytes(photo), filename: "photo.jpg")
        let (_, response) = try await URLSession.shared.upload(form, with: URLRequest(url: url)) {
            self.fraction = $0.fractionCompleted
        }
        return response.statusCode
    }
}
