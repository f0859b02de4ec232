import FormworkFoundation
import Foundation

func closure() async throws -> (Data, HTTPURLResponse) {
    let form = FormData().appending(name: "photo", file: "harbour.jpg")
    let request = URLRequest(url: URL(string: "http://127.0.0.1:8080/photos")!)
    let (data, response) = try await URLSession.shared.upload(form, with: request) { print($0.sent) }
    return (data, response)
}

func progress(_ form: FormData, _ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let plan = try await form.plan()
    let upload = UploadMonitor()
    async let answer = URLSession.shared.upload(plan, with: request, options: UploadOptions(monitor: upload))
    for await progress in upload.progress {
        print(progress.sent, progress.fractionCompleted ?? 0)
    }
    let (data, response) = try await answer
    return (data, response)
}

func foundationProgress() async -> Progress {
    let upload = UploadMonitor()
    let progress = Progress(following: upload)
    return progress
}
