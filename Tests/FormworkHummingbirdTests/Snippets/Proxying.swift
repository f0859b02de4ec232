import AsyncHTTPClient
import FormworkClient
import FormworkHummingbird
import Hummingbird
import NIOHTTP1

func proxying(_ router: Router<BasicRequestContext>) async {
    router.post("proxy") { request, _ in
        var form = FormData()
        form.append(once: try request.formParts().filter { $0.name != "token" }.map { BodyPart($0) })
        form.append(name: "via", value: "proxy")
        let answer = try await HTTPClient.shared.upload(
            form.plan(), with: HTTPClientRequest(url: "http://127.0.0.1:8081/photos"),
            options: UploadOptions(timeout: .seconds(60)))
        return HTTPResponse.Status(code: Int(answer.status.code))
    }
}
