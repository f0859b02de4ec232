// A server that forwards forms while they arrive, removes one field and adds another: proxied URL
import AsyncHTTPClient
import FormworkClient
import FormworkHummingbird
import Hummingbird
import NIOHTTP1

let target = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8081/"
let router = Router()
router.add(middleware: ProblemDetailsMiddleware())

router.post("upload") { request, _ in
    var onward = FormData()
    onward.append(once: try request.formParts().filter { $0.name != "token" }.map { BodyPart($0) })
    onward.append(name: "via", value: "proxy")
    let answer = try await HTTPClient.shared.upload(
        onward.plan(), with: HTTPClientRequest(url: target), options: UploadOptions(timeout: .seconds(60)))
    return Response(
        status: .init(code: Int(answer.status.code)),
        body: ResponseBody(byteBuffer: try await answer.response.body.collect(upTo: 1 << 20)))
}

let app = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
try await app.runService()
