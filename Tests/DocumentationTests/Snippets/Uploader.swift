import Formwork
import FormworkFoundation
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An uploader, as users of FormworkTesting have one to test.
func send(_ form: FormData, to url: URL) async throws -> Int {
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    let options = UploadOptions(retry: RetryPolicy(count: 2))
    return try await URLSession.shared.upload(form.plan(), with: request, options: options).1.statusCode
}
