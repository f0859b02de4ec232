import Formwork

struct Profile: Codable {
    var title: String
    var photo: FormFile?
}

func receivingParts() async throws {
    let sent = try await FormData()
        .appending(name: "title", value: "Harbour").appending(name: "photo", file: "harbour.jpg").plan()
    let (body, contentType) = (sent.chunks(), sent.contentType)

    var title = ""
    for try await part in try ReceivedParts(body, contentType: contentType) {
        switch part.name {
        case "title": title = try await part.text(upTo: 200)
        case "photo" where part.isFile:
            let name = part.header.safeFilename ?? "photo"
            try await part.write(toFile: "received-\(name)")
        default: break
        }
    }
    print(title)
}

func receivingForms(_ body: BodyChunks, _ contentType: String) async throws -> Profile {
    let form = try await ReceivedForm(collecting: ReceivedParts(body, contentType: contentType))
    print(form["title"] ?? "untitled", form.files(named: "photo").count)
    let profile = try form.decode(Profile.self)
    return profile
}

func receivingNames(_ body: BodyChunks, _ contentType: String) async throws -> ReceivedForm {
    var limits = ParsingLimits()
    (limits.totalBytes, limits.onlyNamed) = (3 << 30, true)
    limits.named = ["title": 200, "avatar": 1 << 20, "archive": 2 << 30]
    let form = try await ReceivedForm(collecting: body, contentType: contentType, limits: limits)
    return form
}

func receivingLimits(_ body: BodyChunks, _ contentType: String) async throws {
    var limits = ParsingLimits()
    (limits.totalBytes, limits.fileBytes) = (5 << 30, 10 << 20)
    let deadlines = ReceivingDeadlines(total: .seconds(300), chunk: .seconds(30))
    for try await part in try ReceivedParts(body, contentType: contentType, limits: limits, deadlines: deadlines) {
        if part.name == "video" { try part.limit(to: 4 << 30) }
        try await part.skip()
    }
}
