import Formwork

func overview() throws {
    var form = FormData()
    form.append(name: "title", value: "Harbour at dawn")
    form.append(name: "photo", file: "harbour.jpg")

    let plan = try form.plan()
    print(plan.contentType)
    print(plan.contentLength ?? "unknown")
    try plan.write(to: .standardOutput)
}
