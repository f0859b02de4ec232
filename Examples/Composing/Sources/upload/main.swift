// Uploads with URLSession and shows the progress: upload URL FILE
import Foundation
import FormworkFoundation

let arguments = CommandLine.arguments
guard arguments.count == 3, let url = URL(string: arguments[1]) else { fatalError("upload URL FILE") }
let plan = try FormData()
    .appending(name: "photo", file: URL(fileURLWithPath: arguments[2]))
    .plan()
let upload = UploadMonitor()
let options = UploadOptions(retry: RetryPolicy(count: 3), monitor: upload)
async let answer = URLSession.shared.upload(plan, with: URLRequest(url: url), options: options)
for await progress in upload.progress {
    print(String(format: "%.0f %%", 100 * (progress.fractionCompleted ?? 0)))
}
let (_, response) = try await answer
print(response.statusCode)
