import FormworkHummingbird
import Hummingbird

func receivingPieces() -> some ApplicationProtocol {
    let router = Router()
    router.resumableUploads("files", into: "inbox")
    var options = UploadStoreOptions()
    options.limits.maxSize = 10 << 30
    router.resumableUploads("albums", in: UploadStore("unfinished", options: options)) { upload, context in
        let form = try await upload.form()
        try await form.files(named: "photo").first?.write(into: "albums")
        return "Thanks for \(form["title"] ?? "the album")"
    }
    let app = Application(router: router, server: .http1ExpectContinue())
    return app
}
