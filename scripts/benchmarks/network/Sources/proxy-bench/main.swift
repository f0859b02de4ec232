// A server that forwards every form to another server while it arrives: `proxy-bench URL`. Prints its address, and returns
// the other server's answer. Bodies that are posted to /unread are passed on by Hummingbird and AsyncHTTPClient alone.
import AsyncHTTPClient
import Formwork
import FormworkHummingbird
import FormworkClient
import Foundation
import Hummingbird

let url = CommandLine.arguments[1]
let router = Router()
router.post("/") { request, _ in
    var limits = ParsingLimits()
    (limits.totalBytes, limits.fileBytes) = (1 << 40, 1 << 40)
    var form = FormData()
    form.append(once: try request.formParts(limits: limits).map { BodyPart($0) })
    let answer = try await HTTPClient.shared.upload(
        form.plan(), with: HTTPClientRequest(url: url), options: UploadOptions(timeout: .seconds(600)))
    return String(buffer: try await answer.response.body.collect(upTo: 1 << 10))
}
router.post("/unread") { request, _ in
    var next = HTTPClientRequest(url: url)
    next.method = .POST
    next.headers.add(name: "Content-Type", value: request.headers[.contentType] ?? "")
    let length = request.headers[.contentLength].flatMap { Int64($0) }
    next.body = .stream(request.body, length: length.map { .known($0) } ?? .unknown)
    let answer = try await HTTPClient.shared.execute(next, timeout: .seconds(600))
    return String(buffer: try await answer.body.collect(upTo: 1 << 10))
}
let app = Application(
    router: router, server: .http1ExpectContinue(), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        FileHandle.standardOutput.write(Data("http://127.0.0.1:\(channel.localAddress?.port ?? 0)/\n".utf8))
    })
try await app.runService()
