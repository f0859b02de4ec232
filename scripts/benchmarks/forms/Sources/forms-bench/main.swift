// A server of small forms, as an app would have it: a Hummingbird router. Prints its address. Each route answers with what
// it read.
import Formwork
import FormworkHummingbird
import Forms
import Foundation
import Hummingbird
import NIOCore

func say(_ text: String) { FileHandle.standardOutput.write(Data("\(text)\n".utf8)) }

let router = Router()
router.post("raw") { request, _ in
    let body = try await request.body.collect(upTo: 1 << 20)
    return "\(body.readableBytes)"
}
router.post("decode") { request, _ in try await request.decodeForm(as: SignUp.self).summary }
// A body can be read once: the second reader gets an error, in an optimized build too.
router.post("twice") { request, _ in
    _ = try await request.body.collect(upTo: 1 << 20)
    do {
        return try await request.decodeForm(as: SignUp.self).summary
    } catch let error as FormworkError {
        return error.code.description
    }
}
router.post("collect") { request, _ in
    let form = try await request.collectForm()
    return "\(form["name"] ?? "-"), \(form["email"] ?? "-"), \(form.count)"
}
router.post("parts") { request, _ in
    var (texts, files) = (0, 0)
    for try await part in try request.formParts() {
        if part.isFile {
            files += try await part.collect(upTo: 1 << 20).count
        } else {
            texts += try await part.text(upTo: 1 << 10).utf8.count
        }
    }
    return "\(texts), \(files)"
}

let app = Application(
    router: router, configuration: .init(address: .hostname("127.0.0.1", port: 0)),
    onServerRunning: { channel in
        say("http://127.0.0.1:\(channel.localAddress?.port ?? 0)")
    })
try await app.runService()
