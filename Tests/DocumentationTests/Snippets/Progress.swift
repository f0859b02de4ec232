import FormworkFoundation
import Foundation

func closure(_ form: FormData, _ session: URLSession, _ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let (data, response) = try await session.upload(form, with: request) { print($0.sent) }
    return (data, response)
}

func progress(_ plan: BodyPlan, _ request: URLRequest) async throws -> (Data, HTTPURLResponse) {
    let upload = UploadMonitor()
    async let answer = URLSession.shared.upload(plan, with: request, options: UploadOptions(monitor: upload))
    for await progress in upload.progress {
        print(progress.sent, progress.fractionCompleted ?? 0)
    }
    let (data, response) = try await answer
    return (data, response)
}

func foundationProgress() -> Progress {
    let upload = UploadMonitor()
    let progress = Progress(following: upload)
    return progress
}
