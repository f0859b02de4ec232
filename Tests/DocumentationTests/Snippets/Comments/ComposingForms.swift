import Formwork

// The examples in the comments of FormData, BodyPart, BodySource, PartSequence, BodySpool and CurlForm.

func composingParts() async -> FormData {
    let title = BodyPart(name: "title", value: "Harbour at dawn")
    let photo = BodyPart(name: "photo", file: "harbour.jpg", contentType: "image/jpeg")
    let table = BodyPart(name: "table", source: .text("a,b\r\n1,2\r\n"), filename: "table.csv")
    let form = FormData([title, photo, table])
    return form
}

func composingInOneExpression(_ metadata: [String: Int]) async throws -> FormData {
    let form = try FormData()
        .appending(name: "title", value: "Holiday")
        .appending(name: "photo", file: "beach.jpg")
        .appending(name: "metadata", json: metadata)
    return form
}

func composingSources() async -> FormData {
    var form = FormData()
    form.append(name: "log", source: .file("app.log", offset: 4096), filename: "app.log")
    form.append(name: "readme", source: .concatenation([.text("# Harbour\n"), .file("notes.md")]))
    form.append(name: "input", source: .descriptor(.standardInput))
    return form
}

func composingSequences() async -> FormData {
    var form = FormData()
    form.append(
        PartSequence(count: 1_000_000) { index in
            BodyPart(name: "reading", value: "\(index)")
        })
    return form
}

func composingSpools(_ input: FileDescriptor) async throws -> BodyPlan {
    let spool = try await BodySpool(collecting: input)
    var form = FormData()
    form.append(name: "dump", source: spool.source, filename: "dump.sql")
    let plan = try await form.plan()
    print(plan.contentLength ?? 0, plan.isReplayable)
    return plan
}

func composingForwards(_ parts: ReceivedParts<BodyChunks>) async -> FormData {
    var form = FormData()
    form.append(once: parts.filter { $0.name != "token" }.map { BodyPart($0) })
    return form
}

func composingLikeCurl() async throws -> FormData {
    var arguments = CurlForm()
    try arguments.append("title=Harbour")
    try arguments.append("photo=@a.jpg;type=image/jpeg")
    let form = try arguments.formData()
    return form
}
