import Foundation
import FormworkFoundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

final class FinishedUploads: NSObject, URLSessionTaskDelegate {
    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        print((task.response as? HTTPURLResponse)?.statusCode ?? 0, error ?? "sent")
        if let body = task.taskDescription { try? FileManager.default.removeItem(atPath: body) }
    }
}

func sendingInBackground(_ form: FormData, to url: URL, in background: URLSession) async throws {
    #if canImport(Darwin)
    let background = URLSession(
        configuration: .background(withIdentifier: "uploads"), delegate: FinishedUploads(), delegateQueue: nil)
    #endif
    let folder = try FileManager.default.url(
        for: .applicationSupportDirectory, in: .userDomainMask, appropriateFor: nil, create: true)
    let body = folder.appending(path: "upload-\(UUID().uuidString)")
    let task = try await background.uploadTask(form.plan(), with: URLRequest(url: url), writtenTo: body)
    task.taskDescription = body.path
    task.resume()
}
