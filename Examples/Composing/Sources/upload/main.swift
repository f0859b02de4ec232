// Uploads with URLSession and shows the progress: upload URL FILE
import Foundation
import FormworkFoundation

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else { fatalError("upload URL FILE") }
let form = FormData().appending(name: "photo", file: URL(fileURLWithPath: arguments[2]))
let options = UploadOptions(retry: RetryPolicy(count: 3))
let (_, response) = try await URLSession.shared.upload(form, with: URLRequest(url: url), options: options) { progress in
    print(String(format: "%.0f %%", 100 * (progress.fractionCompleted ?? 0)))
}
print(response.statusCode)
