import Formwork

func gettingStarted() async throws {
    var form = FormData(framing: MultipartFraming(boundary: try Boundary("harbour")))
    form.append(name: "title", value: "Harbour at dawn")
    form.append(name: "notes", file: "../formwork/Fixtures/grüße aus 東京.txt")

    let plan = try await form.plan()
    try await plan.write(to: .standardOutput)
    print(plan.contentType, plan.contentLength!)
}
