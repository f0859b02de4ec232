import Foundation
import FormworkFoundation

func sendingInBackground(_ form: FormData, to url: URL, in background: URLSession) throws {
    let body = URL.temporaryDirectory.appending(path: "upload-\(UUID().uuidString)")
    let task = try background.uploadTask(form.plan(), with: URLRequest(url: url), writtenTo: body)
    task.resume()
}
