import Formwork

func overview() async throws {
    var form = FormData()
    form.append(name: "title", value: "Harbour at dawn")
    form.append(name: "photo", file: "harbour.jpg")

    let plan = try await form.plan()
    print(plan.contentType)
    print(plan.contentLength ?? "unknown")
    try await plan.write(to: .standardOutput)
}
