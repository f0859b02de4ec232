import FormworkHummingbird
import Hummingbird

func readingParts() -> Router<BasicRequestContext> {
    let router = Router()
    router.post("photos") { request, _ in
        try await request.formParts().writeFiles(into: "uploads")
        return HTTPResponse.Status.created
    }
    return router
}

func decoding(_ router: Router<BasicRequestContext>) {
    struct Profile: Decodable {
        var name: String
        var tags: [String]
        var photo: FormFile?
    }

    router.post("profile") { request, _ in
        let profile = try await request.decodeForm(as: Profile.self)
        return "Hello, \(profile.name)"
    }
}

struct AppRequestContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var requestDecoder: FormRequestDecoder { FormRequestDecoder() }
    init(source: Source) { self.coreContext = .init(source: source) }
}

func limiting(_ router: Router<BasicRequestContext>) {
    router.post("album") { request, _ in
        var limits = ParsingLimits()
        (limits.totalBytes, limits.fileBytes, limits.files) = (50 << 20, 20 << 20, 5)
        let deadlines = ReceivingDeadlines(total: .seconds(300), chunk: .seconds(30))
        try await request.formParts(limits: limits, deadlines: deadlines).writeFiles(into: "uploads")
        return HTTPResponse.Status.created
    }
}

func serving(_ router: Router<BasicRequestContext>) -> some ApplicationProtocol {
    router.add(middleware: ProblemDetailsMiddleware())
    router.add(middleware: KeptFormMiddleware())
    let avatars = router.group("avatars").add(middleware: BodyLimitMiddleware(maximumBytes: 1 << 20))
    avatars.post { request, _ in
        try await request.formParts().writeFiles(into: "avatars")
        return HTTPResponse.Status.created
    }
    let app = Application(router: router, server: .http1ExpectContinue())
    return app
}

func answering(_ router: Router<BasicRequestContext>, from folder: FilePath) {
    router.get("album") { _, _ in
        var form = FormData(framing: MultipartFraming(subtype: "mixed"))
        form.append(name: "cover", file: folder.appending("cover.jpg"))
        return form
    }
}
