import AsyncHTTPClient
import FormworkClient

func resuming() async throws {
    let (url, form) = ("http://127.0.0.1:8080/files", FormData().appending(name: "photo", file: "harbour.jpg"))
    let monitor = UploadMonitor()
    let answer = try await HTTPClient.shared.upload(
        form.plan(), with: HTTPClientRequest(url: url), resuming: UploadResuming(file: "upload.state"),
        options: UploadOptions(monitor: monitor))
    print(answer.status, answer.upload?.resumptions ?? 0)
}

func resumingAlone(_ form: FormData, to url: String) async throws -> HTTPResponse.Status {
    let status = try await FormSender().send(
        form.plan(), with: HTTPRequest(to: url), resuming: UploadResuming(file: "upload.state")
    ) { answer, trace in
        answer.head.status
    }
    return status
}
