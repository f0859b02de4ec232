import Formwork

func gettingStarted() throws {
    var form = FormData(framing: MultipartFraming(boundary: try Boundary("harbour")))
    form.append(name: "title", value: "Harbour at dawn")
    form.append(name: "notes", file: "Fixtures/grüße aus 東京.txt")

    let plan = try form.plan()
    try plan.write(to: .standardOutput)
    print(plan.contentType, plan.contentLength!)
}
