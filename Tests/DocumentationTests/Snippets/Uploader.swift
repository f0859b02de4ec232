import FormworkFoundation
import Foundation

func send(_ form: FormData, to url: URL) async throws -> Int {
    let options = UploadOptions(retry: RetryPolicy(count: 2))
    return try await URLSession.shared.upload(form, with: URLRequest(url: url), options: options).1.statusCode
}
