import FormworkHummingbird
import Hummingbird

func receivingPieces() async throws {
    let router = Router()
    router.resumableUploads("files", into: "inbox")
    try await Application(router: router, server: .http1ExpectContinue()).runService()
}

func handlingUploads(_ router: Router<BasicRequestContext>) async {
    var options = UploadStoreOptions()
    options.limits.maxSize = 10 << 30
    router.resumableUploads("albums", in: UploadStore("unfinished", options: options)) { upload, context in
        let form = try await upload.form()
        try await form.files(named: "photo").first?.write(into: "albums")
        return "Thanks for \(form["title"] ?? "the album")"
    }
}
