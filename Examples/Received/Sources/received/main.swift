// A server with two routes: one decodes a form as a value, one streams files to disk within limits: received FOLDER
import FormworkHummingbird
import Hummingbird

struct Profile: Decodable {
    var name: String
    var tags: [String]
    var photo: FormFile?
}

let folder = CommandLine.arguments.dropFirst().first ?? "uploads"
let router = Router()
router.add(middleware: ProblemDetailsMiddleware())

router.post("profile") { request, _ in
    let profile = try await request.decodeForm(as: Profile.self)
    let file = try await profile.photo?.write(into: folder)
    return "\(profile.name) \(profile.tags) \(file?.lastComponent?.string ?? "without a photo")"
}

router.post("photos") { request, _ in
    var limits = ParsingLimits()
    (limits.fileBytes, limits.files) = (8 << 20, 5)
    var names: [String] = []
    for try await part in try request.formParts(limits: limits) where part.isFile {
        if let name = try await part.write(into: folder)?.lastComponent { names.append(name.string) }
    }
    return names.joined(separator: ", ")
}

let app = Application(
    router: router, configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)))
try await app.runService()
