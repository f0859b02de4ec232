import FormworkHummingbird
import Hummingbird

func decoding(_ router: Router<BasicRequestContext>) async {
    nonisolated struct Profile: Decodable {
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

func serving(_ router: Router<BasicRequestContext>) async {
    router.add(middleware: ProblemDetailsMiddleware())
    router.add(middleware: KeptFormMiddleware())
    let avatars = router.group("avatars").add(middleware: BodyLimitMiddleware(maximumBytes: 1 << 20))
    avatars.post { request, _ in
        try await request.formParts().writeFiles(into: "avatars")
        return HTTPResponse.Status.created
    }
}

func answering(_ router: Router<BasicRequestContext>) async {
    router.get("album") { _, _ in
        var form = FormData(framing: MultipartFraming(subtype: "mixed"))
        form.append(name: "cover", file: "uploads/cover.jpg")
        return form
    }
}
